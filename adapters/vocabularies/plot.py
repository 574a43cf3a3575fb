"""A picture of two vocabularies: the lengths of their tokens, and how many of each are shared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .audit import VocabularyAudit
from .intersection import Length

#: Kinds of picture, by the ending of the file's name.
ENDINGS = (".svg", ".png")
#: Tokens of this many bytes and more stand in one column.
LONGEST = 24
TARGET, DRAFTER = "#0072b2", "#d55e00"


class NoPlotError(ValueError):
    """A picture that cannot be drawn: the message says why."""


def check_plot(path: str) -> None:
    """Find out before long work whether the picture can be drawn.

    Raises:
        NoPlotError: for a name that ends otherwise than in `ENDINGS`, or without matplotlib.
    """
    if Path(path).suffix.lower() not in ENDINGS:
        raise NoPlotError(f"--plot {path}: the name must end in {' or '.join(ENDINGS)}")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise NoPlotError("--plot needs matplotlib: pip install 'draftproof[plots]'") from None


def columns(found: VocabularyAudit) -> list[Length]:
    """Every length up to `LONGEST`, the longer ones in the last."""
    rows = [[0, 0, 0, 0] for _ in range(LONGEST)]
    for each in found.intersection.lengths:
        row = rows[min(each.bytes, LONGEST) - 1]
        for index, number in enumerate(
            (each.target, each.drafter, each.shared_target, each.shared_drafter)
        ):
            row[index] += number
    return [Length(place, a, b, c, d) for place, (a, b, c, d) in enumerate(rows, 1)]


def draw(found: VocabularyAudit, path: str) -> None:
    """Write the picture to ``path``."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "draftproof"  # the same picture gives the same file
    from matplotlib import pyplot

    figure, (above, below) = pyplot.subplots(
        2, 1, sharex=True, figsize=(8, 6), layout="constrained", height_ratios=(3, 2)
    )
    rows = columns(found)
    lengths = [row.bytes for row in rows]
    sides = (
        ("target", found.facts.target.name, TARGET, [(r.target, r.shared_target) for r in rows]),
        (
            "drafter",
            found.facts.drafter.name,
            DRAFTER,
            [(r.drafter, r.shared_drafter) for r in rows],
        ),
    )
    for place, (role, name, colour, numbers) in enumerate(sides):
        across = [length + 0.4 * (place - 0.5) for length in lengths]
        above.bar(across, [ids for ids, _ in numbers], 0.4, color=colour)
        _label(above, place, f"{role} {name}", colour)
        shares = [_part(shared, ids) for ids, shared in numbers]
        below.plot(lengths, shares, color=colour, marker="os"[place], label=role)
    above.set_yscale("log")
    above.set_ylabel("ids")
    above.set_title("Token lengths, and the share of them in the intersection")
    below.set_ylabel("share in the intersection")
    below.set_ylim(-0.05, 1.1)
    below.set_xlabel(f"bytes of a token ({LONGEST}: {LONGEST} and more)")
    below.set_xticks([1, *range(4, LONGEST + 1, 4)])
    below.legend(frameon=False)
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None} if path.lower().endswith(".svg") else None)
    pyplot.close(figure)


def _label(axes: Any, place: int, text: str, colour: str) -> None:
    axes.text(0.98, 0.92 - 0.1 * place, text, color=colour, ha="right", transform=axes.transAxes)


def _part(shared: int, whole: int) -> float:
    """NaN, which is not drawn, where there is no token of this length."""
    return shared / whole if whole else float("nan")

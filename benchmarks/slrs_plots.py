"""The pictures of docs/slrs-in-practice.md, "On real models", from what was measured.

python benchmarks/slrs_plots.py cost MADE.json OUT.svg        from `slrs_cost.py made --json`
python benchmarks/slrs_plots.py tokens COMPARE.json .. OUT.svg    from `draftproof compare --json`
python benchmarks/slrs_plots.py gallery OUT.svg               exact: nothing is measured
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

import matplotlib
from draftproof.reference import program
from draftproof.toymodels import gallery
from matplotlib import pyplot

#: Colours that differ in brightness too, and a mark each.
COLOURS = ("#56b4e9", "#009e73", "#117733", "#aa4499", "#999933", "#882255")
MARKS = ("P", "o", "<", ">", "p", "h")
LETTERS = 64
#: Of the gallery's picture: algorithm, its setting, colour, mark.
SERIES = {
    "TLI": ("tli", 2, "#d55e00", "^"),
    "SLEM": ("slem", 2, "#0072b2", "D"),
    "SLRS, 2 drafts": ("slrs", 2, "#009e73", "o"),
    "SLRS, spelled": ("slrs", "spelled:2", "#56b4e9", "P"),
}


def written(figure: Any, path: str) -> None:
    """Save without a date."""
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)
    pyplot.close(figure)


def cost(source: str, path: str) -> None:
    """What psi costs by the length of a token, and a round by the size of the vocabulary."""
    found = json.loads(Path(source).read_text(encoding="utf-8"))
    figure, axes = pyplot.subplots(2, 3, figsize=(12.5, 7), layout="constrained")
    for row, (part, at) in enumerate((("length", "length"), ("size", "ids"))):
        forms = list(dict.fromkeys(each["form"] for each in found[part]))
        keys = (
            ("contexts", "passes", "ms") if part == "length" else ("evaluations", "contexts", "ms")
        )
        for axis, key in zip(axes[row], keys, strict=True):
            for place, form in enumerate(forms):
                rows = [each for each in found[part] if each["form"] == form]
                axis.plot(
                    [each[at] for each in rows],
                    [each[key] for each in rows],
                    color=COLOURS[place],
                    marker=MARKS[place],
                    markersize=5,
                    label=form,
                )
            if key != "ms":
                axis.set_ylim(bottom=0)
    lengths = range(1, 9)
    # All drafts of as many letters as the token has, every one asked for each of its letters.
    axes[0][0].plot(
        lengths, [n * LETTERS**n for n in lengths], ":", color="#222222", label="definition"
    )
    axes[0][0].set(yscale="log", ylim=(0.8, 1e16), ylabel="drafter contexts for one psi(t)")
    axes[0][1].set(ylabel="drafter passes for one psi(t)")
    axes[0][2].set(yscale="log", ylabel="ms for one psi(t), caches empty")
    sizes = [each for each in found["size"] if each["form"] == "spelled"]
    axes[1][0].set(ylabel="psi evaluations a round")
    axes[1][1].set(ylabel="drafter contexts a round")
    axes[1][2].plot(
        [each["ids"] for each in sizes],
        [each["softmax_ms"] for each in sizes],
        ":",
        color="#222222",
        label="one softmax over |T|",
    )
    axes[1][2].set(yscale="log", ylabel="ms a round, the models' passes left out")
    for axis in axes[0]:
        axis.set_xlabel("length of t in drafter ids")
    for axis in axes[1]:
        axis.set(xscale="log", xlabel="target ids")
    for axis in (axes[0][0], axes[1][2]):
        axis.legend(fontsize=8)
    written(figure, path)


def tokens(sources: list[str], path: str) -> None:
    """Acceptance, and tokens for each target pass at the best lookahead, with intervals."""
    reports = [json.loads(Path(source).read_text(encoding="utf-8")) for source in sources]
    shrunk = all(report["shrink"] for report in reports)
    figure, axes = pyplot.subplots(
        len(reports),
        3 if shrunk else 2,
        figsize=(13 if shrunk else 9.5, 3.9 * len(reports)),
        layout="constrained",
        squeeze=False,
    )
    for row, report in zip(axes, reports, strict=True):
        first = {each["algorithm"]: each["acceptance"] for each in report["acceptance"]}
        best: dict[str, Any] = {}
        for each in report["predictions"]:
            held = best.get(each["algorithm"])
            if held is None or each["tokens_per_pass"]["value"] > held["tokens_per_pass"]["value"]:
                best[each["algorithm"]] = each
        names = [name for name in first if name in ("tli", "slem") or name.startswith("slrs")]
        drafter = report["drafters"][0]["name"]
        dots(row[0], names, [first[name] for name in names])
        row[0].set(title=drafter, xlabel="acceptance of the first candidate", xlim=(0, None))
        dots(row[1], names, [best[name]["tokens_per_pass"] for name in names])
        row[1].set(xlabel="tokens for each target pass, best lookahead")
        if shrunk:
            fewer(row[2], report["shrink"][0], best)
    written(figure, path)


def dots(axis: Any, names: list[str], numbers: list[dict[str, Any]]) -> None:
    """A dot and an interval for each name."""
    for place, (name, number) in enumerate(zip(names, numbers, strict=True)):
        colour = {"tli": "#d55e00", "slem": "#0072b2"}.get(name, "#009e73")
        if number["low"] is not None:
            axis.plot([number["low"], number["high"]], [place, place], color=colour, linewidth=1.5)
        axis.plot(number["value"], place, "o", color=colour)
    axis.set_yticks(range(len(names)), names)
    axis.invert_yaxis()
    axis.grid(axis="x", color="#eeeeee")


def fewer(axis: Any, found: dict[str, Any], best: dict[str, Any]) -> None:
    """Tokens for each pass where shared tokens are taken away."""
    shares = [100 * share for share in found["fractions"]]
    curve = found["tokens_per_pass"]
    axis.plot(shares, [each["value"] for each in curve["tli"]], "^-", color="#d55e00", label="tli")
    for name, colour in (("slem", "#0072b2"), ("slrs-spelled", "#009e73")):
        axis.axhline(best[name]["tokens_per_pass"]["value"], color=colour, label=name)
    axis.set_xscale("symlog", linthresh=1)
    axis.set_xlim(-0.1, 120)
    axis.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    axis.set(xlabel="shared tokens kept, %", ylabel="tokens for each target pass")
    axis.legend(fontsize=8)


def accepted() -> list[tuple[str, dict[str, float]]]:
    """The first candidate's exact acceptance on every pair of two vocabularies."""
    rows = []
    for each in gallery():
        if each.pair.same_vocabulary:
            continue
        values = {}
        for label, (name, setting, *_) in SERIES.items():
            formula = program(name, setting).acceptance
            if formula is not None and (name != "tli" or each.pair.intersection):
                values[label] = float(formula(each.pair, each.prompt))
        rows.append((each.name, values))
    return rows


def exact(path: str) -> None:
    """The gallery: a dot for each algorithm and pair, the widest lead of SLRS first."""
    rows = accepted()

    def lead(values: dict[str, float]) -> float:
        others = [value for label, value in values.items() if not label.startswith("SLRS")]
        return max(v for label, v in values.items() if label.startswith("SLRS")) - max(others)

    rows.sort(key=lambda row: -lead(row[1]))
    figure, axis = pyplot.subplots(figsize=(8, 9.5), layout="constrained")
    for place, (_, values) in enumerate(rows):
        axis.plot(
            [min(values.values()), max(values.values())], [place] * 2, color="#cccccc", zorder=1
        )
    for label, (*_, colour, mark) in SERIES.items():
        at = [(values[label], n) for n, (_, values) in enumerate(rows) if label in values]
        axis.scatter(
            *zip(*at, strict=True), color=colour, marker=mark, label=label, zorder=2, alpha=0.85
        )
    axis.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=8)
    axis.invert_yaxis()
    axis.set(xlabel="acceptance of the first candidate, exact", xlim=(-0.02, 1.02))
    axis.legend(fontsize=8, loc="lower left")
    written(figure, path)
    wins = [
        sum(lead(values) > 1e-12 for _, values in rows),
        sum(abs(lead(v)) <= 1e-12 for _, v in rows),
    ]
    print(f"{len(rows)} pairs: SLRS ahead of both on {wins[0]}, level on {wins[1]}")
    for mine in ("SLRS, 2 drafts", "SLRS, spelled"):
        for other in ("SLEM", "TLI"):
            gaps = [v[mine] - v[other] for _, v in rows if other in v]
            signs = [sum(gap > 1e-12 for gap in gaps), sum(gap < -1e-12 for gap in gaps)]
            print(
                f"{mine} against {other}: above on {signs[0]}, below on {signs[1]} of {len(gaps)}, "
                f"mean difference {math.fsum(gaps) / len(gaps):+.3f}"
            )


def main() -> None:
    """One picture, as asked for."""
    pyplot.switch_backend("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "draftproof"  # the same picture gives the same file
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["font.sans-serif"] = ["DejaVu Sans"]
    match sys.argv[1:]:
        case ["cost", source, path]:
            cost(source, path)
        case ["tokens", *sources, path] if sources:
            tokens(sources, path)
        case ["gallery", path]:
            exact(path)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

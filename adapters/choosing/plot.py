"""The comparison as a picture: tokens and speedup against lookahead, and the shrinking overlap."""

from __future__ import annotations

from typing import Any

from .comparison import Comparison
from .intervals import Estimate
from .shrunk import Shrunk

#: Colours that differ in brightness too, and a mark each.
STYLES = {
    "tli": ("#d55e00", "^"),
    "slem": ("#0072b2", "D"),
    "slrs": ("#009e73", "o"),
    "slrs-spelled": ("#56b4e9", "P"),
    "slrs-spelled-block": ("#e69f00", "*"),
    "standard": ("#8c8c8c", "s"),
    "block": ("#222222", "v"),
    "exact-match": ("#cc79a7", "x"),
}
#: For stop rules, in the order in which they are named.
RULES = (("#117733", "<"), ("#aa4499", ">"), ("#999933", "p"), ("#882255", "h"))


def styles(found: Comparison) -> dict[str, tuple[str, str]]:
    """Those of all algorithms that were compared; stop rules stand behind the others."""
    names = dict.fromkeys(name for _, name in found.measured)
    rules = [name for name in names if name not in STYLES]
    return STYLES | {name: RULES[place % len(RULES)] for place, name in enumerate(rules)}


def draw(found: Comparison, path: str) -> None:
    """Write the picture to ``path`` (.svg or .png): a row for each drafter."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "draftproof"  # the same picture gives the same file
    from matplotlib import pyplot

    columns = 3 if found.shrunk else 2
    rows = len(found.drafters)
    figure, axes = pyplot.subplots(
        rows, columns, figsize=(4.6 * columns, 3.6 * rows), layout="constrained", squeeze=False
    )
    for drafter, name in enumerate(found.drafters):
        tokens, speedup = axes[drafter][:2]
        for place, (algorithm, (colour, mark)) in enumerate(styles(found).items()):
            made = found.of(drafter, algorithm)
            if not made:
                continue
            at = [each.lookahead for each in made]
            style = {"color": colour, "marker": mark, "markersize": 4, "label": algorithm}
            style["zorder"] = 20 - place  # equal curves hide each other: the first ones lie on top
            _curve(tokens, at, [each.tokens_per_pass for each in made], style)
            _curve(speedup, at, [each.speedup for each in made], style)
        tokens.set(title=f"{name}", ylabel="tokens per target pass", xlabel="lookahead")
        speedup.set(
            title=f"{name} on {found.target}", ylabel="predicted speedup", xlabel="lookahead"
        )
        speedup.axhline(1, color="#222222", linewidth=0.8, linestyle=":")
        tokens.legend(fontsize=8)
        if drafter in found.shrunk:
            _shrunk(axes[drafter][2], found.shrunk[drafter], name)
        elif columns == 3:
            axes[drafter][2].axis("off")
    figure.savefig(path, metadata={"Date": None} if path.lower().endswith(".svg") else None)
    pyplot.close(figure)


def _curve(axis: Any, at: list[int], made: list[Estimate], style: dict[str, Any]) -> None:
    axis.plot(at, [each.value for each in made], **style)
    if len(at) > 1 and all(each.low is not None for each in made):
        low, high = [each.low for each in made], [each.high for each in made]
        axis.fill_between(at, low, high, color=style["color"], alpha=0.12, linewidth=0)
    elif made[0].low is not None:
        axis.vlines(at, [e.low for e in made], [e.high for e in made], color=style["color"])


def _shrunk(axis: Any, found: Shrunk, name: str) -> None:
    shares = [100 * share for share in found.fractions]
    _curve_of_shares(axis, shares, found.tokens.tli, "tli")
    _curve_of_shares(axis, shares, [found.tokens.slem] * len(shares), "slem")
    if found.tokens.crossing is not None:
        where = 100 * found.tokens.crossing.value
        axis.axvline(where, color="#222222", linewidth=0.8, linestyle=":")
    axis.set_xscale("symlog", linthresh=1)
    axis.set_xlim(-0.1, 120)
    axis.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    axis.set(
        title=f"{name}: fewer shared tokens",
        xlabel="shared tokens kept, %",
        ylabel="tokens per target pass, best lookahead",
    )
    axis.legend(fontsize=8)


def _curve_of_shares(axis: Any, at: list[float], made: list[Estimate], algorithm: str) -> None:
    colour, mark = STYLES[algorithm]
    axis.plot(at, [e.value for e in made], color=colour, marker=mark, markersize=4, label=algorithm)
    if all(each.low is not None for each in made):
        low, high = [each.low for each in made], [each.high for each in made]
        axis.fill_between(at, low, high, color=colour, alpha=0.12, linewidth=0)

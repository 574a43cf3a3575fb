"""The comparison as tables."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from .comparison import Comparison
from .intervals import Estimate, remark
from .predictions import acceptance, best_of
from .recommendation import called, said
from .shrunk import Curve, Shrunk


def print_comparison(found: Comparison, out: Console) -> None:
    """Print everything; the recommendation comes last."""
    positions = sum(each["positions"] for each in found.prompts)
    out.print(
        f"{found.target} after {_count(len(found.prompts), 'prompt')}, "
        f"{_count(positions, 'position')} visited",
        highlight=False,
        markup=False,
    )
    for said_first in found.remarks:
        _say(out, f"stop rules are left out: {said_first}")
    _costs(found, out)
    for drafter, name in enumerate(found.drafters):
        _drafter(found, drafter, name, out)
        if drafter in found.shrunk:
            _shrunk(found.shrunk[drafter], out)
    out.print()
    _say(out, remark(len(found.prompts)))
    _say(out, f"recommendation: {found.recommendation.text}")
    if found.check is not None:
        best = found.recommendation.best
        after = found.check.after_prompts
        _say(
            out,
            f"check: {called(best, found.drafters)} was {said(found.check.speedup)} times as fast "
            f"as plain decoding, prompts included"
            + ("" if after is None else f", {said(after)} times after the first round")
            + f", with {said(found.check.tokens_per_pass)} tokens per target pass",
        )


def _costs(found: Comparison, out: Console) -> None:
    table = Table("pass over", "median ms", "quartiles", "of one position", box=None)
    one = found.costs.target[1].median
    for size, timing in found.costs.target.items():
        label = f"{found.target}, {_count(size, 'position')}"
        table.add_row(label, *_timing(timing.median, timing.low, timing.high, one))
    for name, timing in zip(found.drafters, found.costs.drafters, strict=True):
        table.add_row(f"{name}, 1 position", *_timing(timing.median, timing.low, timing.high, one))
    out.print()
    out.print(table, highlight=False, markup=False)


def _timing(median: float, low: float, high: float, one: float) -> tuple[str, str, str]:
    return f"{1e3 * median:.2f}", f"{1e3 * low:.2f} .. {1e3 * high:.2f}", f"{median / one:.2f}"


def _drafter(found: Comparison, drafter: int, name: str, out: Console) -> None:
    pair = found.pairs[drafter]
    shared = (
        "one vocabulary"
        if pair["same_vocabulary"]
        else f"{pair['ids']:,} ids, {pair['shared_ids']:,} of the target's {pair['target_ids']:,} "
        "shared"
    )
    out.print()
    _say(out, f"{name}: {shared}")
    algorithms = [each for d, each in found.measured if d == drafter]
    table = Table(
        "algorithm",
        "acceptance of the first",
        "best lookahead",
        "tokens / target pass",
        "drafter passes",
        "needed",
        "predicted speedup",
        "outside passes",
        box=None,
    )
    most = found.plan.most
    curves = Table("speedup by lookahead", *map(str, range(1, most + 1)), box=None)
    for algorithm in algorithms:
        made = found.of(drafter, algorithm)
        best = best_of(made)
        # Over two vocabularies the standard rule is the paper's union baseline.
        union = algorithm == "standard" and not pair["same_vocabulary"]
        table.add_row(
            "standard (union)" if union else algorithm,
            said(acceptance(found.measured[drafter, algorithm]), 3),
            str(best.lookahead),
            said(best.tokens_per_pass),
            f"{best.drafts:.1f}",
            f"{best.needed:.2f}",
            said(best.speedup),
            f"{found.costs.share(drafter, algorithm):.1%}",
        )
        cells = {each.lookahead: f"{each.speedup.value:.2f}" for each in made}
        if any(k <= most for k in cells):  # a rule's only lookahead may lie beyond
            curves.add_row(algorithm, *(cells.get(k, "") for k in range(1, most + 1)))
    out.print(table, highlight=False, markup=False)
    if most > 1:
        out.print()
        out.print(curves, highlight=False, markup=False)


def _shrunk(found: Shrunk, out: Console) -> None:
    table = Table(
        "shared tokens kept",
        "tokens",
        "TLI accepts",
        "tokens / target pass",
        "predicted speedup",
        box=None,
    )
    curves = (found.acceptance, found.tokens, found.speedup)
    for place, (fraction, size) in enumerate(zip(found.fractions, found.sizes, strict=True)):
        one, two, three = (curve.tli[place] for curve in curves)
        table.add_row(f"{fraction:.0%}", f"{size:,}", said(one, 3), said(two), said(three))
    one, two, three = (curve.slem for curve in curves)
    table.add_row("SLEM, whatever is kept", "", said(one, 3), said(two), said(three))
    out.print()
    out.print(table, highlight=False, markup=False)
    _say(out, f"by the first candidate's acceptance {overtaking(found.acceptance)}")
    _say(out, f"by tokens for each target pass {overtaking(found.tokens)}")
    if found.speedup.slem.value > 1:
        _say(out, f"by predicted speedup {overtaking(found.speedup)}")


def overtaking(curve: Curve) -> str:
    """Where SLEM overtakes TLI."""
    if curve.crossing is not None:
        return f"SLEM overtakes TLI when {_percent(curve.crossing)} of the shared tokens are left"
    if curve.tli[0].value > curve.slem.value:
        return "SLEM overtakes TLI at no share"
    return "SLEM is not behind TLI even with all shared tokens"


def _percent(number: Estimate) -> str:
    if number.low is None or number.high is None:
        return f"{number.value:.1%}"
    return f"{number.value:.1%} [{number.low:.1%}, {number.high:.1%}]"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _say(out: Console, text: str) -> None:
    out.print(text, highlight=False, markup=False)

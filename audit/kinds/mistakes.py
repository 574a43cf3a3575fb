"""The table of mistakes: what was done, where to look, which class of fault, and its law."""

from __future__ import annotations

from .settings import Row
from .wrong_rules import (
    Mistake,
    certain,
    cumulative,
    entropy_cut,
    likeliest,
    longest_prefix,
    normal,
    own,
    ratio,
    residual,
    reused_coin,
    rule,
    shared_coin,
    shared_noise,
    without,
)

_ACCEPT = "the comparison that accepts a draft"
_FINAL = "the draw after a rejection"
_BONUS = "the draw after all drafts are accepted"


def _top_two(row: Row) -> Row:
    cut = sorted(row, reverse=True)[min(1, len(row) - 1)]
    return normal([v if v >= cut else 0.0 for v in row], row)


MISTAKES: tuple[Mistake, ...] = (
    Mistake(
        "drawing from p after a rejection",
        f"{_FINAL}: it must be from max(0, p - q)",
        ("residual",),
        rule(final=own),
    ),
    Mistake(
        "accepting every draft",
        _ACCEPT,
        ("acceptance-rule", "proposal-law"),
        rule(accept=lambda p, q, x, j: 1.0),
    ),
    Mistake(
        "drawing from p without the drafted id after a rejection",
        f"{_FINAL}: leaving out the draft is right only for a certain draft",
        ("residual", "proposal-law"),
        rule(final=lambda p, q, x, j: without(p[j], x[j])),
    ),
    Mistake(
        "using the accept coin again to draw after a rejection",
        f"the coins: {_FINAL} needs one of its own",
        ("coupled-randomness", "residual"),
        reused_coin,
    ),
    Mistake(
        "using the drafter's noise again to draw after a rejection",
        "the noise of drafts and of the residual: they need generators of their own",
        ("coupled-randomness", "residual"),
        shared_noise,
    ),
    Mistake(
        "using one coin for all positions",
        "the coins: every position needs one of its own",
        ("coupled-randomness", "acceptance-rule"),
        shared_coin,
    ),
    Mistake(
        "never verifying the first draft",
        f"{_ACCEPT}: its loop starts one too late",
        ("acceptance-rule", "position-shift"),
        rule(accept=lambda p, q, x, j: 1.0 if j == 0 else ratio(p, q, x, j)),
    ),
    Mistake(
        "never verifying the last draft",
        f"{_ACCEPT}: its loop ends one too early",
        ("acceptance-rule", "position-shift"),
        rule(accept=lambda p, q, x, j: 1.0 if j == len(x) - 1 else ratio(p, q, x, j)),
    ),
    Mistake(
        "emitting the next row's draw after a rejection",
        f"{_FINAL}: its row is conditioned on the rejected draft",
        ("position-shift", "residual"),
        rule(final=lambda p, q, x, j: p[j + 1]),
    ),
    Mistake(
        "drawing the bonus token from the row before",
        f"{_BONUS}: its row is one too early",
        ("position-shift", "target-law"),
        rule(bonus=lambda p, q, x, j: p[max(j - 1, 0)]),
    ),
    Mistake(
        "drawing the bonus token from the first row",
        f"{_BONUS}: its row",
        ("position-shift", "target-law"),
        rule(bonus=lambda p, q, x, j: p[0]),
    ),
    Mistake(
        "always drawing id 0 after a rejection",
        _FINAL,
        ("residual", "numerical-edge"),
        rule(final=lambda p, q, x, j: certain(0, p[j])),
    ),
    Mistake(
        "giving the rejected id after a rejection",
        _FINAL,
        ("residual", "numerical-edge"),
        rule(final=lambda p, q, x, j: certain(x[j], p[j])),
    ),
    Mistake(
        "giving the likeliest id of the residual",
        f"{_FINAL}: it is a draw, not a maximum",
        ("residual",),
        rule(final=lambda p, q, x, j: likeliest(residual(p, q, x, j))),
    ),
    Mistake(
        "giving the likeliest id after a rejection",
        f"{_FINAL}: it is a draw, not a maximum",
        ("residual", "target-law"),
        rule(final=lambda p, q, x, j: likeliest(p[j])),
    ),
    Mistake(
        "giving the likeliest bonus token",
        f"{_BONUS}: it is a draw, not a maximum",
        ("target-law", "residual"),
        rule(bonus=lambda p, q, x, j: likeliest(p[j])),
    ),
    Mistake(
        "greedy decoding",
        "the target's law: a maximum is taken where a draw is due",
        ("target-law", "acceptance-rule"),
        rule(
            lambda p, q, x, j: likeliest(p[j])[x[j]],
            lambda p, q, x, j: likeliest(p[j]),
            lambda p, q, x, j: likeliest(p[j]),
        ),
    ),
    Mistake(
        "accepting the likeliest id and nothing else",
        _ACCEPT,
        ("acceptance-rule",),
        rule(accept=lambda p, q, x, j: likeliest(p[j])[x[j]]),
    ),
    Mistake(
        "drawing from q after a rejection",
        f"{_FINAL}: p and q are exchanged",
        ("residual",),
        rule(final=lambda p, q, x, j: q[j]),
    ),
    Mistake(
        "drawing from max(0, q - p) after a rejection",
        f"{_FINAL}: p and q are exchanged",
        ("residual",),
        rule(final=lambda p, q, x, j: residual(q, p, x, j)),
    ),
    Mistake(
        "drawing from |p - q| after a rejection",
        f"{_FINAL}: negative parts are to be dropped",
        ("residual",),
        rule(
            final=lambda p, q, x, j: normal(
                [abs(a - b) for a, b in zip(p[j], q[j], strict=True)], p[j]
            )
        ),
    ),
    Mistake(
        "drawing evenly after a rejection",
        _FINAL,
        ("residual",),
        rule(final=lambda p, q, x, j: normal([1.0] * len(p[j]), p[j])),
    ),
    Mistake(
        "accepting with probability p, not p / q",
        f"{_ACCEPT}: q is missing",
        ("acceptance-rule", "proposal-law"),
        rule(accept=lambda p, q, x, j: p[j][x[j]]),
    ),
    Mistake(
        "accepting with probability q / p",
        f"{_ACCEPT}: p and q are exchanged",
        ("acceptance-rule",),
        rule(accept=lambda p, q, x, j: min(1.0, q[j][x[j]] / p[j][x[j]]) if p[j][x[j]] else 1.0),
    ),
    Mistake(
        "accepting with probability 1 - p / q",
        f"{_ACCEPT}: it points the wrong way",
        ("acceptance-rule",),
        rule(accept=lambda p, q, x, j: 1 - ratio(p, q, x, j)),
    ),
    Mistake(
        "accepting wherever p is at least q",
        f"{_ACCEPT}: there is no coin in it",
        ("acceptance-rule",),
        rule(accept=lambda p, q, x, j: float(p[j][x[j]] >= q[j][x[j]])),
    ),
    Mistake(
        "accepting wherever p is positive",
        f"{_ACCEPT}: there is no coin in it",
        ("acceptance-rule", "proposal-law"),
        rule(accept=lambda p, q, x, j: float(p[j][x[j]] > 0)),
    ),
    Mistake(
        "typical acceptance, without a coin",
        f"{_ACCEPT}: declare it with f.relaxed",
        ("acceptance-rule", "relaxed-by-design"),
        rule(
            lambda p, q, x, j: float(p[j][x[j]] > entropy_cut(p[j])),
            lambda p, q, x, j: likeliest(p[j]),
            own,
        ),
    ),
    Mistake(
        "typical acceptance, drawing from p after a rejection",
        f"{_ACCEPT}: declare it with f.relaxed",
        ("acceptance-rule", "relaxed-by-design"),
        rule(lambda p, q, x, j: float(p[j][x[j]] > entropy_cut(p[j])), own, own),
    ),
    Mistake(
        "accepting where p is at least 1/4",
        f"{_ACCEPT}: declare it with f.relaxed",
        ("acceptance-rule", "relaxed-by-design"),
        rule(accept=lambda p, q, x, j: float(p[j][x[j]] >= 0.25), final=own),
    ),
    Mistake(
        "accepting where p is at least 1/4, greedy after a rejection",
        f"{_ACCEPT}: declare it with f.relaxed",
        ("acceptance-rule", "relaxed-by-design"),
        rule(lambda p, q, x, j: float(p[j][x[j]] >= 0.25), lambda p, q, x, j: likeliest(p[j])),
    ),
    Mistake(
        "multiplying ratios up along the draft, position by position",
        f"{_ACCEPT}: a cumulative product needs block verification's residual",
        ("block-or-tree", "acceptance-rule"),
        rule(accept=cumulative),
    ),
    Mistake(
        "keeping the longest prefix whose cumulative ratio passes, with the token's residual",
        f"{_FINAL}: a cumulative product needs block verification's residual",
        ("block-or-tree", "residual"),
        longest_prefix,
    ),
    Mistake(
        "scoring with q one row late",
        f"{_ACCEPT} and the residual: rows of q",
        ("position-shift", "proposal-law"),
        lambda p, q, x: rule()(p, [q[max(j - 1, 0)] for j in range(len(q))], x),
    ),
    Mistake(
        "verifying every draft with the row before its own",
        "the target's rows: one too early",
        ("position-shift", "target-law"),
        lambda p, q, x: rule()([p[max(j - 1, 0)] for j in range(len(p))], q, x),
    ),
    Mistake(
        "verifying every draft with the row after its own",
        "the target's rows: one too late",
        ("position-shift", "target-law"),
        lambda p, q, x: rule()([p[min(j + 1, len(p) - 1)] for j in range(len(p))], q, x),
    ),
    Mistake(
        "drafting the likeliest id and scoring it with q",
        "the drafts: they are not drawn from the q that scores them",
        ("proposal-law",),
        rule(),
        likeliest,
    ),
    Mistake(
        "drafting from the two likeliest ids and scoring with the whole q",
        "the drafts: they are not drawn from the q that scores them",
        ("proposal-law",),
        rule(),
        _top_two,
    ),
    Mistake(
        "drafting from an even law and scoring with q",
        "the drafts: they are not drawn from the q that scores them",
        ("proposal-law",),
        rule(),
        lambda row: normal([1.0] * len(row), row),
    ),
)

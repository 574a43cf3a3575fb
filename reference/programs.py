"""The built-in algorithms by name, with all settings fixed: what the audit and `trace` run.

A `Program` is an algorithm's round with its lookahead or stop rule bound, beside the acceptance
that the paper's Table 3 gives for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from .autoregressive import autoregressive_round
from .block_verification import block_acceptance, block_round
from .chance import Chance
from .exact import Rational
from .exact_match import exact_match_acceptance, exact_match_round
from .models import Ids
from .pair import Pair
from .rounds import Round
from .slem import slem_acceptance, slem_round
from .slrs import slrs_acceptance, slrs_round
from .slrs_block import slrs_block_round
from .slrs_spelled import spelled_acceptance, spelled_round
from .slrs_spelled_block import spelled_block_round
from .standard import standard_acceptance, standard_round
from .stop_rules import Fixed, StopRule, stop_rule
from .tli import tli_acceptance, tli_round
from .union import union_acceptance, union_round

Acceptance = Callable[[Pair, Ids], Rational]
TokenRound = Callable[[Pair, Ids, int, Chance], Round]


@dataclass(frozen=True)
class Program:
    """One round of an algorithm, its settings fixed.

    Attributes:
        name: the algorithm, one of `ALGORITHMS`.
        run_round: ``run_round(pair, context, chance, state) -> Round``.
        lookahead: the largest number of drafts; None for autoregressive decoding.
        stop_rule: the form's slug for string-level algorithms ("fixed:2/one-token"), else None.
        acceptance: Table 3's formula for the first candidate; None where there is none.
    """

    name: str
    run_round: Callable[[Pair, Ids, Chance, Hashable], Round]
    lookahead: int | None = None
    stop_rule: str | None = None
    acceptance: Acceptance | None = None


TOKEN_LEVEL: dict[str, tuple[TokenRound, Acceptance]] = {
    "exact-match": (exact_match_round, exact_match_acceptance),
    "standard": (standard_round, standard_acceptance),
    "block": (block_round, block_acceptance),
    "union": (union_round, union_acceptance),
    "tli": (tli_round, tli_acceptance),
}

#: In the order of the contract.
ALGORITHMS = (
    "autoregressive",
    "exact-match",
    "standard",
    "block",
    "union",
    "slem",
    "slrs",
    "tli",
)


def autoregressive() -> Program:
    """Plain decoding."""
    return Program(
        "autoregressive",
        lambda pair, context, chance, _: autoregressive_round(pair, context, chance),
    )


def token_level(name: str, lookahead: int) -> Program:
    """One of `TOKEN_LEVEL` with at most ``lookahead`` drafts a round."""
    round_of, acceptance = TOKEN_LEVEL[name]
    return Program(
        name,
        lambda pair, context, chance, _: round_of(pair, context, lookahead, chance),
        lookahead,
        Fixed(lookahead).slug,
        acceptance,
    )


def slem(rule: StopRule, look_behind: int | None = None) -> Program:
    """Algorithm 2 under ``rule``, realigning over ``look_behind`` target ids if given."""
    return Program(
        "slem",
        lambda pair, context, chance, state: slem_round(
            pair, context, rule, chance, look_behind, state
        ),
        rule.cap,
        rule.slug if look_behind is None else f"{rule.slug}/look-behind:{look_behind}",
        None if look_behind else lambda pair, context: slem_acceptance(pair, context, rule),
    )


def slrs(rule: StopRule, one_token: bool = False) -> Program:
    """Algorithm 3 under ``rule``: several tokens a round, or one as in the box."""
    return Program(
        "slrs",
        lambda pair, context, chance, _: slrs_round(pair, context, rule, chance, one_token),
        rule.cap,
        f"{rule.slug}/one-token" if one_token else rule.slug,
        lambda pair, context: slrs_acceptance(pair, context, rule),
    )


def slrs_block(rule: StopRule) -> Program:
    """Algorithm 3 under ``rule`` with block verification."""
    return Program(
        "slrs",
        lambda pair, context, chance, _: slrs_block_round(pair, context, rule, chance),
        rule.cap,
        f"{rule.slug}/block",
        lambda pair, context: slrs_acceptance(pair, context, rule),
    )


def slrs_spelled(tokens: int, block: bool = False) -> Program:
    """Algorithm 3 with at most ``tokens`` spelled proposals a round, one by one or as a block."""
    round_of = spelled_block_round if block else spelled_round
    return Program(
        "slrs",
        lambda pair, context, chance, _: round_of(pair, context, tokens, chance),
        tokens,
        f"spelled:{tokens}/block" if block else f"spelled:{tokens}",
        spelled_acceptance,
    )


def program(name: str, form: str | int) -> Program:
    """The algorithm called ``name`` in a given form.

    ``form`` is a fixed lookahead, or a slug as `Program.stop_rule` has it: "fixed:2"; for
    string-level algorithms any that `stop_rule` reads ("characters:3/cap:5"); "fixed:2/one-token",
    "fixed:2/block", "spelled:2" and "spelled:2/block" (SLRS); "fixed:2/look-behind:3" (SLEM).

    Raises:
        ValueError: for a name that is not in `ALGORITHMS`, a form that the algorithm does not have,
            or a number below one.
    """
    if name not in ALGORITHMS:
        raise ValueError(f"no algorithm is called {name!r}; there are {', '.join(ALGORITHMS)}")
    slug = Fixed(form).slug if isinstance(form, int) else str(form)
    if name == "autoregressive":
        stop_rule(slug)  # it drafts nothing, under whatever rule; but a rule it must be
        return autoregressive()
    if name == "slrs" and slug.endswith("/one-token"):
        return slrs(stop_rule(slug.removesuffix("/one-token")), one_token=True)
    if name == "slrs" and (match := re.fullmatch(r"spelled:([1-9][0-9]*)(/block)?", slug)):
        return slrs_spelled(int(match[1]), block=match[2] is not None)
    if name == "slrs" and slug.endswith("/block"):
        return slrs_block(stop_rule(slug.removesuffix("/block")))
    if name == "slem" and (match := re.fullmatch(r"(.+)/look-behind:([1-9][0-9]*)", slug)):
        return slem(stop_rule(match[1]), int(match[2]))
    rule = stop_rule(slug)
    if name in ("slem", "slrs"):
        return slem(rule) if name == "slem" else slrs(rule)
    if not isinstance(rule, Fixed):
        raise ValueError(f"{name} drafts tokens, so its lookahead is fixed:K, not {slug!r}")
    return token_level(name, rule.drafts)


def forms(name: str, lookahead: int) -> tuple[str, ...]:
    """The forms of an algorithm that an audit with at most ``lookahead`` drafts goes through."""
    fixed = Fixed(lookahead).slug
    by_length = (f"characters:2/cap:{lookahead}",) if lookahead > 1 else ()
    if name == "slem":
        # Carried states multiply the contexts: realignment is looked at with few drafts.
        look_behind = (f"{fixed}/look-behind:2",) if lookahead < 3 else ()
        return (fixed, *look_behind, *by_length)
    if name == "slrs":
        # Rules that look at the target's vocabulary differ from two drafts on.
        by_tokens = (
            (
                f"tokens:2/cap:{lookahead}",
                f"determined:1/cap:{lookahead}",
                f"lookup:2/cap:{lookahead}",
                f"longest:{lookahead}",
            )
            if lookahead == 2
            else ()
        )
        spelled = (f"spelled:{lookahead}", f"spelled:{lookahead}/block") if lookahead < 3 else ()
        return (
            fixed,
            f"{fixed}/one-token",
            f"{fixed}/block",
            *by_length,
            *by_tokens,
            *spelled,
        )
    return (fixed,)

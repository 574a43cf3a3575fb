"""One prompt's figures: its text is visited position by position, for each algorithm and lookahead.

Everything is kept as sums over positions, and sums of sums over prompts are all that a prediction
needs. Prompts, not positions, are what repeats independently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
import torch

from ...reference.chance import Chance
from .continuations import Continuation
from .figures import Figures
from .given_text import RULES, kept
from .measured_rounds import Spent, What, between, spent
from .ruled import ruled
from .spelled import SPELLED, spelled
from .strings import Drafted, drafted
from .subject import Subject

Numbers = Any  # a numpy array of floats


@dataclass
class _Place:
    """What is known of one position."""

    draft: Drafted
    drafts: dict[str, list[float]] = field(default_factory=dict)
    read: dict[str, list[float]] = field(default_factory=dict)
    more: dict[str, list[float]] = field(default_factory=dict)
    open: dict[str, float] = field(default_factory=dict)
    acceptance: dict[str, float] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)


def visited(
    subject: Subject,
    text: Continuation,
    chance: Chance,
    step: Callable[[], None] = lambda: None,
) -> tuple[dict[str, Figures], list[Figures]]:
    """The figures of every algorithm on ``text``, and TLI's for each subset of the shared tokens.

    Args:
        subject: the pair.
        text: what its target wrote, with `Subject.margin` ids behind the last position.
        chance: draws SLEM's drafts, and which of several ids with one meaning was drafted.
        step: called after each position.

    Returns:
        Figures by algorithm; and, where the subject is to shrink, TLI's by subset.
    """
    places: list[_Place] = []
    rounds = spent(subject.memories, subject.measured, text, subject.seed)
    for position, costs in enumerate(rounds):
        places.append(_place(subject, text, position, chance, costs))
        step()
    found = {name: _figures(subject, places, name) for name in subject.algorithms}
    return found, [_figures(subject, places, name) for name in subject.subsets]


def _figures(subject: Subject, places: Sequence[_Place], name: str) -> Figures:
    lookaheads = subject.lookaheads(name)
    figures = Figures(len(places), sum(place.acceptance[name] for place in places), lookaheads)
    figures.open = max((place.open.get(name, 0.0) for place in places), default=0.0)
    whole = name == "slrs" or name in subject.rules
    nothing = [0.0] * len(lookaheads)
    for k, drafts in enumerate(lookaheads):
        kept_first = None if whole else drafts
        figures.add(
            [_given_text(place, name, drafts, kept_first) for place in places],
            numpy.array([_tokens(place, name, drafts, kept_first) for place in places]),
            numpy.array([place.drafts[name][k] for place in places]),
            numpy.array([place.read[name][k] for place in places]),
            numpy.array([place.more.get(name, nothing)[k] for place in places]),
        )
    return figures


def _place(
    subject: Subject,
    text: Continuation,
    position: int,
    chance: Chance,
    costs: Mapping[What, Spent],
) -> _Place:
    pair, most = subject.pair, subject.most
    context = text.context(position)
    future = text.future(position, most)
    p = torch.stack([law.row for law in text.laws[position : position + len(future)]])

    # By way of text.
    psi_after = subject.one_draft.after(context)
    psi = psi_after(()).row.to(p.device)
    agrees = p[0] * psi
    first = float(agrees.sum() - agrees[sorted(text.ends)].sum())
    draft = drafted(pair, text, position, most, chance, first)
    place = _Place(draft)
    place.acceptance["slem"] = float(agrees.sum())
    place.acceptance["slrs"] = float(torch.minimum(p[0], psi).sum())
    place.kept["slrs"] = _slrs(text, position, psi_after)
    made = [float(min(len(draft.drafter_ids), k)) for k in range(1, most + 1)]
    place.drafts["slem"] = place.drafts["slrs"] = made
    place.read["slem"] = place.read["slrs"] = [float(len(each)) for each in draft.candidates]
    spelling = spelled(pair, text, position, most)
    for name, given in zip(SPELLED, (spelling.kept, spelling.together), strict=True):
        place.acceptance[name], place.kept[name] = spelling.acceptance, given
    for name in subject.rules:
        rule = ruled(subject.program(name).text_rule, text, position)
        place.acceptance[name], place.kept[name] = rule.acceptance, rule.kept
        place.open[name] = rule.open
    for name in (*SPELLED, *subject.rules):
        each = between(costs, name, subject.lookaheads(name))
        place.drafts[name] = [one.passes for one in each]
        place.more[name] = [one.more for one in each]
        place.read[name] = [one.read for one in each]

    # The drafter along the text.
    read = pair.drafter_context(context)
    laws = [] if read is None else subject.drafter.laws(read, future, chance)
    rows = {"standard": torch.zeros_like(p)}
    if laws:
        rows["standard"] = subject.drafter.as_target_ids(laws, len(future), mask=False)
    rows["block"] = rows["exact-match"] = rows["standard"]
    if "tli" in subject.algorithms:
        rows["tli"] = (
            subject.drafter.as_target_ids(laws, len(future), mask=True) if laws else rows["block"]
        )
    if subject.shrinking is not None:
        for subset, name in enumerate(subject.subsets):
            rows[name] = subject.shrinking.laws(rows["standard"], subset)
    for name, q in rows.items():
        place.kept[name] = kept(p, q, future, text.ends, RULES.get(name, "each"))
        both = torch.minimum(p[0], q[0]) if name != "exact-match" else p[0] * q[0]
        place.acceptance[name] = float(both.sum())
        place.drafts[name], place.read[name] = (
            _drawn(subject, draft)
            if name in ("standard", "block", "exact-match")
            else _all_drawn(subject.most, bool(q[0].any()))
        )
    return place


def _all_drawn(most: int, any_mass: bool) -> tuple[list[float], list[float]]:
    """Drafts, and ids verified, of TLI's rounds, for each lookahead: as many as there may be.

    There are fewer behind an end of sequence, which is left out here.
    """
    counts = [float(k if any_mass else 0) for k in range(1, most + 1)]
    return counts, counts


def _drawn(subject: Subject, draft: Drafted) -> tuple[list[float], list[float]]:
    """The same of rounds that draft from q as it is: the draft tells."""
    pair, most = subject.pair, subject.most
    drawn = verified = 0
    for d in draft.drafter_ids:
        token = pair.union_id(d)
        drawn += 1
        verified += token < pair.target.size
        if token >= pair.target.size or token == pair.end_of_sequence:
            break
    counts = range(1, most + 1)
    return [min(drawn, k) for k in counts], [min(verified, k) for k in counts]


def _slrs(text: Continuation, position: int, psi_after: Callable[..., Any]) -> Any:
    future = text.ids[position:]
    p: list[torch.Tensor] = []
    laws: list[torch.Tensor] = []
    for place, law in enumerate(text.laws[position:]):
        row = psi_after(future[:place]).row
        if not bool(row.any()):
            break
        p.append(law.row)
        laws.append(row.to(law.row.device))
    if not p:
        return None
    return kept(torch.stack(p), torch.stack(laws), future[: len(p)], text.ends)


def _given_text(place: _Place, name: str, drafts: int, first: int | None) -> Numbers:
    """a_1, a_2, .., the ``first`` of them where drafts are what is kept."""
    if name == "slem":
        return numpy.ones(place.draft.agreed[drafts - 1])
    return numpy.zeros(0) if place.kept[name] is None else place.kept[name].text[:first]


def _tokens(place: _Place, name: str, drafts: int, first: int | None) -> float:
    if name == "slem":
        return place.draft.tokens[drafts - 1]
    return 1.0 if place.kept[name] is None else 1.0 + float(place.kept[name].before[:first].sum())

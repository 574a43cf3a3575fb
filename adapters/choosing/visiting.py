"""One prompt's figures: its text is visited position by position, for each algorithm and lookahead.

Everything is kept as sums over positions, and sums of sums over prompts are all that a prediction
needs. Prompts, not positions, are what repeats independently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy
import torch

from ...reference.chance import Chance
from ...reference.pair import Pair
from ..decoding.one_draft import OneDraft
from .continuations import Continuation
from .given_text import RULES, Drafter, kept
from .shrinking import Shrinking
from .spelled import spelled
from .starts import round_starts
from .strings import Drafted, drafted

Numbers = Any  # a numpy array of floats

#: In the order of tables. Over two vocabularies the union baseline is "standard"; over one, TLI is.
ALGORITHMS = ("tli", "slem", "slrs", "slrs-spelled", "standard", "block", "exact-match")
#: What "slrs" drafts: its psi is known as a row. Spelled proposals are an algorithm beside it.
SLRS_DRAFTS = 1
#: Candidates of one draft that are followed behind the last position.
LONGEST = 16


@dataclass
class Figures:
    """Sums over the visited positions of one prompt, for one drafter and algorithm.

    Attributes:
        positions: how many there are.
        acceptance: sum of the exact acceptances of the first candidate.
        lookaheads: the numbers of drafts that the lists below are for.
        tokens_anywhere: for each lookahead the sum over positions of a round's expected tokens.
        rounds: for each the expected number of rounds that begin on these positions.
        tokens: for each the expected tokens that these emit.
        drafts: for each the drafts that they make.
        passes: for each, by the number of positions of a target pass, how many passes there are.
    """

    positions: int
    acceptance: float
    lookaheads: tuple[int, ...]
    tokens_anywhere: list[float] = field(default_factory=list)
    rounds: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    drafts: list[float] = field(default_factory=list)
    passes: list[Counter[int]] = field(default_factory=list)

    def add(
        self, kept_given_text: Sequence[Numbers], tokens: Numbers, drafts: Numbers, read: Numbers
    ) -> None:
        """One lookahead more.

        Args:
            kept_given_text: for each position a_1, a_2, ..
            tokens: [positions], expected tokens of a round that begins there.
            drafts: [positions], drafts of it. read: [positions], target ids verified in its pass.
        """
        starts = round_starts(kept_given_text)
        self.tokens_anywhere.append(float(numpy.sum(tokens)))
        self.rounds.append(float(starts.sum()))
        self.tokens.append(float((starts * tokens).sum()))
        self.drafts.append(float((starts * drafts).sum()))
        passes: Counter[int] = Counter()
        for candidates, weight in zip(read, starts, strict=True):
            passes[int(candidates) + 1] += float(weight)  # pyright: ignore[reportArgumentType]
        self.passes.append(passes)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: means over positions, and per round."""
        rounds = self.rounds
        return {
            "positions": self.positions,
            "acceptance": self.acceptance / self.positions,
            "lookaheads": list(self.lookaheads),
            "rounds": rounds,
            "tokens_per_pass": [t / r for t, r in zip(self.tokens, rounds, strict=True)],
            "tokens_per_pass_from_any_position": [t / self.positions for t in self.tokens_anywhere],
            "drafts_per_round": [d / r for d, r in zip(self.drafts, rounds, strict=True)],
            "positions_per_pass": [
                sum(n * weight for n, weight in each.items()) / r
                for each, r in zip(self.passes, rounds, strict=True)
            ],
        }


class Subject:
    """A pair as it is measured: what is found once for it is kept."""

    def __init__(self, pair: Pair, most: int, shrinking: Shrinking | None = None) -> None:
        self.pair = pair
        self.most = most
        self.drafter = Drafter(pair)
        self.shrinking = shrinking

    @cached_property
    def one_draft(self) -> OneDraft:
        """psi of one draft."""
        return OneDraft(self.pair)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Those that differ on this pair and can run."""
        left_out = "tli" if self.pair.same_vocabulary or not self.pair.intersection else None
        return tuple(name for name in ALGORITHMS if name != left_out)

    @property
    def subsets(self) -> tuple[str, ...]:
        """Names for TLI with each subset of the shared tokens; none unless they shrink."""
        count = 0 if self.shrinking is None else len(self.shrinking.sizes)
        return tuple(f"tli/{place}" for place in range(count))

    @property
    def margin(self) -> int:
        """Ids wanted behind the last position: as many as a round there can keep, less one.

        Of one draft's candidates at most `LONGEST` are followed; a token that makes more is a
        curiosity (long runs of spaces), and keeping all of them is rarer still.
        """
        longest = max(map(len, self.one_draft.candidates), default=1)
        return max(self.most, min(longest, LONGEST)) - 1


@dataclass
class _Place:
    """What is known of one position."""

    draft: Drafted
    drafts: dict[str, list[int]] = field(default_factory=dict)
    read: dict[str, list[int]] = field(default_factory=dict)
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
    for position in range(text.positions):
        places.append(_place(subject, text, position, chance))
        step()
    found = {name: _figures(places, name, subject.most) for name in subject.algorithms}
    return found, [_figures(places, name, subject.most) for name in subject.subsets]


def _figures(places: Sequence[_Place], name: str, most: int) -> Figures:
    lookaheads = tuple(range(1, 1 + (SLRS_DRAFTS if name == "slrs" else most)))
    figures = Figures(len(places), sum(place.acceptance[name] for place in places), lookaheads)
    for drafts in lookaheads:
        figures.add(
            [_given_text(place, name, drafts) for place in places],
            numpy.array([_tokens(place, name, drafts) for place in places]),
            numpy.array([place.drafts[name][drafts - 1] for place in places]),
            numpy.array([place.read[name][drafts - 1] for place in places]),
        )
    return figures


def _place(subject: Subject, text: Continuation, position: int, chance: Chance) -> _Place:
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
    made = [min(len(draft.drafter_ids), k) for k in range(1, most + 1)]
    place.drafts["slem"] = place.drafts["slrs"] = made
    place.read["slem"] = place.read["slrs"] = [len(each) for each in draft.candidates]
    spelling = spelled(pair, text, position, most)
    place.acceptance["slrs-spelled"] = spelling.acceptance
    place.kept["slrs-spelled"] = spelling.kept
    place.drafts["slrs-spelled"], place.read["slrs-spelled"] = spelling.drafts, spelling.read

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


def _all_drawn(most: int, any_mass: bool) -> tuple[list[int], list[int]]:
    """Drafts, and ids verified, of TLI's rounds, for each lookahead: as many as there may be.

    There are fewer behind an end of sequence, which is left out here.
    """
    counts = [k if any_mass else 0 for k in range(1, most + 1)]
    return counts, counts


def _drawn(subject: Subject, draft: Drafted) -> tuple[list[int], list[int]]:
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


def _given_text(place: _Place, name: str, drafts: int) -> Numbers:
    if name == "slem":
        return numpy.ones(place.draft.agreed[drafts - 1])
    if place.kept[name] is None:
        return numpy.zeros(0)
    given = place.kept[name].text
    return given if name == "slrs" else given[:drafts]


def _tokens(place: _Place, name: str, drafts: int) -> float:
    if name == "slem":
        return place.draft.tokens[drafts - 1]
    if place.kept[name] is None:
        return 1.0
    before = place.kept[name].before
    return 1.0 + float(before.sum() if name == "slrs" else before[:drafts].sum())

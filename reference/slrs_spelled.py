"""SLRS with spelled proposals: the drafter spells target tokens, one after the other.

**Emits** between one token and the number of candidates plus one.
**Preconditions** none; a target token that the drafter cannot spell is never proposed.
**Expected acceptance** of the first candidate: sum min(p, psi), psi the law below.
**Theorem** lossless: given all that was drafted before it, candidate t_k was drawn from psi_k, so
accepting it with min(1, p/psi_k), else drawing from the residual, gives p.
**Proof** docs/slrs-in-practice.md, "Spelled proposals".

**The box.** Each token of T has at most one spelling, its text in drafter ids. For drafts u, let
C(u) be the ids d for which u d begins a spelling.
1. Spell t_1: with u empty at first,
   a. where u is a spelling, draw d ~ q; if d is not in C(u), stop: t_1 is what u spells, or what
      u less its last space spells, if a token of T begins with that space and d;
   b. where it is not, draw d from q given C(u); if that has no mass there is no proposal;
   c. go on with u d.
2. Spell t_2 behind it, and so on, up to the lookahead. One target pass.
3. psi_k(t) is the product of these draws' probabilities along the spelling of t; the last factor is
   the probability to stop there. Where t and a space are a token too, the way to stop behind that
   space and give it back is added.
4. Verify as in `slrs`: accept with min(1, p/psi_k), else the residual by kept draws.

So psi of a token costs as many rows of the drafter as it has drafter ids, and one or two more, in
one pass, whatever the vocabularies' sizes. (Byte-pair tokenizers cut a line's indentation before
its last space, which is why 1.a gives one back; a rule without that is as lossless, and accepts
less.) The probabilities of all tokens sum to one, but for 1.b. The end of sequence is
spelled by the drafter's own, where both have one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .chance import Chance
from .distribution import Distribution, DistributionError, ratio
from .exact import ZERO, Rational
from .models import Ids
from .pair import Pair
from .rounds import Round, finish
from .tokenizers import EncodeError, id_of_bytes


@dataclass(frozen=True)
class Node:
    """Drafts that begin a spelling.

    Attributes:
        token: the target token that they spell, or None.
        inside: C(u), drafter ids.
        giving_back: ids that stop here and give the last space back.
    """

    token: int | None
    inside: frozenset[int]
    giving_back: frozenset[int]

    def stops(self, q: Distribution[int]) -> Any:
        """The probability to stop here and give nothing back."""
        if not self.inside and not self.giving_back:
            return 1
        return 1 - q.mass_of(self.inside) - self.gives_back(q)

    def gives_back(self, q: Distribution[int]) -> Any:
        """The probability to stop here and give the last space back."""
        return q.mass_of(self.giving_back) if self.giving_back else 0

    def goes_on(self, q: Distribution[int], d: int) -> Any:
        """The probability to go on with ``d``: of q, or of q given C(u) where u is no spelling."""
        if self.token is not None:
            return q[d]
        inside = q.mass_of(self.inside)
        return 0 if inside == 0 else q[d] / inside


class Spellings:
    """The tree of spellings.

    Attributes:
        of_token: the spelling of every target token that has one.
        space: the drafter's id of a single space, or None.
    """

    def __init__(self, spelled: Iterable[tuple[Ids, int]], space: int | None = None) -> None:
        self.space = space
        self._token_of: dict[Ids, int] = {}
        for spelling, token in spelled:
            self._token_of.setdefault(spelling, token)
        self.of_token = {token: spelling for spelling, token in self._token_of.items()}
        self._sorted = sorted(self._token_of)
        self._nodes: dict[Ids, Node] = {}

    def node(self, drafts: Ids) -> Node:
        """The node of ``drafts``; found once."""
        if drafts not in self._nodes:
            depth = len(drafts)
            place = bisect_left(self._sorted, drafts)
            inside: set[int] = set()
            while place < len(self._sorted) and self._sorted[place][:depth] == drafts:
                longer = self._sorted[place][depth : depth + 1]
                inside.update(longer)
                # Skip to the spellings that go on otherwise.
                beyond = (*drafts, longer[0] + 1) if longer else (*drafts, -1)
                place = bisect_left(self._sorted, beyond, lo=place)
            self._nodes[drafts] = self._made(drafts, frozenset(inside))
        return self._nodes[drafts]

    def _made(self, drafts: Ids, inside: frozenset[int]) -> Node:
        token = self._token_of.get(drafts)
        back: frozenset[int] = frozenset()
        space = self.space
        may = token is not None and drafts[-1] == space and drafts[:-1] in self._token_of
        if space is not None and may:
            back = self.node((space,)).inside - inside - {space}
        return Node(token, inside, back)

    def token_of(self, spelling: Ids) -> int:
        """What ``spelling`` spells."""
        return self._token_of[spelling]

    def giving_back_to(self, spelling: Ids) -> Ids | None:
        """``spelling`` and a space, where stopping there can give the space back."""
        if self.space is None or (*spelling, self.space) not in self._token_of:
            return None
        longer = (*spelling, self.space)
        return longer if self.node(longer).giving_back else None


@lru_cache(maxsize=64)
def spellings(pair: Pair) -> Spellings:
    """Those of a pair: D(text of t), where that says the bytes of t; else byte by byte."""
    drafter = pair.drafter_tokenizer
    ends = (pair.end_of_sequence, drafter.end_of_sequence)
    single = {
        piece: d
        for d, piece in reversed(tuple(enumerate(drafter.vocabulary)))
        if piece and len(piece) == 1 and d != ends[1]
    }
    found: list[tuple[Ids, int]] = []
    if ends[0] is not None and ends[1] is not None:
        found.append(((ends[1],), ends[0]))
    for text, token in id_of_bytes(pair.target_tokenizer).items():
        if text and token != ends[0]:
            spelling = _encoded(pair, text)
            if spelling is None and all(bytes([byte]) in single for byte in text):
                spelling = tuple(single[bytes([byte])] for byte in text)
            if spelling is not None:
                found.append((spelling, token))
    return Spellings(found, single.get(b" "))


def _encoded(pair: Pair, text: bytes) -> Ids | None:
    """D(text) without ids that say nothing, as a beginning; None unless it says the same bytes."""
    vocabulary = pair.drafter_tokenizer.vocabulary
    try:
        encoded = pair.drafter_tokenizer.encode(text.decode())
    except (EncodeError, UnicodeDecodeError):
        return None
    ids = tuple(d for d in encoded if vocabulary[d])
    return ids if b"".join(vocabulary[d] or b"" for d in ids) == text else None


@dataclass(frozen=True)
class Spelled:
    """One proposed token: its target id, and the drafter ids that spelled it."""

    token: int
    drafts: Ids


def spell(pair: Pair, read: Ids, chance: Chance, what: str = "draft") -> Spelled | None:
    """1. Spell one token after the drafter's ids ``read``; None when there is no proposal."""
    tree = spellings(pair)
    drafts: Ids = ()
    while True:
        node = tree.node(drafts)
        if node.token is not None and not node.inside and not node.giving_back:
            return Spelled(node.token, drafts)  # no spelling goes on: stopping is certain
        q = pair.drafter.distributions(read + drafts)[0]
        if node.token is None:
            try:
                q = q.restrict(node.inside)
            except DistributionError:
                return None
        d = chance.draw(q, f"{what} {len(drafts) + 1}")
        if node.token is not None and d not in node.inside:
            if d in node.giving_back:
                drafts = drafts[:-1]
            return Spelled(tree.token_of(drafts), drafts)
        drafts += (d,)


class SpelledLaw:
    """3. psi after the drafter's ids ``read``, one token at a time.

    Attributes:
        evaluations: how many tokens were asked for, each counted once.
    """

    def __init__(self, pair: Pair, read: Ids) -> None:
        self._pair, self._read = pair, read
        self._tree = spellings(pair)
        self._known: dict[int, Any] = {}

    @property
    def evaluations(self) -> int:
        """Tokens whose probability was worked out."""
        return len(self._known)

    def __getitem__(self, token: int, /) -> Any:
        if token not in self._known:
            spelling = self._tree.of_token.get(token)
            self._known[token] = 0 if spelling is None else self._product(spelling)
        return self._known[token]

    def _product(self, spelling: Ids) -> Any:
        # All rows in one pass, that behind the space which may be given back among them.
        longer = self._tree.giving_back_to(spelling)
        path = longer or spelling
        rows = self._pair.drafter.distributions(self._read, path)
        nodes = [self._tree.node(path[:k]) for k in range(len(path) + 1)]
        product: Any = 1
        for k, d in enumerate(spelling):
            product = product * nodes[k].goes_on(rows[k], d)
        k = len(spelling)
        last = nodes[k].stops(rows[k])
        if longer:
            last = last + rows[k][longer[-1]] * nodes[k + 1].gives_back(rows[k + 1])
        return product * last


@dataclass(frozen=True)
class SpelledProposal:
    """What a round proposes.

    Attributes:
        candidates: t_1..t_m.
        drafts: their spellings, one behind the other.
        laws: psi_1, psi_2, .. that they were drawn from; of a spelling that came to nothing too, so
            that there are m + 1 unless nothing more was to be proposed.
    """

    candidates: Ids
    drafts: Ids
    laws: tuple[SpelledLaw, ...]


def propose_spelled(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> SpelledProposal:
    """1. and 2. Spell t_1, t_2, .., at most ``lookahead``; none behind an end of sequence."""
    read = pair.drafter_context(context)
    t: Ids = ()
    drafts: Ids = ()
    laws: list[SpelledLaw] = []
    while read is not None and len(t) < lookahead and t[-1:] != (pair.end_of_sequence,):
        laws.append(SpelledLaw(pair, read + drafts))
        found = spell(pair, read + drafts, chance, f"draft {len(t) + 1}, piece")
        if found is None:
            break
        t += (found.token,)
        drafts += found.drafts
    return SpelledProposal(t, drafts, tuple(laws))


def spelled_round(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """One round after ``context`` with at most ``lookahead`` spelled tokens."""
    # 1. and 2. Spell t_1, t_2, ..; one target pass.
    proposal = propose_spelled(pair, context, lookahead, chance)
    t, drafts = proposal.candidates, proposal.drafts
    target_laws = pair.target.distributions(context, t)

    # 3. and 4. Accept, or the residual by kept draws; "no proposal" is an outcome with p = 0.
    emitted: Ids = ()
    for k, (p, psi) in enumerate(zip(target_laws, proposal.laws, strict=False)):
        if k < len(t) and chance.accept(ratio(p[t[k]], psi[t[k]]), f"accept {k + 1}"):
            emitted += (t[k],)
            continue
        final = chance.draw_kept(p, lambda x, p=p, psi=psi: 1 - psi[x] / p[x], "residual")
        return finish(pair, (*emitted, final), k, t, drafts)

    # Nothing more was to be proposed: the bonus token.
    bonus = chance.draw(target_laws[len(t)], "bonus")
    return finish(pair, (*emitted, bonus), len(emitted), t, drafts)


def spelled_acceptance(pair: Pair, context: Ids) -> Rational:
    """sum min(p, psi), the first candidate's acceptance; asks about every target token."""
    (p,) = pair.target.distributions(context)
    read = pair.drafter_context(context)
    if read is None:
        return ZERO
    psi = SpelledLaw(pair, read)
    return sum((min(p[t], psi[t]) for t in p.support()), ZERO)

"""The ways to spell a token with another vocabulary's tokens: expressibility, and what psi costs.

psi(t) is summed over the draft sequences whose text begins with t. Those that end where t ends are
the segmentations of t over the drafter's vocabulary; the drafter is asked once for each distinct
strict prefix of one of them, the empty prefix included. Both are counted here by a dynamic
programme over the bytes of t, in whole numbers. A segmentation is a sequence of *ids*: where two
drafter ids mean the same bytes, there are two. The paper's Lemma 3.1 bounds either number by
2^(m-1) for a token of m characters; that counts cuts between characters, so a drafter with tokens
for parts of a character, or with duplicates, can exceed it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .sides import Side, Token


class Pieces:
    """The tokens to spell with: strings of bytes, and how many ids mean each."""

    def __init__(self, times: Mapping[bytes, int]) -> None:
        self._times = times
        self._singles = frozenset(piece[0] for piece in times if len(piece) == 1)
        # The longest piece that ends in each byte, and in each two bytes.
        self._longest: dict[bytes, int] = {}
        for piece in times:
            for end in (piece[-1:], piece[-2:]):
                if self._longest.get(end, 0) < len(piece):
                    self._longest[end] = len(piece)

    def spells(self, text: bytes) -> bool:
        """Whether ``text`` is a concatenation of pieces."""
        if len(self._singles) == 256 or text in self._times or self._singles.issuperset(text):
            return True
        return self.count_all([text])[text][0] > 0

    def count_all(self, texts: Iterable[bytes]) -> dict[bytes, tuple[int, int]]:
        """For each text its number of segmentations, and of distinct strict prefixes of them.

        Texts are taken in order, so that what is known of a common prefix is not computed again.
        """
        count_of, longest_of = self._times.get, self._longest.get
        found: dict[bytes, tuple[int, int]] = {}
        ways = [1]  # segmentations of each prefix of the text before
        starts: list[list[int]] = [[]]  # where the last piece of each prefix can start
        before = b""
        for text in sorted(set(texts)):
            common = _common(before, text)
            del ways[common + 1 :], starts[common + 1 :]
            for end in range(common + 1, len(text) + 1):
                reach = longest_of(text[end - 2 if end > 1 else 0 : end], 1)
                number, here = 0, []
                for start in range(end - reach if end > reach else 0, end):
                    if ways[start] and (known := count_of(text[start:end])):
                        number += ways[start] * known
                        here.append(start)
                ways.append(number)
                starts.append(here)
            found[text] = (ways[-1], _passes(text, ways, starts, self._singles))
            before = text
        return found


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    """The length of the common prefix."""
    length = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        length += 1
    return length


def _passes(text: bytes, ways: list[int], starts: list[list[int]], singles: frozenset[int]) -> int:
    """How many prefixes of segmentations end before the end of ``text`` and can be completed."""
    if not text or not ways[-1]:
        return 0
    if singles.issuperset(text):
        return sum(ways) - ways[-1]  # every rest can be spelled byte by byte
    completes = [False] * len(text) + [True]
    for end in range(len(text), 0, -1):
        if completes[end]:
            for start in starts[end]:
                completes[start] = True
    return sum(number for start, number in enumerate(ways[:-1]) if completes[start])


@dataclass(frozen=True, slots=True)
class Inexpressible:
    """The tokens of one vocabulary that no tokens of the other spell.

    Attributes:
        ids: all of them.
        examples: the shortest.
        text_share: the share of the corpus's tokens that are among them; None without a corpus that
            the tokenizer can read.
    """

    ids: tuple[int, ...]
    examples: tuple[Token, ...]
    text_share: float | None


def inexpressible(source: Side, pieces: Pieces, used: Counter[int]) -> Inexpressible:
    """What `draftproof.reference.inexpressible` finds, fast; ``used`` counts ids in the corpus."""
    failing = {text for text in source.times if not pieces.spells(text)}
    ids = tuple(t for t in source.with_text if source.vocabulary[t] in failing) if failing else ()
    shortest = sorted(ids, key=lambda t: (len(source.vocabulary[t] or b""), t))[:8]
    total = used.total()
    return Inexpressible(
        ids,
        tuple(source.token(token) for token in shortest),
        sum(used[token] for token in ids) / total if total else None,
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """What psi costs at one target token.

    Attributes:
        token: the token.
        segmentations: over the drafter's vocabulary, as sequences of ids.
        passes: distinct strict prefixes of them: positions at which the drafter is asked.
        paper: 2^(m-1) for its m characters; None where its bytes are not whole characters.
    """

    token: Token
    segmentations: int
    passes: int
    paper: int | None


@dataclass(frozen=True, slots=True)
class Quantile:
    """Numbers that ``share`` of the corpus's target tokens do not exceed, each by itself."""

    share: float
    segmentations: int
    passes: int
    paper: int


@dataclass(frozen=True, slots=True)
class PsiCost:
    """What psi costs over the target's vocabulary.

    Attributes:
        quantiles: at 0.5, 0.9, 0.99 and 1 of the corpus's target tokens; empty when the target can
            read none of it.
        mean_passes: over the corpus's target tokens.
        worst: the token of the whole vocabulary with most passes.
        single: tokens of the vocabulary with exactly one segmentation.
        none: tokens with none.
        above_paper: tokens with more segmentations than 2^(m-1).
        above_paper_example: the shortest of them.
        counted: target tokens counted, each id once.
    """

    quantiles: tuple[Quantile, ...]
    mean_passes: float | None
    worst: Cost | None
    single: int
    none: int
    above_paper: int
    above_paper_example: Cost | None
    counted: int


SHARES = (0.5, 0.9, 0.99, 1.0)


def psi_cost(target: Side, pieces: Pieces, used: Counter[int]) -> PsiCost:
    """The cost of psi at every target token; ``used`` counts target ids in the corpus."""
    counted = pieces.count_all(target.times)
    numbers: dict[int, tuple[int, int]] = {}
    above: list[int] = []
    for token in target.with_text:
        text = target.vocabulary[token] or b""
        numbers[token] = counted[text]
        if counted[text][0] > 1:
            bound = paper_bound(text)
            if bound is not None and counted[text][0] > bound:
                above.append(token)

    def cost(token: int) -> Cost:
        bound = paper_bound(target.vocabulary[token] or b"")
        return Cost(target.token(token), *numbers[token], bound)

    rows = [
        (*numbers[token], 1 << (_characters(target.vocabulary[token] or b"") - 1), used[token])
        for token in numbers
        if used[token]
    ]
    total = sum(weight for *_, weight in rows)
    columns = [weighted_quantiles([(row[column], row[3]) for row in rows]) for column in range(3)]
    return PsiCost(
        tuple(map(Quantile, SHARES, *columns)) if total else (),
        sum(passes * weight for _, passes, _, weight in rows) / total if total else None,
        cost(max(numbers, key=lambda t: (numbers[t][1], -t))) if numbers else None,
        sum(segmentations == 1 for segmentations, _ in numbers.values()),
        sum(segmentations == 0 for segmentations, _ in numbers.values()),
        len(above),
        cost(min(above, key=lambda t: (len(target.vocabulary[t] or b""), t))) if above else None,
        len(numbers),
    )


def paper_bound(text: bytes) -> int | None:
    """2^(m-1) for the m characters of ``text``; None when its bytes are not whole characters."""
    try:
        return 1 << (len(text.decode()) - 1)
    except UnicodeDecodeError:
        return None


def _characters(text: bytes) -> int:
    """Characters, incomplete ones included."""
    return max(1, len(text.decode(errors="replace")))


def weighted_quantiles(values: list[tuple[int, int]]) -> list[int]:
    """For each of `SHARES` the least value that at least that share of the weight is up to."""
    ordered = sorted(values)
    total = sum(weight for _, weight in ordered)
    found: list[int] = []
    for share in SHARES:
        running = 0
        for value, weight in ordered:
            running += weight
            if running >= share * total:
                found.append(value)
                break
    return found

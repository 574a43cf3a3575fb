"""What a subject is tried on: a pair, a number of drafts, and what the request asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...toymodels.gallery import GalleryPair
from .pairs import named_pair
from .settings import PLAIN, TIES, Grammar, HalveByCount, NoRepeat, Settings

#: The gallery's pairs over one vocabulary, then our own.
PAIRS = (
    *("base", "contexts", "equal", "disjoint", "one-hot", "pruned-head"),
    *("context-dependent", "four-ids", "zeros", "two-id-residual", "shared-noise"),
    *("shifted-rows", "certain-draft", "cumulative", "fair-coins", "rare", "id-order", "padding"),
    *("small", "tiny", "tiniest", "near-ratios", "six-ids"),
)
#: On these a third draft is tried; elsewhere two show what three would.
DEEP = ("base", "contexts", "shifted-rows", "cumulative", "zeros")
#: On these one draft shows all there is.
SHALLOW = ("small", "tiny", "tiniest", "near-ratios", "six-ids")
#: What a pair's block law is called in reports, where it is there to show one thing.
SLUGS = {
    "equal": "p-equals-q",
    "disjoint": "disjoint",
    "zeros": "zeros",
    "one-hot": "zeros",
    "shifted-rows": "bonus",
    "id-order": "id-order",
    "padding": "padding",
}
#: Pairs over two vocabularies, for subjects that take tokenizers.
TWO_VOCABULARIES = ("merging-target", "crossing-merges", "many-to-one", "end-ids-differ")


@dataclass(frozen=True)
class Case:
    """One thing to try.

    Attributes:
        check: the slug of the report.
        dtype: of the rows.
        may_refuse: in words, the request that a subject may refuse by raising on every path.
        ties: whether two ids are equally likely at temperature 0.
        cut_ties: whether two ids tie for the last place of top-k or top-p: any of `TIES` is due.
    """

    pair: GalleryPair
    lookahead: int
    check: str = "one-round"
    guarantee: str = "block"
    settings: Settings = PLAIN
    dtype: str = "float64"
    may_refuse: str | None = None
    ties: bool = False
    cut_ties: bool = False

    @property
    def conventions(self) -> list[Case]:
        """This case with each of the settings that may be due."""
        if not self.cut_ties:
            return [self]
        return [replace(self, settings=replace(self.settings, tie=tie)) for tie in TIES]

    @property
    def variant(self) -> tuple[str, str, int]:
        """Cases alike in this are one result of the report."""
        return self.check, self.pair.name, self.lookahead


def law_cases(
    pairs: Sequence[GalleryPair] | None,
    lookaheads: Sequence[int],
    deepest: int = 2,
    names: Iterable[str] = PAIRS,
) -> Iterator[Case]:
    """The cases of the block's law, largest lookahead last; ``pairs`` None for the usual ones."""
    chosen = [named_pair(name) for name in names] if pairs is None else pairs
    for lookahead in lookaheads:
        for pair in chosen:
            if (
                pairs is None
                and len(lookaheads) > 1
                and (
                    (lookahead > deepest and pair.name not in DEEP)
                    or (lookahead > min(lookaheads) and pair.name in SHALLOW)
                )
            ):
                continue
            yield Case(pair, lookahead, SLUGS.get(pair.name, "one-round"))


def dtype_cases(lookahead: int) -> Iterator[Case]:
    """Rows in float32: what is correct stays correct within float32's rounding."""
    for name in ("base", "context-dependent", "four-ids"):
        yield Case(named_pair(name), lookahead, "dtype", dtype="float32", may_refuse="float32 rows")


def no_draft_cases() -> Iterator[Case]:
    """A round without drafts: one target row, one token."""
    for name in ("base", "contexts"):
        yield Case(
            named_pair(name), 0, "no-drafts", "next-token", may_refuse="a round without drafts"
        )


def request_cases(lookahead: int, named: frozenset[str] = frozenset()) -> Iterator[Case]:
    """Temperatures, truncation, processors, greedy decoding and ends of sequence.

    ``named`` are the keywords of the subject: those of a combination that it has are tried.
    """
    even, greedy = named_pair("even-drafter"), named_pair("greedy")
    for temperature in (0.5, 2.0):
        yield Case(even, lookahead, "temperature", settings=Settings(temperature=temperature))
    for pair, k in ((even, 2), (even, 3), (greedy, 1)):
        yield Case(pair, lookahead, "top-k", settings=Settings(top_k=k))
    yield Case(even, lookahead, "top-p", settings=Settings(top_p=0.65))
    yield Case(even, lookahead, "min-p", settings=Settings(min_p=0.6))
    tied = named_pair("tied-at-the-cut")
    yield Case(tied, lookahead, "top-k", settings=Settings(top_k=2), cut_ties=True)
    yield Case(tied, lookahead, "top-p", settings=Settings(top_p=0.7), cut_ties=True)
    yield Case(even, lookahead, "combined", settings=combined(named))
    yield Case(
        greedy,
        lookahead,
        "greedy",
        settings=Settings(temperature=0.0),
        may_refuse="temperature 0",
    )
    for name in ("tie-first", "tie-second", "tie-neither"):
        yield Case(
            named_pair(name),
            lookahead,
            "greedy",
            settings=Settings(temperature=0.0),
            may_refuse="temperature 0",
            ties=True,
        )
    for temperature in (0.01, 1e-6):
        yield Case(
            greedy,
            lookahead,
            "near-greedy",
            settings=Settings(temperature=temperature),
            may_refuse=f"temperature {temperature}",
        )
    yield Case(
        named_pair("no-repeat"), lookahead, "processor", settings=Settings(processor=NoRepeat())
    )
    yield Case(greedy, lookahead, "processor", settings=Settings(processor=HalveByCount()))
    yield Case(named_pair("grammar"), lookahead, "mask", settings=Settings(processor=Grammar()))
    for name in ("contexts", "ends", "ends-by-zero"):
        pair = named_pair(name)
        eos = pair.pair.end_of_sequence
        yield Case(pair, lookahead, "eos", settings=Settings(eos=eos))


def combined(named: frozenset[str]) -> Settings:
    """Two or more settings at once, those in ``named``; on even-drafter their order matters."""
    # The nucleus must differ before and after whatever else is asked.
    heated = 0.85 if "top_k" in named else 0.8
    nucleus = heated if "temperature" in named else 0.75
    settings = {
        "temperature": 0.5,
        "top_k": 3,
        "top_p": nucleus,
        "min_p": 0.3,
    }
    asked = {name: value for name, value in settings.items() if name in named}
    return Settings(**(asked if len(asked) > 1 else settings))  # pyright: ignore[reportArgumentType]


def grouped(cases: Iterable[Case]) -> list[list[Case]]:
    """Cases that make one result together, in the order of their first."""
    groups: dict[tuple[str, str, int], list[Case]] = {}
    for case in cases:
        groups.setdefault(case.variant, []).append(case)
    return list(groups.values())


def as_next_token(case: Case) -> Case:
    """The same case, as the check of the first token's law alone."""
    return replace(case, check="next-token", guarantee="next-token")

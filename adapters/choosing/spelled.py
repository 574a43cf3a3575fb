"""What SLRS with spelled proposals keeps, given the text that comes out.

As for the other algorithms (`given_text`), with psi_i, the law of the i-th spelled token behind the
spellings of those before it: a_j = prod min(1, psi_i(x_i) / p_i(x_i)). psi is known token by token
and not as a row, so the last factor is not summed over the vocabulary: its expectation is the same,
with more noise. Passes are counted along the spelling of the text itself: one for each drafter id,
and one for the draw that ends a spelling which others go on from.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy

from ...reference.pair import Pair
from ...reference.slrs_spelled import SpelledLaw, spellings
from .continuations import Continuation
from .given_text import Kept


@dataclass(frozen=True)
class SpelledText:
    """One position's figures.

    Attributes:
        kept: a_j, given the text; None where the drafter cannot read the context.
        drafts: for each lookahead the drafter passes.
        read: for each the target ids verified.
    """

    kept: Kept | None
    drafts: list[int]
    read: list[int]

    @property
    def acceptance(self) -> float:
        """min(1, psi / p) of the text's first token: sum min(p, psi) in expectation."""
        return 0.0 if self.kept is None else float(self.kept.text[0])


def spelled(pair: Pair, text: Continuation, position: int, most: int) -> SpelledText:
    """The figures at a position of a text, for up to ``most`` tokens a round."""
    read = pair.drafter_context(text.context(position))
    if read is None:
        return SpelledText(None, [0] * most, [0] * most)
    tree = spellings(pair)
    factors: list[float] = []
    passes: list[int] = []
    future = text.future(position, most)
    for token, law in zip(future, text.laws[position:], strict=False):
        spelling = tree.of_token.get(token)
        psi = float(SpelledLaw(pair, read)[token])
        factors.append(min(1.0, psi / float(law[token])))
        passes.append(1 if spelling is None else len(spelling) + bool(tree.node(spelling).inside))
        if spelling is None:
            break
        read += spelling
    factors += [0.0] * (len(future) - len(factors))
    passes += [passes[-1]] * (most - len(passes))
    given = numpy.cumprod(factors)
    goes_on = numpy.array([token not in text.ends for token in future])
    return SpelledText(
        Kept(given, given * goes_on), list(accumulate(passes)), list(range(1, most + 1))
    )

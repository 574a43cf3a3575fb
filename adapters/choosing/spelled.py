"""What SLRS with spelled proposals keeps, given the text that comes out.

As for the other algorithms (`given_text`), with psi_i, the law of the i-th spelled token behind the
spellings of those before it: r_i = psi_i(x_i) / p_i(x_i), a_j = prod min(1, r_i) token by token and
min(1, R_1, .., R_j), R_j = r_1 .. r_j, for the block. psi is known token by token
and not as a row, so the last factor is not summed over the vocabulary: its expectation is the same,
with more noise. What a round costs is counted on real ones (`measured_rounds`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy

from ...reference.pair import Pair
from ...reference.slrs_spelled import SpelledLaw, spellings
from .continuations import Continuation
from .given_text import Kept

#: Verified token by token, and together.
SPELLED = ("slrs-spelled", "slrs-spelled-block")


@dataclass(frozen=True)
class SpelledText:
    """One position's figures.

    Attributes:
        kept: a_j, given the text; None where the drafter cannot read the context.
        together: the same where the round's candidates are judged together.
    """

    kept: Kept | None
    together: Kept | None

    @property
    def acceptance(self) -> float:
        """min(1, psi / p) of the text's first token: sum min(p, psi) in expectation."""
        return 0.0 if self.kept is None else float(self.kept.text[0])


def spelled(pair: Pair, text: Continuation, position: int, most: int) -> SpelledText:
    """The figures at a position of a text, for up to ``most`` tokens a round."""
    read = pair.drafter_context(text.context(position))
    if read is None:
        return SpelledText(None, None)
    tree = spellings(pair)
    ratios: list[float] = []
    future = text.future(position, most)
    for token, law in zip(future, text.laws[position:], strict=False):
        spelling = tree.of_token.get(token)
        psi = float(SpelledLaw(pair, read)[token])
        ratios.append(psi / float(law[token]))
        if spelling is None:
            break
        read += spelling
    ratios += [0.0] * (len(future) - len(ratios))
    goes_on = numpy.array([token not in text.ends for token in future])
    apart = numpy.cumprod(numpy.minimum(1.0, ratios))
    together = numpy.minimum.accumulate(numpy.minimum(1.0, numpy.cumprod(ratios)))
    return SpelledText(
        Kept(apart, apart * goes_on),
        Kept(together, together * goes_on),
    )

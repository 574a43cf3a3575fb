"""The numbers of SLRS with spelled proposals: one by one, and judged together."""

from __future__ import annotations

from typing import Any

from draftproof.reference import branches
from draftproof.reference.enumeration import Branch
from draftproof.reference.exact import ZERO, Rational
from draftproof.reference.models import Ids
from draftproof.reference.pair import Pair
from draftproof.reference.slrs_block import FAIL, kept_together
from draftproof.reference.slrs_spelled import SpelledLaw, spelled_round, spellings
from draftproof.reference.slrs_spelled_block import spelled_block_round
from draftproof.toymodels import gallery
from worked_text import columns, worked


class _Tested:
    """Enumerated chance that adds up how many draws are put to psi on average."""

    def __init__(self, branch: Branch) -> None:
        self._branch = branch
        self.draw, self.accept = branch.draw, branch.accept
        self.draws = ZERO

    def draw_kept(self, law: Any, keep: Any, what: str = "") -> Any:
        self.draws += (law.mass - law[FAIL]) / law.keep(keep).mass
        return self._branch.draw_kept(law, keep, what)


def tokens_and_evaluations(
    pair: Pair, context: Ids, most: int, together: bool
) -> tuple[Rational, Rational]:
    """Of one round, on average: tokens emitted, evaluations of psi."""
    tokens = evaluations = ZERO
    run_round = spelled_block_round if together else spelled_round

    def run(branch: Branch) -> tuple[int, Rational]:
        chance = _Tested(branch)
        found = run_round(pair, context, most, chance)
        t = found.candidates
        scored = min(found.accepted + 1, len(t))  # those accepted, and the one rejected
        if together:  # all that can be kept by what came before
            scored = sum(map(bool, _kept(pair, context, t)[: len(t)]))
        return len(found.emitted), scored + chance.draws

    for leaf in branches(run):
        tokens += leaf.probability * leaf.result[0]
        evaluations += leaf.probability * leaf.result[1]
    return tokens, evaluations


def _kept(pair: Pair, context: Ids, t: Ids) -> list[Any]:
    """P_0..P_m."""
    read = pair.drafter_context(context) or ()
    laws: list[SpelledLaw] = []
    for token in t:
        laws.append(SpelledLaw(pair, read))
        read += spellings(pair).of_token[token]
    return kept_together(pair.target.distributions(context, t), laws, t)


@worked
def spelled_on_the_gallery(*most: str) -> str:
    """Means over the gallery's prompts: tokens and psi evaluations of a round."""
    rows: list[list[str]] = []
    for tokens in map(int, most):
        sums = [ZERO] * 4
        for each in gallery():
            for place, together in enumerate((False, True)):
                found = tokens_and_evaluations(each.pair, each.prompt, tokens, together)
                sums[place] += found[0]
                sums[place + 2] += found[1]
        means = (f"{float(number / len(gallery())):.3f}" for number in sums)
        rows.append([f"spelled:{tokens}", *means])
    header = ["form", "tokens", "together", "psi evaluations", "together"]
    return columns(header, rows)

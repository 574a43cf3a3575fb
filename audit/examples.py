"""Lossy examples: the built-in algorithms with one thing wrong, kept so that the audit can find it.

Each is a mistake that is easy to make and was made, or that follows from a claim read too
literally. `EXAMPLES` names them; `draftproof audit example:NAME` runs one. The pairs where their
exact wrong laws are known are in the gallery under the name given by `home`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass

from ..reference.chance import Chance
from ..reference.distribution import Distribution, ExactDistribution, ratio
from ..reference.drafting import Drafts, draft_tokens
from ..reference.exact import ONE, ZERO, Rational
from ..reference.lattice import segmentations, token_lattice
from ..reference.models import Ids
from ..reference.pair import Pair
from ..reference.programs import Program
from ..reference.proposals import propose
from ..reference.psi import candidate_law
from ..reference.rounds import Round, finish
from ..reference.slem import slem_round
from ..reference.slrs import slrs_round
from ..reference.slrs_block import kept_together
from ..reference.standard import verify
from ..reference.stop_rules import Fixed
from ..reference.tokenizers import EncodeError

LossyRound = Callable[[Pair, Ids, int, Chance], Round]


@dataclass(frozen=True)
class Example:
    """A lossy variant of a built-in algorithm.

    Attributes:
        name: as in ``example:NAME``.
        what: what is wrong with it, in a line.
        fault: the class of the fault, in the contract's words.
        home: the gallery pair on which its exact wrong law is stated in the tests.
        run_round: one round, given the lookahead.
    """

    name: str
    what: str
    fault: str
    home: str
    run_round: LossyRound

    def program(self, lookahead: int) -> Program:
        """The example with a fixed lookahead, as the audit runs it."""

        def run(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
            del state
            return self.run_round(pair, context, lookahead, chance)

        return Program(self.name, run, lookahead, Fixed(lookahead).slug)


def _retokenized_context(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """SLEM that replaces the emitted ids by T(their text) before it asks the target."""
    with suppress(EncodeError):
        context = pair.target_tokenizer.encode(pair.target_tokenizer.decode(context))
    return slem_round(pair, context, Fixed(lookahead), chance)


def _composition_psi(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """SLRS with psi(t) summed over all spellings of t in drafter tokens (Lemma 3.1's count)."""
    read = pair.drafter_context(context) or ()

    def weight(token: int) -> Rational:
        spelling = pair.target_tokenizer.vocabulary[token]
        total = ZERO
        for drafts in segmentations(token_lattice(spelling or b"", pair.drafter_tokenizer)):
            product = ONE
            for j, drawn in enumerate(drafts):
                product *= pair.drafter.distributions(read + tuple(drafts[:j]))[0][drawn]
            total += product if drafts else ZERO
        return total

    return slrs_round(
        pair,
        context,
        Fixed(lookahead),
        chance,
        one_token=True,
        psi_after=lambda _: _Weights({t: weight(t) for t in range(pair.target.size)}),
    )


def _psi_of_one_draft(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """SLRS that drafts ``lookahead`` tokens and scores them with the psi of a single draft."""
    psi = candidate_law(pair, context, Fixed(1)).next_token()
    return slrs_round(pair, context, Fixed(lookahead), chance, True, lambda _: psi)


def _unconditional_psi(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """SLRS that scores the second token as if a new draft had begun there."""
    rule = Fixed(lookahead)

    def psi_after(accepted: Ids) -> Distribution[int]:
        return candidate_law(pair, context + accepted, rule).next_token()

    return slrs_round(pair, context, rule, chance, False, psi_after)


def _no_proposal_from_p(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """SLRS that draws from p, not from the residual, when there is no proposal."""
    rule = Fixed(lookahead)
    proposal = propose(pair, context, rule, chance)
    t = proposal.candidates
    (p,) = pair.target.distributions(context)
    if not t:
        return finish(pair, (chance.draw(p, "final"),), 0, t, proposal.drafter_ids)
    psi = candidate_law(pair, context, rule).next_token()
    if chance.accept(ratio(p[t[0]], psi[t[0]]), "accept 1"):
        return finish(pair, t[:1], 1, t, proposal.drafter_ids)
    final = chance.draw(p.residual(psi), "residual")
    return finish(pair, (final,), 0, t, proposal.drafter_ids)


def _slrs_block_bonus(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """SLRS by blocks that treats the last candidate as the last draft over one vocabulary."""
    rule = Fixed(lookahead)
    proposal = propose(pair, context, rule, chance)
    t = proposal.candidates
    p = pair.target.distributions(context, t)
    law = candidate_law(pair, context, rule)
    psi = [law.next_token(t[:i]) for i in range(len(t) + 1)]
    kept = kept_together(p, psi, t)
    tau = 0
    for i in range(1, len(t) + 1):
        excess = p[i].excess(psi[i], kept[i])
        passes = excess / (excess + 1 - kept[i]) if excess + 1 != kept[i] else 1
        if chance.accept(kept[i] if i == len(t) else passes, f"keep {i}"):
            tau = i
    last = p[tau] if t and tau == len(t) else p[tau].residual(psi[tau], kept[tau])
    return finish(pair, (*t[:tau], chance.draw(last, "final")), tau, t, proposal.drafter_ids)


def _one_preimage(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """Standard decoding over two vocabularies that scores a draft by its own drafter id alone."""
    drafts = draft_tokens(pair, context, lookahead, chance)
    read = pair.drafter_context(context) or ()
    laws: list[Distribution[int]] = []
    for j, drawn in enumerate(drafts.drafter_ids):
        q = pair.drafter.distributions(read + drafts.drafter_ids[:j])[0]
        scored: dict[int, Rational] = {}
        for d in q.support():
            scored.setdefault(pair.union_id(d), q[d])
        scored[drafts.tokens[j]] = q[drawn]
        laws.append(ExactDistribution(scored, sub_stochastic=True))
    return verify(pair, context, Drafts(drafts.drafter_ids, drafts.tokens, tuple(laws)), chance)


def _resample_from_p(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """Standard decoding that draws from p, not from the residual, after a rejection."""
    drafts = draft_tokens(pair, context, lookahead, chance)
    target_laws = pair.target.distributions(context, drafts.verifiable(pair))
    emitted: Ids = ()
    for x, p, q in zip(drafts.tokens, target_laws, drafts.laws, strict=False):
        if not chance.accept(ratio(p[x], q[x]), f"accept {len(emitted) + 1}"):
            break
        emitted += (x,)
    final = chance.draw(target_laws[len(emitted)], "final")
    return finish(pair, (*emitted, final), len(emitted), drafts.tokens, drafts.drafter_ids)


class _Weights(ExactDistribution[int]):
    """Numbers used as if they were a law; they may sum to more than one. That is the mistake."""

    def __init__(self, weights: dict[int, Rational]) -> None:
        self._probabilities = weights
        self._mass = sum(weights.values(), ZERO)
        self._hash = None


EXAMPLES: dict[str, Example] = {
    example.name: example
    for example in (
        Example(
            "retokenized-context",
            "SLEM whose target reads T(text) instead of the ids it emitted",
            "vocabulary-map",
            "retokenized",
            _retokenized_context,
        ),
        Example(
            "composition-psi",
            "SLRS whose psi counts spellings of a token instead of tokenized drafts",
            "proposal-law",
            "composition",
            _composition_psi,
        ),
        Example(
            "psi-of-one-draft",
            "SLRS whose psi belongs to another stop rule than its drafts",
            "proposal-law",
            "retokenized",
            _psi_of_one_draft,
        ),
        Example(
            "unconditional-psi",
            "SLRS whose second token is scored without what the first one says of the draft",
            "proposal-law",
            "retokenized",
            _unconditional_psi,
        ),
        Example(
            "no-proposal-from-p",
            "SLRS that draws from p when nothing was proposed",
            "residual",
            "no-proposal",
            _no_proposal_from_p,
        ),
        Example(
            "slrs-block-bonus",
            "SLRS by blocks with a bonus from p behind the last candidate",
            "residual",
            "end-in-drafter-only",
            _slrs_block_bonus,
        ),
        Example(
            "one-preimage",
            "a many-to-one token map that scores one drafter id instead of their sum",
            "vocabulary-map",
            "many-to-one",
            _one_preimage,
        ),
        Example(
            "resample-from-p",
            "standard decoding that draws from p after a rejection",
            "residual",
            "base",
            _resample_from_p,
        ),
    )
}

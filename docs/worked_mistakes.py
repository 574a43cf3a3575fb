"""Mistakes with their exact wrong laws: the audit's examples, and further ones kept here.

Each of the further ones is a round like the reference's with one thing wrong, and its law is found
in the same way.
"""

from __future__ import annotations

from collections.abc import Callable

from draftproof.audit import EXAMPLES, Laws, difference
from draftproof.reference import Chance, Ids, Pair, Program, Round
from draftproof.reference.distribution import ExactDistribution
from draftproof.reference.drafting import Drafts, draft_tokens
from draftproof.reference.exact import ONE
from draftproof.reference.rounds import finish
from draftproof.reference.standard import verify
from draftproof.reference.tli import masked
from draftproof.toymodels import NgramModel, gallery_pair, greedy
from worked_text import against, one_vocabulary, worked

RoundOf = Callable[[Pair, Ids, int, Chance], Round]


@worked
def example(name: str, lookahead: str, pair_name: str = "") -> str:
    """A lossy example's wrong law at the context of its smallest witness."""
    each = EXAMPLES[name]
    named = gallery_pair(pair_name or each.home)
    algorithm = each.program(int(lookahead))
    laws = Laws(algorithm, named.pair)
    found = []
    for context, state in laws.contexts(named.prompt, 3):
        given = laws.completed_round(context, state)
        due = laws.due_law(context, max(map(len, given)))
        if wrong := difference(due, given, context):
            found.append(wrong)
    smallest = min(found, key=lambda wrong: wrong.size)
    return f"{name}, {algorithm.stop_rule}, pair {named.name}, " + against(
        algorithm, named.pair, smallest.context, len(smallest.continuation)
    )


def _wrong(what: str, round_of: RoundOf, pair: Pair, lookahead: int, length: int) -> str:
    algorithm = Program(what, lambda a, c, chance, _: round_of(a, c, lookahead, chance), lookahead)
    return f"{what}, " + against(algorithm, pair, (0,), length)


@worked
def temperature_dropped() -> str:
    """Plain decoding at temperature 1/2 against rows where the temperature was forgotten."""
    weights = {0: 4, 1: 2, 2: 1}  # the exponentials of the logits
    forgotten = ExactDistribution.from_weights(weights)
    sharpened = NgramModel.constant(
        ExactDistribution.from_weights({token: w * w for token, w in weights.items()}), 3
    )
    tokenizer = greedy(["a", "b", "c"])
    pair = Pair(sharpened, sharpened, tokenizer, tokenizer)

    def round_of(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
        return finish(pair, (chance.draw(forgotten, "final"),))

    return _wrong("temperature dropped", round_of, pair, 1, 1)


@worked
def second_chance() -> str:
    """Exact match that draws again when the first draw disagrees with the draft."""

    def round_of(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
        x = draft_tokens(pair, context, lookahead, chance).tokens
        (p,) = pair.target.distributions(context)
        y = chance.draw(p, "target 1")
        if y != x[0]:
            y = chance.draw(p, "target 1 again")
        return finish(pair, (y,), int(y == x[0]), x)

    return _wrong("second chance", round_of, gallery_pair("base").pair, 1, 1)


@worked
def token_wise_residual() -> str:
    """Block verification's acceptance with token-by-token decoding's residual."""

    def round_of(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
        drafts = draft_tokens(pair, context, lookahead, chance)
        x, q = drafts.tokens, drafts.laws
        p = pair.target.distributions(context, x)
        kept, tau = ONE, 0
        for i in range(1, len(x) + 1):
            kept = min(ONE, kept * p[i - 1][x[i - 1]] / q[i - 1][x[i - 1]])
            if chance.accept(kept, f"keep {i}"):
                tau = i
        law = p[tau] if tau == len(x) else p[tau].residual(q[tau])
        return finish(pair, (*x[:tau], chance.draw(law, "final")), tau, x)

    pair = one_vocabulary("1/3 2/3", "2/3 1/3")
    return "\n\n".join(_wrong("token-wise residual", round_of, pair, 2, n) for n in (1, 2))


@worked
def foreign_drafts_redrawn() -> str:
    """The union baseline that throws foreign drafts away but goes on scoring with q."""

    def round_of(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
        drafts = draft_tokens(pair, context, lookahead, chance, masked)
        read = pair.drafter_context(context) or ()
        laws = tuple(
            pair.drafter.distributions(read + drafts.drafter_ids[:j])[0].push_forward(pair.union_id)
            for j in range(len(drafts.tokens))
        )
        return verify(pair, context, Drafts(drafts.drafter_ids, drafts.tokens, laws), chance)

    return _wrong("foreign drafts redrawn", round_of, gallery_pair("inexpressible").pair, 1, 1)

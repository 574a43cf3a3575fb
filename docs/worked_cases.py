"""Worked cases of single pages: block verification, token maps, psi, stop rules, kept draws."""

from __future__ import annotations

from itertools import product

from draftproof.audit import Laws
from draftproof.reference import Chance, Ids, Pair, Program, Round, program, psi, stop_rule
from draftproof.reference.chance import Step
from draftproof.reference.distribution import Distribution, ExactDistribution, total_variation
from draftproof.reference.enumeration import exact_law
from draftproof.reference.exact import ONE, ZERO, Rational, rational
from draftproof.reference.lattice import segmentations, token_lattice
from draftproof.reference.proposals import Proposal, propose
from draftproof.reference.psi import candidate_law
from draftproof.reference.rounds import finish
from draftproof.reference.tli import masked
from draftproof.toymodels import NgramModel, gallery, gallery_pair, greedy
from worked_text import (
    columns,
    of_union,
    one_vocabulary,
    round_branches,
    short,
    spelled,
    string,
    worked,
)

# ---- block verification -------------------------------------------------------------------------


@worked
def block_by_hand() -> str:
    """p = (1/3, 2/3), q = (2/3, 1/3), two drafts: what either rule keeps of each draft."""
    pair = one_vocabulary("1/3 2/3", "2/3 1/3")
    (p,), (q,) = pair.target.distributions((0,)), pair.drafter.distributions((0,))
    rows = []
    means = []
    for name in ("standard", "block"):
        kept: dict[Ids, list[Rational]] = {}
        for leaf in round_branches(program(name, 2), pair, (0,)):
            tau = kept.setdefault(leaf.result.candidates, [ZERO] * 3)
            tau[leaf.result.accepted] += leaf.probability
        for x, tau in sorted(kept.items()):
            drawn = q[x[0]] * q[x[1]]
            ratios = [p[t] / q[t] for t in x]
            rows.append([name, string(pair, x), drawn, *ratios, *(mass / drawn for mass in tau)])
        means.append(
            f"{name}: {sum((tau[1] + 2 * tau[2] for tau in kept.values()), ZERO)} drafts kept on "
            "average"
        )
    header = ["rule", "draft", "drawn", "p/q first", "p/q second", "keeps 0", "keeps 1", "keeps 2"]
    return columns(header, rows) + "\n" + "\n".join(means)


@worked
def block_and_standard() -> str:
    """Tokens per target pass of both rules, over the gallery, where they differ."""
    rows = []
    for each in gallery():
        token, block = (
            Laws(program(name, 2), each.pair).round_law(each.prompt).tokens
            for name in ("standard", "block")
        )
        assert block >= token
        if block > token:
            rows.append([each.name, short(token), short(block)])
    return (
        columns(["pair", "standard", "block"], rows)
        + f"\non the other {len(gallery()) - len(rows)} pairs of the gallery they are equal"
    )


# ---- token maps and TLI -------------------------------------------------------------------------


@worked
def token_map(pair_name: str) -> str:
    """What each drafter id means to the target, with its mass at the prompt."""
    named = gallery_pair(pair_name)
    pair = named.pair
    (q,) = pair.drafter.distributions(pair.drafter_context(named.prompt) or ())
    narrowed = masked(pair, q)
    rows = []
    for d in range(pair.drafter.size):
        t = pair.target_id_of[d]
        image = "none" if t is None else f"{t} {spelled(pair.target_tokenizer, t)}"
        shown = f"{d} {spelled(pair.drafter_tokenizer, d)}"
        rows.append([shown, image, q[d], ZERO if narrowed is None else narrowed[d]])
    return columns(["drafter id", "target id", "q", "q'"], rows)


@worked
def tli_and_union() -> str:
    """Acceptance of both at the prompt, over the gallery, where they differ."""
    rows, same = [], 0
    for each in gallery():
        if not each.pair.intersection:
            continue
        numbers = [program(name, 2).acceptance for name in ("union", "tli")]
        union, tli = (number(each.pair, each.prompt) for number in numbers if number)
        assert tli >= union
        same += tli == union
        if tli > union:
            rows.append([each.name, union, tli])
    return (
        columns(["pair", "union", "TLI"], rows)
        + f"\non {same} further pairs of the gallery they are equal"
    )


@worked
def filters_and_mask() -> str:
    """Top-p before and after the masking: q = a 1/5, z 1/10 (not in T), b and c 3/50 each, ..."""
    q = {"a": rational(1, 5), "z": rational(1, 10), "b": rational(3, 50), "c": rational(3, 50)}
    q |= {f"r{j}": rational(29, 600) for j in range(12)}
    p = ExactDistribution.certain("a")

    def top_p(law: ExactDistribution[str], bound: Rational) -> ExactDistribution[str]:
        mass, kept = ZERO, set[str]()
        for token, number in sorted(law.items(), key=lambda item: -item[1]):
            if mass < bound:
                kept.add(token)
                mass += number
        return law.restrict(kept)

    whole, bound = ExactDistribution(q), rational(3, 10)
    shared = set(q) - {"z"}
    rows = [
        ["union: top-p", top_p(whole, bound)],
        ["TLI: top-p, then the mask", top_p(whole, bound).restrict(shared)],
        ["TLI: the mask, then top-p", top_p(whole.restrict(shared), bound)],
    ]
    return columns(
        ["drafts are drawn from", "", "accepted"],
        [
            [what, ", ".join(f"{token} {number}" for token, number in law.items()), p.overlap(law)]
            for what, law in rows
        ],
    )


# ---- psi ----------------------------------------------------------------------------------------


def _drafts(pair: Pair, context: Ids, form: str) -> dict[Proposal, Rational]:
    law = exact_law(lambda chance: propose(pair, context, stop_rule(form), chance))
    return dict(law.items())


@worked
def draft_table(pair_name: str, form: str) -> str:
    """Every draft that can be drawn, what the target makes of its text, and psi as the sum."""
    named = gallery_pair(pair_name)
    pair = named.pair
    rows = []
    for proposal, number in _drafts(pair, named.prompt, form).items():
        drawn = " ".join(spelled(pair.drafter_tokenizer, d) for d in proposal.drafter_ids)
        t = proposal.candidates
        rows.append(
            [drawn, number, proposal.text, string(pair, t), string(pair, t[:1]) if t else "none"]
        )
    law = psi(pair, named.prompt, stop_rule(form))
    total = ", ".join(f"{of_union(pair, t)} {number}" for t, number in law.items())
    if law.mass != 1:
        total += f"; no proposal {1 - law.mass}"
    head = columns(["draft", "probability", "text", "T(text)", "first"], sorted(rows))
    return f"{head}\npsi: {total}"


@worked
def psi_next(pair_name: str, form: str) -> str:
    """psi_2 after each first candidate: what the first one says about the second."""
    named = gallery_pair(pair_name)
    law = candidate_law(named.pair, named.prompt, stop_rule(form))
    lines = []
    for first in law.next_token():
        after = law.next_token((first,))
        inside = [f"{of_union(named.pair, t)} {number}" for t, number in after.items()]
        inside += [f"no further token {1 - after.mass}"] if after.mass != 1 else []
        lines.append(f"psi_2( . | {of_union(named.pair, first)}): {', '.join(inside)}")
    return "\n".join(lines)


@worked
def kept_draws(*pair_names: str) -> str:
    """What the residual costs by kept draws, one token a round."""
    rows = []
    for pair_name in pair_names:
        named = gallery_pair(pair_name)
        pair, algorithm = named.pair, program("slrs", "fixed:2/one-token")
        needed = draws = ZERO
        for leaf in round_branches(algorithm, pair, named.prompt):
            draws += leaf.probability * leaf.expected_draws
            if any(_is_kept(step) for step in leaf.steps):
                needed += leaf.probability
        proposed = psi(pair, named.prompt, stop_rule("fixed:2")).mass
        assert draws == (1 if needed else 0)
        when_needed = draws / needed if needed else "-"
        rows.append([pair_name, needed, when_needed, draws, proposed, draws + proposed])
    header = [
        "pair",
        "P(residual)",
        "draws then",
        "draws a round",
        "P(proposal)",
        "psi evaluations",
    ]
    return columns(header, rows)


def _is_kept(step: Step) -> bool:
    return step.verb == "draw_kept"


@worked
def no_proposal() -> str:
    """p = (1/2, 3/10, 1/5), psi = (1/10, 1/10, 1/2): three ways to treat "no proposal"."""
    p = ExactDistribution({"a": rational(1, 2), "b": rational(3, 10), "c": rational(1, 5)})
    law = ExactDistribution(
        {"a": rational(1, 10), "b": rational(1, 10), "c": rational(1, 2)}, sub_stochastic=True
    )
    draft = ExactDistribution({**law, "none": 1 - law.mass})

    def emitted(score: Distribution[str], fallback: Distribution[str]) -> list[object]:
        def run(chance: Chance) -> tuple[str, bool]:
            x = chance.draw(draft)
            if x == "none":
                return chance.draw(fallback), False
            if chance.accept(p[x] / score[x]):
                return x, True
            return chance.draw(p.residual(score)), False

        joint = exact_law(run)
        given = joint.push_forward(lambda pair: pair[0])
        accepted = sum((number for (_, yes), number in joint.items() if yes), ZERO)
        return [*(given[x] for x in "abc"), total_variation(p, given), accepted]

    rows = [
        ["psi as it is, then the residual", *emitted(law, p.residual(law))],
        ["psi given a proposal, else p", *emitted(law.normalised(), p)],
        ["psi as it is, then p (wrong)", *emitted(law, p)],
    ]
    return columns(["when nothing is proposed", "a", "b", "c", "total variation", "accepted"], rows)


# ---- the objections -----------------------------------------------------------------------------


def _composition_weight(pair: Pair, token: int) -> Rational:
    total = ZERO
    spelling = pair.target_tokenizer.vocabulary[token] or b""
    for drafts in segmentations(token_lattice(spelling, pair.drafter_tokenizer)):
        number = ONE
        for j, d in enumerate(drafts):
            number *= pair.drafter.distributions(tuple(drafts[:j]))[0][d]
        total += number
    return total


@worked
def composition_count() -> str:
    """psi by its definition beside the sum over the spellings of each token."""
    named = gallery_pair("composition")
    law = psi(named.pair, named.prompt, stop_rule("fixed:2"))
    counts = {t: _composition_weight(named.pair, t) for t in range(named.pair.target.size)}
    rows = [[of_union(named.pair, t), law[t], counts[t]] for t in counts]
    rows.append(["sum", law.mass, sum(counts.values(), ZERO)])
    return columns(["token", "psi", "sum over spellings"], rows)


@worked
def terms_of_psi() -> str:
    """T = {a, b}, D = {a, b, ab}, one draft: the terms of psi beside Lemma 3.1's bound."""
    pair = Pair(
        NgramModel.constant(["1/2", "1/2"]),
        NgramModel.constant(["1/3", "1/3", "1/3"]),
        greedy(["a", "b"]),
        greedy(["a", "b", "ab"]),
    )
    terms: dict[int, list[str]] = {}
    for proposal, _ in _drafts(pair, (0,), "fixed:1").items():
        drawn = " ".join(spelled(pair.drafter_tokenizer, d) for d in proposal.drafter_ids)
        terms.setdefault(proposal.candidates[0], []).append(drawn)
    rows = []
    for token, drafts in sorted(terms.items()):
        text = pair.target_tokenizer.vocabulary[token] or b""
        cuts = 2 ** (len(text.decode()) - 1)
        rows.append([of_union(pair, token), ", ".join(drafts), len(drafts), cuts])
    return columns(["token", "drafts that begin with it", "terms of psi", "2^(m-1)"], rows)


@worked
def stop_rules(pair_name: str) -> str:
    """The same pair under several stop rules: another psi each, and the law always exact."""
    named = gallery_pair(pair_name)
    pair = named.pair
    rows = []
    for form in ("fixed:1", "fixed:2", "fixed:3", "characters:2/cap:3", "characters:3/cap:5"):
        law = psi(pair, named.prompt, stop_rule(form))
        laws = Laws(program("slrs", form), pair)
        given = laws.completed_round(named.prompt)
        due = laws.due_law(named.prompt, max(map(len, given)))
        inside = ", ".join(f"{of_union(pair, t)} {number}" for t, number in law.items())
        accepted = laws.round_law(named.prompt).acceptance
        rows.append([form, inside, accepted, total_variation(due, given)])
    return columns(["stop rule", "psi", "accepted", "total variation"], rows)


@worked
def any_candidates() -> str:
    """Exact match with candidates taken from anywhere at all, on the pair `contexts`."""
    named = gallery_pair("contexts")
    pair = named.pair
    rows = []
    for candidates in product((0, 1), repeat=2):

        def round_of(
            pair: Pair, context: Ids, chance: Chance, _: object, t: Ids = candidates
        ) -> Round:
            emitted: Ids = ()
            for j, p in enumerate(pair.target.distributions(context, t)):
                emitted += (chance.draw(p, f"target {j + 1}"),)
                if t[j : j + 1] != emitted[-1:]:
                    break
            return finish(pair, emitted)

        laws = Laws(Program("fixed candidates", round_of, 2), pair)
        given = laws.completed_round(named.prompt)
        due = laws.due_law(named.prompt, max(map(len, given)))
        law = laws.round_law(named.prompt)
        rows.append([string(pair, candidates), law.tokens, total_variation(due, given)])
    return columns(["candidates", "tokens per target pass", "total variation"], rows)

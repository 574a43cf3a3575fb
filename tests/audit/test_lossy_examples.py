"""Demand 3: the lossy examples give exactly their wrong laws, the correct algorithms exactly none.

Every number here is stated, and derived a second time by brute force where it is no toy.
"""

from __future__ import annotations

from fractions import Fraction

import brute_force
import pytest
from draftproof.audit import EXAMPLES, LOSSLESS, LOSSY, Laws, Result, audit_cell
from draftproof.audit.subjects import cell
from draftproof.reference import Ids, fraction_text, rational
from draftproof.toymodels import gallery_pair

HORIZON = 4
COUNTERPART = {
    "retokenized-context": "slem",
    "composition-psi": "slrs",
    "psi-of-one-draft": "slrs",
    "unconditional-psi": "slrs",
    "no-proposal-from-p": "slrs",
    "slrs-block-bonus": "slrs",
    "one-preimage": "union",
    "resample-from-p": "standard",
}


def audited(name: str, lookahead: int) -> tuple[Result, Result]:
    example = EXAMPLES[name]
    one_round, run = audit_cell(
        cell(f"example:{name}", str(lookahead), gallery_pair(example.home)), HORIZON
    )
    return one_round, run


def laws_of(name: str, lookahead: int) -> tuple[Laws, Ids]:
    named = gallery_pair(EXAMPLES[name].home)
    return Laws(EXAMPLES[name].program(lookahead), named.pair), named.prompt


def first_token(name: str, lookahead: int) -> dict[int, str]:
    """The law of the next token after the prompt, as it comes out."""
    laws, prompt = laws_of(name, lookahead)
    law = laws.round_law(prompt).blocks.push_forward(lambda block: block[0][0])
    return {token: fraction_text(number) for token, number in law.items()}


def distance_at_prompt(name: str, lookahead: int) -> Fraction:
    """Total variation of one completed round at the prompt, against the chain rule."""
    laws, prompt = laws_of(name, lookahead)
    given = brute_force.as_fractions(laws.completed_round(prompt))
    due = brute_force.due(laws.pair, prompt, max(map(len, given)))
    return brute_force.distance(given, due)


def exact(result: Result) -> str:
    assert result.total_variation is not None
    assert result.total_variation.exact is not None
    return fraction_text(result.total_variation.exact)


def test_every_example_has_a_counterpart() -> None:
    assert set(COUNTERPART) == set(EXAMPLES)


@pytest.mark.parametrize("lookahead", [1, 2, 3])
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_correct_counterpart_is_lossless_on_the_same_pair(name: str, lookahead: int) -> None:
    subject = f"builtin:{COUNTERPART[name]}"
    home = gallery_pair(EXAMPLES[name].home)
    for form in (f"fixed:{lookahead}", f"fixed:{lookahead}/one-token"):
        if "one-token" in form and COUNTERPART[name] != "slrs":
            continue
        for result in audit_cell(cell(subject, form, home), HORIZON):
            assert result.verdict == LOSSLESS
            assert exact(result) == "0/1"
            assert result.witness is None


def test_counting_compositions() -> None:
    """T = {a, b, ab}, D = {a, b}, two drafts, p uniform: (a 1/6, b 1/3, ab 1/2), TV 1/6."""
    assert first_token("composition-psi", 2) == {0: "1/6", 1: "1/3", 2: "1/2"}
    assert distance_at_prompt("composition-psi", 2) == Fraction(1, 6)
    assert exact(audited("composition-psi", 2)[0]) == "1/6"


def test_scoring_one_preimage() -> None:
    """p = (3/5, 2/5), b has two preimages of 1/4: (1/2, 1/2), TV 1/10."""
    assert first_token("one-preimage", 1) == {0: "1/2", 1: "1/2"}
    assert distance_at_prompt("one-preimage", 1) == Fraction(1, 10)
    assert exact(audited("one-preimage", 1)[0]) == "1/10"


def test_resampling_from_p() -> None:
    """p = (1/2, 3/10, 1/5), q reversed: (7/20, 39/100, 13/50), TV 3/20."""
    assert first_token("resample-from-p", 1) == {0: "7/20", 1: "39/100", 2: "13/50"}
    assert distance_at_prompt("resample-from-p", 1) == Fraction(3, 20)
    assert exact(audited("resample-from-p", 1)[0]) == "3/20"


def test_drawing_from_p_without_a_proposal() -> None:
    """p = (1/2, 3/10, 1/5), psi = (1/10, 1/10, 1/2): the law by hand, and the TV it makes.

    Accepted: 1/10, 1/10, 1/5. Rejected with 3/10 (only c can be): residual (2/5, 1/5, 0) of 3/5.
    No proposal with 3/10: p. In all 1/10 + 2/10 + 15/100, 1/10 + 1/10 + 9/100, 1/5 + 6/100.
    """
    home = gallery_pair("no-proposal")
    assert brute_force.law_at(home.pair.target, home.prompt) == {
        0: Fraction(1, 2),
        1: Fraction(3, 10),
        2: Fraction(1, 5),
    }
    psi = brute_force.next_candidate(brute_force.proposals(home.pair, home.prompt, "fixed:1"))
    assert psi == {0: Fraction(1, 10), 1: Fraction(1, 10), 2: Fraction(1, 2)}
    assert first_token("no-proposal-from-p", 1) == {0: "9/20", 1: "29/100", 2: "13/50"}
    assert distance_at_prompt("no-proposal-from-p", 1) == Fraction(3, 50)
    one_round, run = audited("no-proposal-from-p", 1)
    assert exact(one_round) == "3/50"
    assert run.verdict == LOSSY


def test_a_bonus_behind_the_last_candidate() -> None:
    """After a the drafts are nothing 1/2, b 1/6 and (b, a) 1/3, all of the latter two kept.

    b comes rightly, with 2/3. After b alone the bonus is from p = (3/4, 1/4), though psi_2 leaves
    of it only what (b, a) does not cover: P(b, a) = 1/3 + 1/6 * 3/4 + 1/6 * 3/4 = 7/12.
    """
    one_round, run = audited("slrs-block-bonus", 2)
    assert one_round.verdict == run.verdict == LOSSY
    assert exact(one_round) == "1/9"  # at the worst context; 1/12 at the prompt
    assert distance_at_prompt("slrs-block-bonus", 2) == Fraction(1, 12)
    laws, prompt = laws_of("slrs-block-bonus", 2)
    law = laws.completed_round(prompt)
    beginning = {
        ids: sum((n for string, n in law.items() if string[:2] == ids), rational(0))
        for ids in ((1, 0), (1, 1))
    }
    assert beginning == {(1, 0): rational(7, 12), (1, 1): rational(1, 12)}
    proposals = brute_force.proposals(laws.pair, prompt, "fixed:2")
    assert proposals == {(): Fraction(1, 2), (1,): Fraction(1, 6), (1, 0): Fraction(1, 3)}
    assert one_round.fault == "residual"


def by_brute_force(name: str, lookahead: int, context: Ids) -> Fraction:
    """TV at ``context`` of the string-level examples, from formulas alone."""
    pair = gallery_pair(EXAMPLES[name].home).pair
    slug = f"fixed:{lookahead}"
    proposed = brute_force.proposals(pair, context, slug)

    def psi_after(accepted: Ids) -> brute_force.Law:
        if name == "psi-of-one-draft":
            return brute_force.next_candidate(brute_force.proposals(pair, context, "fixed:1"))
        if name == "unconditional-psi":
            return brute_force.next_candidate(brute_force.proposals(pair, context + accepted, slug))
        return brute_force.next_candidate(proposed, accepted)

    blocks = brute_force.rejection_blocks(
        pair,
        context,
        proposed,
        psi_after,
        one_token=name in ("psi-of-one-draft", "no-proposal-from-p"),
        unproposed=(lambda p, _: p) if name == "no-proposal-from-p" else None,
    )
    law = brute_force.completed(pair, context, blocks)
    return brute_force.distance(law, brute_force.due(pair, context, max(map(len, law))))


@pytest.mark.parametrize(
    ("name", "lookahead", "at_prompt", "largest"),
    [
        ("psi-of-one-draft", 2, "1/6", "1/6"),
        ("psi-of-one-draft", 3, "1/6", "1/6"),
        ("unconditional-psi", 2, None, "4/9"),
        ("unconditional-psi", 3, None, "17/24"),
        ("no-proposal-from-p", 1, "3/50", "3/50"),
        ("no-proposal-from-p", 2, "9/125", "9/125"),
    ],
)
def test_wrong_laws_of_proposals(
    name: str, lookahead: int, at_prompt: str | None, largest: str
) -> None:
    """The audit's largest distance is the stated one, which formulas alone give at that context."""
    laws, prompt = laws_of(name, lookahead)
    one_round, run = audited(name, lookahead)
    assert one_round.verdict == run.verdict == LOSSY
    assert exact(one_round) == largest
    contexts = brute_force.reachable(laws.pair, prompt, HORIZON)
    assert max(by_brute_force(name, lookahead, c) for c in contexts) == Fraction(largest)
    assert distance_at_prompt(name, lookahead) == by_brute_force(name, lookahead, prompt)
    if at_prompt is not None:
        assert by_brute_force(name, lookahead, prompt) == Fraction(at_prompt)


def test_brute_force_finds_the_correct_rule_lossless() -> None:
    """The same formulas with the right psi_k, and the residual for no proposal: distance 0."""
    for home in ("retokenized", "no-proposal", "composition"):
        pair, prompt = gallery_pair(home).pair, gallery_pair(home).prompt
        for slug in ("fixed:2", "fixed:3", "characters:2/cap:3"):
            proposed = brute_force.proposals(pair, prompt, slug)
            blocks = brute_force.rejection_blocks(
                pair,
                prompt,
                proposed,
                lambda accepted, law=proposed: brute_force.next_candidate(law, accepted),
            )
            law = brute_force.completed(pair, prompt, blocks)
            due = brute_force.due(pair, prompt, max(map(len, law)))
            assert brute_force.distance(law, due) == 0


@pytest.mark.parametrize("lookahead", [1, 2, 3])
def test_a_retokenized_context(lookahead: int) -> None:
    """The minimal witness: after a, b the text ab is one id, after which the target is another.

    b comes with 3/4, the target's law after (ab), where 0 is due, its law after b. No shorter
    context shows a difference, and none of that length with a smaller continuation.
    """
    one_round, run = audited("retokenized-context", lookahead)
    assert one_round.verdict == run.verdict == LOSSY
    assert exact(one_round) == "3/4"
    witness = one_round.witness
    assert witness is not None
    assert (witness.context, witness.continuation) == ((0, 1), (1,))
    assert (witness.due.exact, witness.given.exact) == (0, rational(3, 4))
    assert (witness.vocabulary, witness.lookahead) == (3, lookahead)
    assert one_round.fault == "vocabulary-map"
    assert one_round.refutes == ("next-token", "block")

    pair = gallery_pair("retokenized").pair
    text = pair.target_tokenizer.decode((0, 1))
    assert pair.target_tokenizer.encode(text) == (2,)
    assert brute_force.law_at(pair.target, (0, 1)).get(1, 0) == 0
    assert brute_force.law_at(pair.target, (2,))[1] == Fraction(3, 4)
    laws, prompt = laws_of("retokenized-context", lookahead)
    first = brute_force.as_fractions(laws.completed_round(prompt))
    assert pair.target_tokenizer.encode(pair.target_tokenizer.decode(prompt)) == prompt
    assert first == brute_force.due(pair, prompt, max(map(len, first)))
    # In whole runs a later round is the first to go wrong: the strings (b, b) are never due.
    assert run.witness is not None
    assert (run.witness.context, run.witness.continuation) == (prompt, (1, 1))
    assert (run.witness.due.exact, run.witness.given.exact) == (0, rational(1, 4))


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("lookahead", [2, 3])
def test_witnesses_are_differences_and_minimal(name: str, lookahead: int) -> None:
    """Recomputed from the blocks: due and given are as stated, and nothing smaller differs."""
    laws, prompt = laws_of(name, lookahead)
    result, _ = audited(name, lookahead)
    witness = result.witness
    assert result.verdict == LOSSY
    assert witness is not None

    def beginning(law: dict[Ids, Fraction], ids: Ids) -> Fraction:
        return sum((n for s, n in law.items() if s[: len(ids)] == ids), Fraction(0))

    def both(context: Ids) -> tuple[dict[Ids, Fraction], dict[Ids, Fraction]]:
        blocks: dict[Ids, Fraction] = {}
        for (block, _), number in laws.round_law(context).blocks.items():
            blocks[block] = blocks.get(block, Fraction(0)) + brute_force.exactly(number)
        given = brute_force.completed(laws.pair, context, blocks)
        return brute_force.due(laws.pair, context, max(map(len, given))), given

    due, given = both(witness.context)
    assert beginning(due, witness.continuation) == brute_force.exactly(witness.due.exact)
    assert beginning(given, witness.continuation) == brute_force.exactly(witness.given.exact)
    assert witness.due.exact != witness.given.exact
    for shorter in range(1, len(witness.continuation)):
        for ids in {string[:shorter] for string in (*due, *given)}:
            assert beginning(due, ids) == beginning(given, ids)
    for context in brute_force.reachable(laws.pair, prompt, HORIZON):
        if len(context) < len(witness.context):
            due, given = both(context)
            assert due == given

"""The tables that faults are named from: every law in them is one, and right rules are right."""

import math

import pytest
from draftproof.audit.kinds.cases import Case
from draftproof.audit.kinds.due import DueLaws
from draftproof.audit.kinds.evidence import Evidence
from draftproof.audit.kinds.mistakes import MISTAKES
from draftproof.audit.kinds.pairs import named_pair
from draftproof.audit.kinds.settings import PLAIN
from draftproof.audit.kinds.wrong_blocks import BLOCKS, due_chance, due_residual, longest
from draftproof.audit.kinds.wrong_choices import ACCEPTS
from draftproof.audit.kinds.wrong_couplings import COUPLINGS, drawn_again, matched, raced_again
from draftproof.audit.kinds.wrong_draws import BONUSES, FINALS
from draftproof.audit.kinds.wrong_feeds import FEEDS
from draftproof.audit.kinds.wrong_parts import explained
from draftproof.audit.kinds.wrong_reasons import unexplained
from draftproof.audit.kinds.wrong_rules import rule
from draftproof.audit.kinds.wrong_runs import block_law
from draftproof.audit.kinds.wrong_seen import rounds

FAULTS = frozenset(
    (
        *("proposal-law", "target-law", "acceptance-rule", "residual", "coupled-randomness"),
        *("position-shift", "state-not-rolled-back", "block-or-tree", "vocabulary-map"),
        *("numerical-edge", "stopping", "reporting", "relaxed-by-design"),
    )
)

PAIRS = ("base", "two-id-residual", "fair-coins", "cumulative", "context-dependent")


def evidence(block, names=PAIRS, lookaheads=(1, 2)):
    """What an audit would have seen of a rule whose law of the block is ``block``."""
    for name in names:
        for lookahead in lookaheads:
            case = Case(named_pair(name), lookahead)
            due = DueLaws(case.pair, PLAIN)
            parts = {}
            for x in due.drafts(lookahead):
                p = [due.row(x[:j]) for j in range(lookahead + 1)]
                q = [due.drafter.after(due.prompt + x[:j]) for j in range(lookahead)]
                parts[x] = block(p, q, x)
            yield Evidence(case, lookahead + 1, {}, parts)


def named(block, own_drafts=False):
    seen = rounds(evidence(block))
    found = explained(seen, own_drafts)
    return found or [unexplained(seen)]


@pytest.mark.parametrize("name", ["base", "context-dependent"])
@pytest.mark.parametrize("lookahead", [1, 2])
def test_every_law_in_the_table_is_a_law(name, lookahead):
    due = DueLaws(named_pair(name), PLAIN)
    for mistake in MISTAKES:
        law = block_law(mistake, due, (), lookahead)
        if law is not None:
            assert math.fsum(law.values()) == pytest.approx(1, abs=1e-9), mistake.what
            assert min(law.values()) >= -1e-12, mistake.what


def test_every_mistake_has_words_and_classes_of_the_contract():
    table = [*MISTAKES, *(b for b in BLOCKS if b.faults), *COUPLINGS]
    for each in table:
        assert each.what and each.where
        assert each.faults and set(each.faults) <= set(FAULTS)
    for choice in (*ACCEPTS, *FINALS, *BONUSES, *FEEDS):
        assert bool(choice.what) == bool(choice.faults)
        assert set(choice.faults) <= set(FAULTS)


@pytest.mark.parametrize(
    "block",
    [
        rule(),
        rule(ACCEPTS[1].of, FINALS[1].of),
        matched(accepts=False, bonus=False),
        longest(due_chance, due_residual),
    ],
    ids=["ratio", "certain", "matching", "block"],
)
def test_nothing_is_wrong_with_what_is_right(block):
    assert {each.mistakes for each in named(block)} == {0}


def test_two_mistakes_are_both_named():
    wrong = rule(final=lambda p, q, x, j: q[j], bonus=lambda p, q, x, j: p[max(j - 1, 0)])
    (found,) = named(wrong)
    assert found.mistakes == 2
    assert found.faults[:2] == ("residual", "position-shift")
    assert "from q after a rejection" in found.what and "row before" in found.what


@pytest.mark.parametrize(
    "block",
    [
        raced_again(FINALS[0].of, bonus=False),
        raced_again(None, bonus=True),
        drawn_again(FINALS[2].of, bonus=False),
    ],
)
def test_what_is_shared_with_the_drafts_is_looked_for_only_where_the_subject_draws_them(block):
    assert "coupled-randomness" in named(block, own_drafts=True)[0].faults
    found = named(block, own_drafts=False)
    assert not any("drafter's" in each.what for each in found)


@pytest.mark.parametrize(
    ("accept", "faults", "note"),
    [
        (lambda p, q, x, j: 0.97 * min(1, p[j][x[j]] / q[j][x[j]]), ("acceptance-rule",), ""),
        (
            lambda p, q, x, j: min(1.0, p[j][x[j]] / (q[j][x[j]] + 1e-6)),
            ("numerical-edge", "acceptance-rule"),
            "tiny amounts",
        ),
        (
            lambda p, q, x, j: 1.0 if x[-1] == 0 else min(1, p[j][x[j]] / q[j][x[j]]),
            ("block-or-tree", "coupled-randomness"),
            "drafts after it",
        ),
    ],
)
def test_what_nothing_explains_is_reasoned_from_where_it_is_wrong(accept, faults, note):
    (found,) = named(rule(accept=accept))
    assert not found.what and found.reason.endswith("look at the comparison that accepts a draft")
    assert found.faults[: len(faults)] == faults
    assert note in found.note


def test_rows_all_alike_tell_a_shift_from_shared_randomness():
    shifted = rule(
        bonus=lambda p, q, x, j: tuple((a + b) / 2 for a, b in zip(p[0], p[j], strict=True))
    )
    (found,) = named(shifted)
    assert found.faults[0] == "position-shift"
    assert found.note == "nothing is wrong where all rows are alike"


def test_a_law_on_which_rules_agree_names_them_all():
    seen = rounds(evidence(rule(accept=lambda p, q, x, j: 1.0), ("base",), (1,)))
    heads = {each.faults[0] for each in explained(seen)}
    assert "acceptance-rule" in heads

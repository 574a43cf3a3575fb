"""SLRS under stop rules in comparisons: what is kept, between which bounds, what rounds cost."""

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

import choosing_toys as toys  # noqa: E402
from draftproof.adapters.choosing import ruled  # noqa: E402
from draftproof.adapters.choosing.continuations import Continuation, continued  # noqa: E402
from draftproof.adapters.choosing.ruled import kept_between, rule_slugs  # noqa: E402
from draftproof.adapters.choosing.subject import Subject  # noqa: E402
from draftproof.adapters.decoding import programs  # noqa: E402
from draftproof.adapters.decoding.text_rules import TextRule  # noqa: E402
from draftproof.adapters.huggingface.coins import TensorSampler  # noqa: E402
from draftproof.adapters.tokenizers.patterns import UnknownWordsError  # noqa: E402
from draftproof.reference import branches, program  # noqa: E402
from draftproof.toymodels.gallery import gallery_pair  # noqa: E402

EXACT = 1e-12
PAIRS = (
    "base",
    "merging-target",
    "composition",
    "retokenized",
    "end-in-target-only",
    "no-proposal",
)
RULES = ("fixed:2", "determined:1/cap:3", "lookup:1/cap:2", "fixed:2/block", "tokens:2/cap:3/block")


@pytest.fixture
def closed(monkeypatch):
    """Bounds are refined until they meet."""
    monkeypatch.setattr(ruled, "APART", 0.0)


def subject_of(each, rules, most=1):
    return Subject(toys.through_tensors(each.pair), most, rules=rules)


def due_tokens(each, rule):
    made = program("slrs", rule)
    return sum(
        float(leaf.probability) * len(leaf.result.emitted)
        for leaf in branches(lambda chance: made.run_round(each.pair, each.prompt, chance, None))
    )


def deviations(each, rules):
    """|expected - due| tokens of a round at the prompt, by rule."""
    subject = subject_of(each, rules)
    found = toys.expected_figures(each, 1, 1, toys.TEXT, subject=subject)
    return {
        rule: abs(found[f"slrs-{rule}", subject.cap(f"slrs-{rule}")][0] - due_tokens(each, rule))
        for rule in rules
    }


@pytest.mark.parametrize("pair_name", PAIRS)
def test_tokens_of_a_round_given_the_text(closed, pair_name):
    del closed
    found = deviations(gallery_pair(pair_name), RULES)
    assert max(found.values()) < EXACT, found


@pytest.mark.parametrize("pair_name", PAIRS)
def test_acceptance_in_expectation(closed, pair_name):
    del closed
    each = gallery_pair(pair_name)
    subject = subject_of(each, RULES)
    pair = subject.pair
    (p,) = pair.target.distributions(each.prompt)
    for rule in RULES:
        made = subject.program(f"slrs-{rule}").text_rule
        found = 0.0
        for token in p.support():
            text = Continuation(each.prompt, (token,), [p], 1, toys.ends_of(pair))
            found += float(p[token]) * ruled.ruled(made, text, 0).acceptance
        due = float(program("slrs", rule).acceptance(each.pair, each.prompt))
        assert found == pytest.approx(due, abs=EXACT), rule


def test_the_middle_of_open_bounds_is_wrong_by_half_of_what_is_open(monkeypatch):
    """Bounds left open on purpose: the number lies between, and what is open is reported."""
    each = gallery_pair("composition")
    subject = subject_of(each, ("fixed:2",))
    made = subject.program("slrs-fixed:2").text_rule
    text = continued(subject.pair.target, each.prompt, 1, 4, TensorSampler(3), frozenset())
    monkeypatch.setattr(ruled, "APART", 0.0)
    exact = ruled.ruled(made, text, 0)
    assert exact.open < EXACT
    seen = set()
    for apart in (0.9, 0.3, 0.1, 0.01):
        monkeypatch.setattr(ruled, "APART", apart)
        found = ruled.ruled(made, text, 0)
        assert found.open <= apart + EXACT
        wrong = abs(found.kept.text - exact.kept.text)
        assert max(wrong) <= apart + EXACT  # what is not followed is at most that
        assert wrong[0] <= found.open / 2 + EXACT
        seen.add(found.open)
    assert len(seen) > 1
    monkeypatch.setattr(ruled, "APART", 0.0)
    monkeypatch.setattr(ruled, "STEPS", 1)
    assert ruled.ruled(made, text, 0).open > 0.01  # what is left is said


class Mass:
    def __init__(self, low, high):
        self.low, self.high = low, high


def test_bounds_on_what_is_kept_by_hand():
    masses = [Mass(1, 1), Mass(0.2, 0.3), Mass(0.05, 0.1)]
    low, high = kept_between(masses, [0.5, 0.25], False)
    assert low == pytest.approx([0.4, 0.4 * 0.05 / 0.3 / 0.25])
    assert high == pytest.approx([0.6, 0.6])  # 0.1 / 0.2 / 0.25 is above 1
    low, high = kept_between(masses, [0.5, 0.25], True)
    assert low == pytest.approx([0.4, 0.4])
    assert high == pytest.approx([0.6, 0.6])
    assert kept_between([Mass(1, 1), Mass(0, 0), Mass(0, 0)], [0.5, 0.5], False) == (
        [0, 0],
        [0, 0],
    )


# Which rules there are.


def test_rules_that_a_tokenizer_does_not_allow_are_left_out_with_a_remark(monkeypatch):
    def refuse(pair, slug):
        raise UnknownWordsError(f"the rule {slug!r} cannot be used: it splits hairs")

    monkeypatch.setattr(programs, "TextRule", refuse)
    each = gallery_pair("base")
    subject = subject_of(each, ("fixed:2",))
    assert subject.rules == ()
    assert "'fixed:2' cannot be used" in subject.remark
    assert "slrs-fixed:2" not in subject.algorithms


def test_lists_of_rules():
    assert rule_slugs("fixed:2, lookup:2/cap:6/block") == ("fixed:2", "lookup:2/cap:6/block")
    assert rule_slugs("none") == ()
    for said, complaint in (
        ("fixed:2,fixed:2", "given twice"),
        ("sometimes", "no stop rule"),
        ("", "no stop rule"),
        ("characters:2/cap:3", "for toy models"),
    ):
        with pytest.raises(ValueError, match=complaint):
            rule_slugs(said)


# Planted faults: the checks above fail on them.


def test_one_by_one_in_place_of_the_block_is_noticed(closed, monkeypatch):
    del closed
    plain = ruled.kept_between
    monkeypatch.setattr(ruled, "kept_between", lambda m, p, _: plain(m, p, False))
    assert deviations(gallery_pair("base"), ("fixed:2/block",))["fixed:2/block"] > 1e-3


def test_another_rule_s_psi_is_noticed(closed, monkeypatch):
    del closed
    psi = TextRule.psi
    monkeypatch.setattr(
        TextRule, "psi", lambda self, context: psi(TextRule(self.pair, "fixed:3"), context)
    )
    assert deviations(gallery_pair("composition"), ("fixed:2",))["fixed:2"] > 1e-3


def test_a_mass_not_divided_by_that_of_its_beginning_is_noticed(closed, monkeypatch):
    del closed
    plain = ruled.kept_between
    whole = Mass(1, 1)

    def undivided(masses, chances, block):
        low, high = [], []
        for part, p in zip(masses[1:], chances, strict=True):
            one, other = plain([whole, part], [p], block)
            low.append((low[-1] if low else 1) * one[0])
            high.append((high[-1] if high else 1) * other[0])
        return low, high

    monkeypatch.setattr(ruled, "kept_between", undivided)
    assert deviations(gallery_pair("base"), ("fixed:2",))["fixed:2"] > 1e-3

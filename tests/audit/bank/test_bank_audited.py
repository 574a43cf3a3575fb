"""The bank is the audit's own test: every fault seen, every false alarm certified."""

import math
from importlib.util import find_spec

import pytest
from draftproof.audit.bank import BANK, FALSE_ALARMS
from draftproof.audit.bank.given import given_law
from draftproof.audit.bank.matrix import kill

pytest.importorskip("numpy")
#: Where the audit falls short of an entry today: the entry, and words that each problem holds.
SHORT: dict[str, tuple[str, ...]] = {}

HERE = [e for e in BANK.values() if not e.needs_torch or find_spec("torch")]
WITH_CONTROL = [e for e in HERE if e.has_control]


def distance(given, exact):
    return max(abs(given.get(ids, 0.0) - float(exact[ids])) for ids in {*given, *exact})


@pytest.mark.parametrize("entry", HERE, ids=lambda e: e.id)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_exact_law(entry):
    given = given_law(entry)
    assert math.fsum(given.values()) == pytest.approx(1, abs=1e-12)
    assert distance(given, entry.law) < 1e-12


@pytest.mark.parametrize("entry", WITH_CONTROL, ids=lambda e: e.id)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_mended_it_gives_the_law_due(entry):
    assert distance(given_law(entry, entry.control()), entry.due) < 1e-12


@pytest.mark.parametrize("entry", HERE, ids=lambda e: e.id)
def test_the_audit_agrees(entry):
    problems = kill(entry).problems()
    if entry.id in SHORT:
        # Strict: an audit that has learnt to see this must say so here.
        assert problems
        assert all(any(words in each for words in SHORT[entry.id]) for each in problems), problems
    else:
        assert problems == []


def test_no_false_alarm_may_fall_short():
    assert not {e.id for e in FALSE_ALARMS} & set(SHORT)

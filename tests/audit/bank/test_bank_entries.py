"""The bank's entries: complete, consistent, and their laws derived a second time."""

import ast
import itertools
import json
import re
from importlib import resources
from pathlib import Path

import bank_derivations
import bank_derivations_runs
import bank_derivations_strings
import pytest
from draftproof.audit.bank import BANK, FALSE_ALARMS, FAULTS, RELAXED_RULES, entry
from draftproof.audit.bank.entry import LEVELS, SUBJECTS
from draftproof.audit.bank.registry import SAME_LAW, UnknownEntryError
from draftproof.reference import total_variation
from draftproof.reference.exact import ZERO

assert bank_derivations_runs
assert bank_derivations_strings
ENTRIES = list(BANK.values())
IDS = list(BANK)
#: The rows of the team's table of toys (section 2 of its list of public faults).
ROWS = (
    *("T1", "T2", "T3", "T4", "T5", "T7", "T7b", "T8", "T12", "T14", "T16", "T17", "T18", "T19"),
    *("T20", "T21", "T22", "T23", "T26", "T27", "T28", "T29", "T31", "T32", "T32b", "T34", "T36"),
    *("T38", "T40", "T47", "T50", "T51", "T53", "FA1", "FA2", "FA3"),
)
#: Laws of that table, as it has them, where the case here is its own.
TABLE = {
    "T1": ("resample-from-p", "7/20 39/100 13/50", "3/20"),
    "T2": ("always-accept", "1/5 3/10 1/2", "3/10"),
    "T3": ("residual-only-zeroes-draft", "31/80 33/80 1/5", "9/80"),
    "T4": ("argmax-draft-softmax-q", "3/5 0 2/5", "3/10"),
    "T5": ("raw-q-after-top-k", "1/2 1/2 0", "1/10"),
    "T7": ("coin-reused-for-residual", "3/10 1/2 1/5", "1/10"),
    "T7b": ("coin-reused-one-hot", "2/5 4/15 1/3", "2/15"),
    "T8": ("gumbel-noise-shared", "58/105 73/210 1/10", "11/210"),
    "T12": ("typical-acceptance", "1/5 3/10 1/2", "3/10"),
    "T14": ("temperature-dropped-on-verified", "4/7 2/7 1/7", "4/21"),
    "T18": ("first-draft-unverified", "1/5 3/10 1/2", "3/10"),
    "T19": ("next-row-after-reject", "1/20 19/20", "9/20"),
    "T26": ("recovered-always-id-0", "7/10 1/10 1/5", "3/10"),
    "T31": ("garbage-q-subtracted", "2/5 1/5 2/5", "1/5"),
    "T32b": ("block-product-without-q", "93/125 32/125", "18/125"),
    "T36": ("accept-argmax-only", "1 0 0", "1/2"),
    "T40": ("one-preimage-of-two", "1/2 1/2 0", "1/10"),
    "T53": ("probability-threshold", "0 1 0", "7/10"),
}
JOINT = {
    "T20": ("bonus-from-last-row", "2/5"),
    "T21": ("rejected-left-in-state", "2/5"),
    "T22": ("one-coin-a-step", "1/2"),
    "T23": ("requests-share-stream", "1/2"),
    "T32": ("token-residual-in-block", "1/6"),
    "T34": ("longest-of-independent-branches", "3/8"),
    "T38": ("only-last-token-tested-for-end", "1/5"),
}


def test_counts():
    lossy = [e for e in FAULTS if e.total_variation > 0]
    assert len(lossy) >= 45
    assert len(FALSE_ALARMS) >= 12
    assert len(RELAXED_RULES) >= 4
    assert len(BANK) == len(FAULTS) + len(FALSE_ALARMS) + len(RELAXED_RULES)


def test_every_row_of_the_table_has_an_entry():
    assert set(ROWS) == {e.row for e in ENTRIES} - {None}


def test_every_subject_is_an_entry():
    public = {
        f"{path.stem}:{node.name}"
        for path in SUBJECTS.glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    assert public == {e.where for e in ENTRIES}


@pytest.mark.parametrize("name", IDS)
def test_an_entry_is_consistent(name):
    each = BANK[name]
    schema = json.loads(
        resources.files("draftproof.audit").joinpath("schemas/report.json").read_text("utf-8")
    )
    allowed = schema["$defs"]
    assert each.law.mass == each.due.mass == 1
    assert total_variation(each.due, each.law) == each.total_variation
    assert each.kind in allowed["kind"]["enum"]
    assert each.guarantee in allowed["guarantee"]["enum"]
    assert each.check in LEVELS
    assert all(re.fullmatch(r"[^/ ]+/[^/ ]+ #\d+", report) for report in each.reports)
    assert each.title
    assert each.mechanism.endswith(".")
    assert each.reports or each.note or each.row in ("T2", "T40")
    if each.is_false_alarm:
        assert each.fault is None
        assert each.total_variation == 0
    else:
        assert each.fault in allowed["fault"]["enum"]
        assert each.is_relaxed == (each.fault == "relaxed-by-design") == bool(each.relaxed)
        only_at_the_edge = each.guarantee == "reporting" or name == "seed-ignored"
        assert (each.total_variation > 0) != only_at_the_edge
    if each.check != "edges" and each.fault is not None:
        marked = [line for line in each.source.splitlines() if "# WRONG: " in line]
        assert marked or each.is_relaxed, "the faulty line is not marked"
        assert each.has_control or len(each.source.splitlines()) < 15
    assert 3 <= len(each.source.splitlines()) <= 32


def test_what_is_due_is_plain_decoding_unless_the_request_changes_it():
    for each in ENTRIES:
        changing = set(each.case.options) - {"eos"}
        if not changing and each.case.coin is None:
            assert each.due == each.case.plain_law(), each.id


def test_laws_that_are_shared_are_listed_both_ways():
    for each in FAULTS + RELAXED_RULES:
        for other in map(entry, each.shares_law_with):
            assert each.id in other.shares_law_with
            assert each.law == other.law
            assert each.due == other.due
    listed = {frozenset(two) for group in SAME_LAW for two in itertools.combinations(group, 2)}
    lossy = [e for e in FAULTS + RELAXED_RULES if e.total_variation > ZERO]
    for one, other in itertools.combinations(lossy, 2):
        same = one.law == other.law and one.case.describe() == other.case.describe()
        assert same <= (frozenset((one.id, other.id)) in listed), (one.id, other.id)


def test_laws_of_the_table():
    for row, (name, law, distance) in TABLE.items():
        each = entry(name)
        assert each.row == row
        given = [str(each.law[(x,)]) for x in range(each.case.target.size)]
        assert " ".join(given) == law, row
        assert str(each.total_variation) == distance, row
    for row, (name, distance) in JOINT.items():
        assert entry(name).row == row
        assert str(entry(name).total_variation) == distance, row


@pytest.mark.parametrize(
    "name", [n for n in IDS if n in bank_derivations.DERIVED or n in bank_derivations.CLOSED]
)
def test_the_law_derived_a_second_time(name):
    assert bank_derivations.derived_law(BANK[name]) == BANK[name].law


def test_only_false_alarms_are_without_a_second_derivation():
    derived = {*bank_derivations.DERIVED, *bank_derivations.CLOSED}
    assert derived <= set(BANK)
    assert {name for name in BANK if name not in derived} <= {e.id for e in FALSE_ALARMS}


def test_an_unknown_entry_names_the_nearest():
    with pytest.raises(UnknownEntryError, match="did you mean match-rule"):
        entry("match-rul")


def test_subjects_are_third_party_code():
    for path in Path(SUBJECTS).glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "draftproof" not in text, path.name
        assert "from ." not in text, path.name

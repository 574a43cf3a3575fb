"""The ledger: every entry holds, and every check of it is broken by a mutated definition."""

from importlib.util import find_spec

import pytest
from draftproof.proofs import STATUSES, Check, Claim, ClaimError
from draftproof.proofs.claims import CLAIMS, FAMILIES, claim_named
from draftproof.proofs.controls import CONTROLS, MUTATIONS, survives
from draftproof.proofs.ledger import (
    CORRECTED,
    FIXED_SIZES,
    PROVED,
    REFUTED,
    run_check,
    verify,
)

CHECKS = [(claim, place) for claim in CLAIMS.values() for place in range(len(claim.checks))]
IDS = [f"{claim.name}-{place}-{claim.checks[place].how}" for claim, place in CHECKS]


def runnable(check):
    lacking = check.lacking()
    if lacking is not None:
        pytest.skip(f"needs {lacking}: pip install 'draftproof[proofs]'")
    return check


@pytest.mark.parametrize(("claim", "place"), CHECKS, ids=IDS)
def test_every_check_holds(claim, place):
    step = run_check(runnable(claim.checks[place]))
    assert step.verdict == "holds", step.lines
    assert step.lines


@pytest.mark.parametrize(("claim", "place"), CHECKS, ids=IDS)
def test_a_mutated_definition_breaks_every_check(claim, place):
    check = runnable(claim.checks[place])
    assert not survives(check, MUTATIONS[CONTROLS[claim.name][place]])


def test_a_mutation_that_changes_nothing_is_noticed():
    check = CLAIMS["lemma-3.1"].checks[0]
    assert survives(check, list)


def test_every_check_has_its_control():
    assert set(CONTROLS) == set(CLAIMS)
    assert all(len(CONTROLS[claim.name]) == len(claim.checks) for claim in CLAIMS.values())
    assert {name for names in CONTROLS.values() for name in names} <= set(MUTATIONS)


def test_statuses_say_what_establishes_them():
    for claim in CLAIMS.values():
        assert claim.status in STATUSES
        assert claim.family in FAMILIES
        assert claim.checks
        hows = {check.how for check in claim.checks}
        if claim.status == PROVED:
            assert claim.theorems, f"{claim.name} is proved by no theorem"
        if claim.status == FIXED_SIZES:
            assert "symbolic" in hows
        if claim.status in (REFUTED, CORRECTED):
            assert "counterexample" in hows
            assert claim.corrected


def test_each_objection_of_the_review_has_its_entries():
    assert {claim.answers for claim in CLAIMS.values()} >= {1, 2, 3}


def test_what_fails_is_told_from_what_raises():
    def wrong():
        yield "one"
        raise ClaimError("two is not three")

    def broken():
        yield "one"
        raise KeyError("b")

    claim = Claim(
        "c",
        "rejection",
        "",
        "",
        "",
        REFUTED,
        "",
        checks=(
            Check("instances", "wrong", wrong),
            Check("instances", "broken", broken),
            Check("instances", "nothing", list),
            Check("instances", "absent", list, ("no_such_package",)),
            Check("instances", "right", lambda: ["fine"]),
        ),
    )
    (entry,) = verify([claim])
    assert [step.verdict for step in entry.steps] == ["fails", "fails", "fails", "not run", "holds"]
    assert [step.lines[-1] for step in entry.steps] == [
        "two is not three",
        "KeyError: 'b'",
        "the check found nothing to say; it may have run on nothing",
        "no_such_package is not installed: pip install 'draftproof[proofs]'",
        "fine",
    ]
    assert entry.verdict == "fails"


def test_an_unknown_claim_names_its_neighbours():
    with pytest.raises(ValueError, match="near names: slem"):
        claim_named("slems")


def test_the_ledger_imports_without_its_extras():
    assert find_spec("draftproof.proofs.formulas")
    import subprocess
    import sys

    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from draftproof.proofs.claims import CLAIMS; "
            "heavy = ('z3', 'sympy', 'torch', 'numpy'); "
            "print(len(CLAIMS), [m for m in heavy if m in sys.modules])",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    assert said == f"{len(CLAIMS)} []\n"

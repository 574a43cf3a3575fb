"""The cases of the routes, as data: what they name exists, and they vary what they should.

None of this needs torch.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from draftproof.adapters.known import MECHANISMS, mechanisms_of
from draftproof.adapters.routes import ROUTES, Case, cases_of, named_routes

CASES = [case for route in ROUTES for case in cases_of(route)]
SCRIPTS = Path(__file__).parents[2] / "docs" / "scripts" / "transformers"


def test_importing_the_routes_and_the_sweep_imports_no_torch():
    code = (
        "import sys, draftproof.adapters.sweep as s, draftproof.adapters.matrix;"
        "[s.cases_of(name) for name in s.named_routes(None)];"
        "sys.exit(bool({'torch', 'transformers', 'numpy'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_no_two_cases_bear_the_same_name():
    assert [key for key, count in Counter(case.key for case in CASES).items() if count > 1] == []


def test_every_route_has_cases_and_a_quick_one():
    for route in ROUTES:
        mine = cases_of(route)
        assert all(case.route == route for case in mine)
        assert any(case.quick for case in mine), route
        assert len(mine) >= 10, route


def test_every_mechanism_that_a_case_shows_is_known_and_its_script_is_there():
    assert {slug for case in CASES for slug in case.shows} <= MECHANISMS.keys()
    for mechanism in MECHANISMS.values():
        if mechanism.script is not None:
            assert (SCRIPTS / f"{mechanism.script}.py").is_file(), mechanism.script


def test_cases_stay_small_enough_to_enumerate():
    for case in CASES:
        if case.keywords["do_sample"]:
            size = case.settings.get("top_k") or case.toys["vocabulary"]
            assert size <= 4 and case.horizon * case.calls <= 4 and case.lookahead <= 3, case.key


def test_what_the_issue_names_is_swept():
    names = " ".join(case.pair for case in CASES)
    for word in (
        "temperature", "top-k", "top-p", "min-p", "penalty", "bad word", "minimum length",
        "suppressed", "stop string", "stop criterion", "watermark", "stateful", "confidence",
        "schedule", "another end of sequence", "ends in an end", "all shared", "knows more",
        "two assistants", "same objects twice", "ensemble",
    ):  # fmt: skip
        assert word in names, word


def test_a_mechanism_is_given_only_to_routes_and_releases_where_it_was_read():
    case = Case("dflash", "plain", 1, shows=("raw-logits-for-processed",))
    assert [m.slug for m in mechanisms_of(case, (), "5.15.0")] == ["raw-logits-for-processed"]
    assert mechanisms_of(case, (), "5.24.0") == []
    assert mechanisms_of(case, (), "not a release") == []
    elsewhere = Case("assisted", "plain", 1, shows=("raw-logits-for-processed",))
    assert mechanisms_of(elsewhere, (), "5.15.0") == []
    seen = mechanisms_of(case, ("past-an-end",), "5.15.0")
    assert [m.slug for m in seen] == ["past-an-end", "raw-logits-for-processed"]


def test_routes_are_named_in_the_order_of_reports():
    assert named_routes(None) == tuple(ROUTES)
    assert named_routes(["dflash", "assisted"]) == ("assisted", "dflash")
    with pytest.raises(ValueError, match="no route is called 'beam'"):
        named_routes(["beam"])

"""The kill table: true both ways, and the killing set is as small as it says."""

import json
import random
from importlib.util import find_spec
from itertools import combinations

import pytest
from draftproof.audit.bank import BANK
from draftproof.audit.vectors.covering import smallest_cover
from draftproof.audit.vectors.files import vectors
from draftproof.audit.vectors.kills import can_run, kill, kill_file, kill_table
from draftproof.audit.vectors.trying import TRIED, try_vectors
from vector_models import FOLDER

pytest.importorskip("numpy")
TABLE = json.loads(FOLDER.joinpath("kills.json").read_text(encoding="utf-8"))
ENTRIES = {each["id"]: each for each in TABLE["entries"]}
CHOSEN = TABLE["killing_set"]
BY_ID = {vector.id: vector for kind in TRIED for vector in vectors(kind)}


def test_the_table_is_of_this_bank_and_these_vectors():
    assert list(ENTRIES) == list(BANK), "run `draftproof vectors --kills`"
    assert set(CHOSEN) <= set(BY_ID)
    for name, each in ENTRIES.items():
        entry = BANK[name]
        assert (each["class"], each["kind"], each["verdict"]) == (
            entry.fault,
            entry.kind,
            entry.verdict,
        )


@pytest.mark.parametrize("name", list(ENTRIES))
def test_the_killing_set_kills_what_the_table_says_and_nothing_else(name):
    entry, said = BANK[name], ENTRIES[name]
    if not can_run(entry):
        pytest.skip("its subject needs torch")
    found = kill(entry, [BY_ID[each] for each in CHOSEN])
    assert [each for each in CHOSEN if each in found.killed_by] == said["in_set"]
    assert [each for each in CHOSEN if each in found.survives] == said["survives_in_set"]
    assert bool(said["in_set"]) == (said["unreached"] is None)


def test_every_fault_but_those_that_no_id_shows_is_killed():
    """Seeds that are ignored and log-probabilities: the ids have the law due."""
    survivors = {
        name for name, each in ENTRIES.items() if each["unreached"] and each["class"] is not None
    }
    assert survivors == {"seed-ignored", "logprobs-not-filled", "logprobs-of-residual"}
    for each in ENTRIES.values():
        assert each["class"] or each["unreached"] == "it is exact"


def test_what_laws_cannot_see_is_seen_by_coins():
    """A coin of exactly 0 has probability zero: no law holds it."""
    only = set(TABLE["seen_by_coins_only"])
    assert only == {"coin-zero-accepts", "kernel-coin-zero-accepts", "search-overshoots"}
    for name in only:
        counts = ENTRIES[name]["killed_by"]
        assert counts["coin"] > 0 and counts["law"] == counts["given"] == 0
    assert ENTRIES["coin-reused-for-residual"]["killed_by"]["coin"] > 50


@pytest.mark.parametrize("name", ["ratio-inflated", "ratio-near-one-accepts"])
def test_small_defects_fail_laws_and_coins_at_once(name):
    entry = BANK[name]
    near_one = [v for v in BY_ID.values() if "near" in v.id and "exact-match" not in v.id]
    failed = try_vectors(entry.subject(), entry.kind, near_one).failed
    assert any(each.startswith("law-nearly-one") for each in failed)
    assert any(each.startswith("coin-near-one") for each in failed)
    mended = try_vectors(entry.control(), entry.kind, near_one)
    assert mended.passed and not mended.failed


def test_a_planted_vector_that_is_wrong_is_noticed():
    """A wrong expectation fails the mended subject, and so kills nothing."""
    from dataclasses import replace

    entry = BANK["kernel-coin-reused"]
    name = "coin-two-left-final-rejection-1-zero-float64"
    right = BY_ID[name]
    assert kill(entry, [right]).killed_by == {name}
    wrong = replace(right, expect=right.expect | {"ids": [2]})
    assert try_vectors(entry.control(), entry.kind, [wrong]).failed
    assert not kill(entry, [wrong]).killed_by


def test_the_smallest_cover_is_the_smallest():
    numbers = random.Random(3)
    for _ in range(60):
        kills = {f"v{n}": {f for f in range(8) if numbers.random() < 0.3} for n in range(9)}
        wanted = set().union(*kills.values())
        least = next(
            size
            for size in range(len(kills) + 1)
            for chosen in combinations(kills, size)
            if set().union(*(kills[name] for name in chosen)) == wanted
        )
        found, proved = smallest_cover({k: {str(f) for f in v} for k, v in kills.items()})
        assert proved
        assert len(found) == least
        assert set().union(*(kills[name] for name in found)) == wanted


@pytest.mark.long
@pytest.mark.skipif(find_spec("torch") is None, reason="some subjects need torch")
def test_the_whole_table_again():
    assert kill_file(kill_table()) == FOLDER.joinpath("kills.json").read_text(encoding="utf-8")

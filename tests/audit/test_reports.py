"""Reports: one JSON object that the schema accepts, whatever the verdict; JUnit; readable text."""

from __future__ import annotations

import json
import time
from importlib import resources
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from draftproof.audit import (
    LOSSLESS,
    LOSSY,
    NOT_APPLICABLE,
    RELAXED,
    UNDECIDED,
    Cell,
    Report,
    Result,
    Subject,
    SubjectError,
    Value,
    audit_cell,
    exact_audit,
    run,
    run_named,
)
from draftproof.audit.junit import junit_xml
from draftproof.audit.random_pairs import run_random
from draftproof.audit.report import subject_of
from draftproof.audit.subjects import cell
from draftproof.audit.table import report_text
from draftproof.reference import Program, Round, rational
from draftproof.toymodels import gallery_pair

SMALL: dict[str, Any] = {"lookaheads": (1, 2), "horizon": 2}


def schema(name: str) -> dict[str, Any]:
    text = resources.files("draftproof.audit").joinpath(f"schemas/{name}.json").read_text("utf-8")
    return json.loads(text)


def check_schema(value: object, name: str = "report") -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))
    jsonschema.Draft202012Validator(schema(name)).validate(value)


def spent_report(monkeypatch: pytest.MonkeyPatch, subject: str, pair: str, after: int) -> Report:
    """An audit whose clock passes the deadline at the ``after``-th branch."""
    ticks = iter(range(10**9))
    monkeypatch.setattr(exact_audit.time, "monotonic", lambda: float(next(ticks)))
    named = gallery_pair(pair)
    results = audit_cell(cell(subject, "fixed:1" if "builtin" in subject else "1", named), 3, after)
    return Report((subject_of(subject, "builtin", results),), tuple(results))


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> dict[str, Report]:
    return {
        LOSSLESS: run("builtin:slrs", pairs=["base"], **SMALL),
        LOSSY: run("example:one-preimage", pairs=["many-to-one"], **SMALL),
        RELAXED: run("example:one-preimage", pairs=["many-to-one"], **SMALL).relaxed("on purpose"),
        NOT_APPLICABLE: run("builtin:tli", pairs=["empty-intersection"], **SMALL),
        UNDECIDED: spent_report(monkeypatch, "builtin:standard", "base", 5),
    }


VERDICTS = (LOSSLESS, LOSSY, RELAXED, NOT_APPLICABLE, UNDECIDED)
CODES = {LOSSLESS: 0, RELAXED: 0, LOSSY: 1, NOT_APPLICABLE: 2, UNDECIDED: 3}


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_fits_the_schema(verdict: str, reports: dict[str, Report]) -> None:
    report = reports[verdict]
    assert report.verdict == verdict
    assert {r.verdict for r in report.results} == {verdict}
    assert report.exit_code() == CODES[verdict]
    again = json.loads(report.to_json_text())
    assert again == report.to_json()
    check_schema(again)
    for result in again["results"]:
        measured = verdict in (LOSSLESS, LOSSY, RELAXED)
        assert (result["total_variation"] is not None) == measured
        assert (result["witness"] is not None) == (verdict in (LOSSY, RELAXED))
        assert (result["samples_needed"] is not None) == (verdict in (LOSSY, RELAXED))
        assert (result["reason"] is not None) == (verdict not in (LOSSLESS, LOSSY))


def test_zero_is_written_as_a_fraction(reports: dict[str, Report]) -> None:
    for result in reports[LOSSLESS].to_json()["results"]:
        assert result["total_variation"] == {"exact": "0/1", "float": 0.0}
        assert result["tolerance"] == 0
        assert result["acceptance"]["exact"] == "7/10"


def test_a_lossy_result_says_what_the_contract_wants(reports: dict[str, Report]) -> None:
    result = reports[LOSSY].to_json()["results"][0]
    assert result["subject"] == "example:one-preimage"
    assert (result["check"], result["guarantee"]) == ("one-round", "block")
    assert result["total_variation"] == {"exact": "1/10", "float": 0.1}
    assert result["fault"] == "vocabulary-map"
    assert result["fault_candidates"] == ["vocabulary-map"]
    assert result["refutes"] == ["next-token", "block"]
    assert result["witness"] == {
        "context": [0],
        "continuation": [0],
        "due": {"exact": "3/5", "float": 0.6},
        "given": {"exact": "1/2", "float": 0.5},
        "vocabulary": 2,
        "lookahead": 1,
    }
    assert result["stop_rule"] == "fixed:1"
    assert result["samples_needed"]["n"] == 363


def test_the_schema_refuses_what_is_wrong(reports: dict[str, Report]) -> None:
    """The check above can fail: misspelled slugs, missing parts, floats for fractions."""
    good = reports[LOSSY].to_json()

    def spoiled(change: Any) -> dict[str, Any]:
        value = json.loads(json.dumps(good))
        change(value)
        return value

    for change in (
        lambda v: v.pop("subjects"),
        lambda v: v.update(schema="draftproof/report/0"),
        lambda v: v.update(extra=1),
        lambda v: v["results"][0].update(verdict="LOSSLES"),
        lambda v: v["results"][0].update(fault="unknown"),
        lambda v: v["results"][0].update(check="two-rounds"),
        lambda v: v["results"][0].pop("witness"),
        lambda v: v["results"][0]["total_variation"].update(exact="0.1"),
        lambda v: v["results"][0].update(lookahead=0),
        lambda v: v["subjects"][0].update(kind="example"),
    ):
        with pytest.raises(jsonschema.ValidationError):
            check_schema(spoiled(change))


def test_a_spent_budget_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was exact until then is said; no number is given."""
    report = spent_report(monkeypatch, "builtin:standard", "base", 100)
    one_round, whole = report.results
    assert one_round.verdict == whole.verdict == UNDECIDED
    assert "the budget was spent" in (one_round.reason or "")
    assert one_round.contexts is not None
    assert one_round.contexts > 0
    assert one_round.total_variation is None
    assert one_round.unexplored_mass == 1


def test_a_difference_found_before_the_budget_ends_is_lossy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = spent_report(monkeypatch, "example:resample-from-p", "base", 30)
    one_round, whole = report.results
    assert one_round.verdict == LOSSY
    assert one_round.contexts is not None
    assert one_round.contexts < 13  # it did not get to the end
    assert whole.verdict == UNDECIDED
    assert report.verdict == LOSSY
    assert report.exit_code() == 1
    check_schema(report.to_json())


def test_a_budget_holds_for_all_cells() -> None:
    started = time.monotonic()
    report = run("builtin:standard", budget=0.01, lookaheads=(3,))
    assert time.monotonic() - started < 20
    assert report.verdict == UNDECIDED
    assert report.exit_code() == 3
    check_schema(report.to_json())


def test_parallel_and_serial_audits_agree() -> None:
    """All but the seconds, and which check paid for the paths."""

    def bare(report: Report) -> list[dict[str, Any]]:
        return [{**r, "seconds": None} for r in report.to_json()["results"]]

    options: dict[str, Any] = {"lookaheads": (1,), "horizon": 2}
    serial = run_named("builtin:slem", processes=1, **options)
    assert bare(serial) == bare(run_named("builtin:slem", processes=2, **options))


def test_progress_is_told_after_each_cell() -> None:
    told: list[tuple[int, int, str]] = []
    run_named(
        "builtin:tli", pairs=["base", "equal"], progress=lambda *each: told.append(each), **SMALL
    )
    assert told == [(n, 4, "builtin:tli") for n in (1, 2, 3, 4)]


# --- edges and relaxation ----------------------------------------------------------------------


def with_edge(verdict: str) -> Report:
    result = Result("s", "rule", None, "one-round", "block", LOSSLESS)
    edge = Result("s", "rule", None, "one-round", "nan", verdict)
    return Report((Subject("s", "rule", LOSSLESS, (edge,)),), (result,))


def test_edges_count_only_when_strict() -> None:
    failed, passed = with_edge(LOSSY), with_edge(LOSSLESS)
    assert failed.verdict == LOSSLESS
    assert [failed.exit_code(), failed.exit_code(strict=True)] == [0, 1]
    assert [passed.exit_code(), passed.exit_code(strict=True)] == [0, 0]
    assert len(failed.edges) == 1


def test_surveyed_subjects_never_change_the_verdict(reports: dict[str, Report]) -> None:
    lossy, lossless = reports[LOSSY], reports[LOSSLESS]
    both = Report(
        lossless.subjects + lossy.subjects,
        lossless.results + lossy.results,
        survey=frozenset({"example:one-preimage"}),
    )
    assert both.verdict == LOSSLESS
    assert both.exit_code() == 0
    assert both.relaxed("x").subjects == both.subjects  # what is surveyed stays lossy
    assert 'failures="0"' in junit_xml(both)


def test_relaxed_names_the_property_and_keeps_the_distance(reports: dict[str, Report]) -> None:
    report = reports[RELAXED]
    for before, after in zip(reports[LOSSY].results, report.results, strict=True):
        assert after.total_variation == before.total_variation
        assert after.witness == before.witness
        assert after.fault == "relaxed-by-design"
        assert after.reason == "declared: on purpose"
    assert report.subjects[0].reason == "declared: on purpose"
    assert reports[LOSSLESS].relaxed("x").verdict == LOSSLESS


# --- text and JUnit ----------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_report_reads_well(verdict: str, reports: dict[str, Report]) -> None:
    """The repr names verdict and subject, fits its width, and notebooks get it escaped."""
    report = reports[verdict]
    text = repr(report)
    assert verdict in text
    assert report.subjects[0].subject in text
    for width in (100, 160):
        lines = report_text(report, width).splitlines()
        assert max(map(len, lines)) <= width
    html = report._repr_html_()
    assert html.startswith("<pre>")
    assert html.endswith("</pre>")
    ElementTree.fromstring(html)
    if verdict == LOSSLESS:
        assert "every distance exactly 0" in text
    if verdict == LOSSY:
        assert "after [0] ('a') comes [0] ('a') with probability 1/2; due is 3/5" in text
        assert "class vocabulary-map" in text
        assert "363 samples" in text
    if verdict in (NOT_APPLICABLE, UNDECIDED):
        assert (report.results[0].reason or "") in " ".join(text.split())


def test_a_long_report_is_summed_up() -> None:
    text = repr(run("builtin:union", lookaheads=(2,), horizon=1))
    assert "Exact acceptance of the first candidate, at the prompt, lookahead 2:" in text
    assert "inexpressible" in text


@pytest.mark.parametrize("verdict", VERDICTS)
def test_junit(verdict: str, reports: dict[str, Report]) -> None:
    """Well-formed, one case a result, counted as what the verdict amounts to."""
    report = reports[verdict]
    root = ElementTree.fromstring(junit_xml(report).split("\n", 1)[1])
    (suite,) = root
    cases = list(suite)
    assert suite.get("tests") == str(len(cases)) == str(len(report.results))
    assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
    assert suite.get("errors") == str(len(suite.findall("testcase/error")))
    expected = {LOSSY: "failure", UNDECIDED: "error", NOT_APPLICABLE: "skipped"}.get(verdict)
    for case in cases:
        assert [child.tag for child in case] == ([expected] if expected else [])
    if verdict == LOSSY:
        message = cases[0][0].get("message") or ""
        assert "after [0] comes [0] with probability 0.5, due is 0.6" in message


def test_junit_escapes_what_xml_cannot_hold() -> None:
    result = Result("s<&>\"'", "rule", "p<", "one-round", "block", UNDECIDED, reason="<b> & \x85é")
    report = Report((Subject(result.subject, "rule", UNDECIDED),), (result,))
    root = ElementTree.fromstring(junit_xml(report).encode())
    assert root[0].get("name") == result.subject
    assert "<b> & " in (root[0][0][0].get("message") or "")


# --- random pairs ------------------------------------------------------------------------------


def test_random_pairs_are_lossless_and_the_same_for_a_seed() -> None:
    def audit(seed: int) -> tuple[Report, list[Any]]:
        report, named = run_random("builtin", count=5, seed=seed, lookaheads=(1,), horizon=2)
        models = [(repr(pair.target), repr(pair.drafter)) for pair in named.values()]
        return report, models

    (first, models), (again, same), (_, others) = audit(1), audit(1), audit(2)
    assert first.verdict == LOSSLESS
    assert {r.total_variation.exact for r in first.results if r.total_variation} == {0}
    assert len({r.pair for r in first.results}) == 5
    assert models == same
    assert models != others
    bare = [{**r, "seconds": None} for r in first.to_json()["results"]]
    assert bare == [{**r, "seconds": None} for r in again.to_json()["results"]]
    check_schema(first.to_json())


def test_a_failure_on_random_pairs_is_shrunk_and_described() -> None:
    """Few tokens, contexts of one law; all that is needed to build the pair is in the report."""
    report, named = run_random("example:resample-from-p", count=50, seed=1)
    assert report.verdict == LOSSY
    found = [r for r in report.results if r.verdict == LOSSY]
    assert {r.pair for r in found} == {"random:1:smallest"}
    pair = named["random:1:smallest"]
    assert pair.target.size <= 3
    assert pair.drafter.size <= 3
    assert found[0].lookahead == 1
    assert found[0].witness is not None
    assert len(found[0].witness.context) == 1
    for result in found:
        assert "'target'" in (result.reason or "")
        assert "'drafter'" in (result.reason or "")
    check_schema(report.to_json())


def test_a_budget_that_ends_while_shrinking_keeps_the_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """LOSSY stays LOSSY, though the smallest pair was not found."""
    clock = {"now": 0.0}
    monkeypatch.setattr(time, "monotonic", lambda: clock["now"])
    real = audit_cell

    def expensive(*arguments: Any) -> list[Result]:
        results = real(*arguments)
        if any(r.verdict == LOSSY for r in results):
            clock["now"] = 100.0
        return results

    monkeypatch.setattr("draftproof.audit.random_pairs.audit_cell", expensive)
    report, _ = run_random("example:resample-from-p", count=50, seed=1, budget=50)
    assert report.verdict == LOSSY


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"lookaheads": (0,)}, "the lookahead is 0"),
        ({"lookaheads": ()}, "there is no lookahead"),
        ({"horizon": 0}, "the horizon is 0"),
        ({"budget": 0}, "the budget is 0 seconds"),
        ({"budget": float("nan")}, "the budget is nan seconds"),
        ({"budget": -1}, "the budget is -1 seconds"),
    ],
)
def test_numbers_an_audit_cannot_run_with(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        run("builtin:slem", **options)
    with pytest.raises(ValueError, match=said):
        run_random("builtin:slem", count=1, seed=0, **options)


def test_subjects_that_do_not_exist() -> None:
    with pytest.raises(SubjectError, match="did you mean builtin:slrs"):
        run("builtin:slrx")
    with pytest.raises(SubjectError, match="no subject is called 'slrs'"):
        run("slrs")
    with pytest.raises(SubjectError, match="kind"):
        run(lambda: None)
    with pytest.raises(SubjectError, match="builtin:slem"):
        run("builtin:slem", kind="rule")
    with pytest.raises(ValueError, match="no gallery pair is called 'bas'; near names: base"):
        run("builtin:slem", pairs=["bas"])


def test_what_raises_everywhere_fits_the_schema() -> None:
    named = gallery_pair("base")

    def breaks(*_: object) -> Round:
        raise RuntimeError("always")

    results = audit_cell(
        Cell("builtin:slem", Program("x", breaks, 1), "base", named.pair, named.prompt), 2
    )
    report = Report((subject_of("builtin:slem", "builtin", results),), tuple(results))
    assert report.verdict == UNDECIDED
    check_schema(report.to_json())
    assert "RuntimeError: always" in repr(report)


def test_values() -> None:
    value = Value.of(rational(3, 7))
    assert value is not None
    assert value.to_json() == {"exact": "3/7", "float": 3 / 7}
    inexact = Value.of(0.25)
    assert inexact is not None
    assert inexact.to_json() == {"exact": None, "float": 0.25}
    assert Value.of(None) is None

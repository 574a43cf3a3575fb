"""The conformance run of the pytest plugin: an audit whose results are tests.

The audit runs once, before collection, in a process of its own. Under xdist the controller runs it
and hands the report to the workers, so that all of them collect the same tests.
"""

from __future__ import annotations

import difflib
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from draftproof.audit.kinds.front import run_callable
from draftproof.audit.report import LOSSY, NOT_APPLICABLE, RELAXED, UNDECIDED, Report, Result, worst

from .expected_failures import expected_failures
from .explaining import SMALLEST, explained

ROOT = "draftproof"
#: The test that an expected-failure file has no stale entries.
FILE_TEST = "expected-failures"


class Conformance:
    """The hooks of a run with ``--draftproof``."""

    def __init__(self, config: pytest.Config) -> None:
        option = config.option
        self.subject: str = option.draftproof
        self.kind: str = option.draftproof_kind
        self.option = option
        path = option.draftproof_xfail
        self.expected = expected_failures(path) if path else []
        self.strict = not option.draftproof_no_strict
        self.report: Report | None = None
        config.addinivalue_line(
            "markers", "edge: an edge of a draftproof audit: it fails with strict edges only"
        )
        self.chosen = _take_chosen(config)
        handed = getattr(config, "workerinput", {}).get("draftproof_report")
        if handed:
            self.report = pickle.loads(handed)

    def pytest_report_header(self) -> str:
        """Say what is audited."""
        return f"draftproof: {self.subject} as {self.kind}"

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand the report to a worker of xdist."""
        node.workerinput["draftproof_report"] = pickle.dumps(self.audited())

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Audit before anything is collected: what cannot be audited ends the run here."""
        self.audited()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Add the tests, those that were asked for by id if any were."""
        tests = list(session.genitems(Results.from_parent(session, run=self)))
        names = {test.nodeid for test in tests}
        for nodeid in self.chosen:
            if nodeid not in names and nodeid != f"{ROOT}::{self.kind}":
                near = difflib.get_close_matches(nodeid, names, n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise pytest.UsageError(f"there is no test {nodeid}{hint}")
        if self.chosen and f"{ROOT}::{self.kind}" not in self.chosen:
            left_out = [test for test in tests if test.nodeid not in self.chosen]
            tests = [test for test in tests if test.nodeid in self.chosen]
            if left_out:
                config.hook.pytest_deselected(items=left_out)
        items.extend(tests)

    def audited(self) -> Report:
        """The report, made the first time.

        Raises:
            pytest.UsageError: in one line, for what cannot be audited.
        """
        if self.report is None:
            option = self.option
            try:
                self.report = run_callable(
                    self.subject,
                    self.kind,
                    isolate=True,
                    pairs=option.draftproof_pair,
                    random=option.draftproof_random,
                    seed=option.draftproof_seed,
                    lookahead=option.draftproof_lookahead,
                    horizon=option.draftproof_horizon,
                    budget=option.draftproof_budget,
                    tolerance=option.draftproof_tolerance,
                    relaxed=option.draftproof_relaxed,
                )
                if option.draftproof_json:
                    text = self.report.to_json_text()
                    Path(option.draftproof_json).write_text(text, encoding="utf-8")
            except (ValueError, OSError) as problem:
                raise pytest.UsageError(f"draftproof: {' '.join(str(problem).split())}") from None
            if self.report.verdict == NOT_APPLICABLE:
                reason = self.report.subjects[0].reason or "no check applies"
                raise pytest.UsageError(f"draftproof: nothing could be checked: {reason}")
        return self.report


def _take_chosen(config: pytest.Config) -> list[str]:
    """Take ids of our tests out of pytest's arguments; without other arguments, all of them.

    ``pytest --draftproof SUBJECT`` is about the subject: tests of the project run with it only
    when they are named.
    """
    ours = [arg for arg in config.args if arg.startswith(f"{ROOT}::")]
    config.args = [arg for arg in config.args if arg not in ours]
    if config.args_source != config.ArgsSource.ARGS:
        config.args = []
    return ours


class Results(pytest.Collector):
    """Collects one test for each check on each pair."""

    def __init__(self, run: Conformance, **arguments: Any) -> None:
        super().__init__(name=run.kind, nodeid=f"{ROOT}::{run.kind}", **arguments)
        self.run = run

    @classmethod
    def from_parent(cls, parent: Any, *, run: Conformance) -> Results:  # pyright: ignore[reportIncompatibleMethodOverride]
        """As pytest wants nodes to be made."""
        return super().from_parent(parent, run=run)

    def collect(self) -> Iterator[pytest.Item]:
        """The tests: laws, edges, then that of the expected-failure file."""
        report = self.run.audited()
        smallest = next((r for r in report.results if r.pair == SMALLEST), None)
        tests = [
            ResultTest.from_parent(
                self, name=name, results=results, is_edge=is_edge, smallest=smallest
            )
            for is_edge, found in ((False, report.results), (True, report.edges))
            for name, results in _named(found).items()
        ]
        yield from tests
        if self.run.expected and self.run.strict:
            yield FileTest.from_parent(self, name=FILE_TEST, tests=tests)


def _named(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Results by the name of their test; the counterexample that was shrunk is in the messages."""
    named: dict[str, list[Result]] = {}
    for result in results:
        if result.pair != SMALLEST:
            where = "-".join(str(part) for part in (result.pair, result.lookahead) if part)
            named.setdefault(f"{result.check}[{where}]" if where else result.check, []).append(
                result
            )
    return named


class _Test(pytest.Item):
    """A test of ours: it has a subject, and no Python function."""

    @property
    def run(self) -> Conformance:
        """The run that it belongs to."""
        assert isinstance(self.parent, Results)
        return self.parent.run

    def reportinfo(self) -> tuple[Path | str, int, str]:
        """Where it is: the file of the subject, if it was named by one."""
        path = Path(self.run.subject.rpartition(":")[0])
        return (path.resolve() if path.is_file() else self.config.rootpath / ROOT), 0, self.name


class ResultTest(_Test):
    """One result, or several of the same check on the same pair."""

    def __init__(
        self, results: list[Result], is_edge: bool, smallest: Result | None, **arguments: Any
    ) -> None:
        super().__init__(**arguments)
        verdict = worst(result.verdict for result in results)
        self.result = next(r for r in results if r.verdict == verdict)
        self.smallest = smallest
        self.is_edge = is_edge
        entries = self.run.expected
        self.expected = next((e for e in entries if e.matches(self.name, self.nodeid)), None)
        if is_edge:
            self.add_marker("edge")
        if verdict == NOT_APPLICABLE:
            self.add_marker(pytest.mark.skip(reason=self.result.reason or "not applicable"))
        elif self.expected and not self.run.strict:
            self.add_marker(pytest.mark.xfail(reason=self._known(), strict=False))
        self.user_properties += _properties(self.result)

    def runtest(self) -> None:
        """Fail with the verdict, unless it is expected."""
        if self.result.verdict in (LOSSY, UNDECIDED):
            if self.expected and self.run.strict:
                pytest.xfail(self._known())
            if self.is_edge and not self.run.option.draftproof_strict_edges:
                pytest.xfail(f"an edge, which fails with --draftproof-strict-edges only: {self}")
            pytest.fail(explained(self.result, self.smallest), pytrace=False)
        if self.expected and self.run.strict:
            pytest.fail(
                f"{self.result.verdict}, but {self.expected.place} expects it to fail "
                f"({self.expected.reason}): take the entry {self.expected.pattern!r} out, or "
                "narrow it down to the tests that fail",
                pytrace=False,
            )

    def _known(self) -> str:
        assert self.expected is not None
        return f"{self.expected.reason} ({self.expected.place})"

    def __str__(self) -> str:
        return self.result.reason or self.result.verdict


class FileTest(_Test):
    """Every entry of the expected-failure file names a test."""

    def __init__(self, tests: Sequence[ResultTest], **arguments: Any) -> None:
        super().__init__(**arguments)
        self.tests = tests

    def runtest(self) -> None:
        """Fail with the entries that match nothing."""
        names = {test.name: test.nodeid for test in self.tests}
        lines: list[str] = []
        for entry in self.run.expected:
            if not any(entry.matches(*named) for named in names.items()):
                near = difflib.get_close_matches(entry.pattern.rpartition("::")[2], names, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                lines.append(f"{entry.place}: {entry.pattern!r} matches no test{hint}")
        if lines:
            pytest.fail("\n".join(lines), pytrace=False)


def _properties(result: Result) -> list[tuple[str, str]]:
    """What JUnit XML has of a result besides its outcome."""
    found: dict[str, object] = {
        "verdict": result.verdict,
        "guarantee": result.guarantee,
        "total_variation": result.total_variation and result.total_variation.float,
        "tolerance": result.tolerance,
        "fault": result.fault if result.verdict in (LOSSY, RELAXED) else None,
    }
    return [
        (f"draftproof.{name}", str(value)) for name, value in found.items() if value is not None
    ]

"""The pytest plugin, under the entry point ``draftproof``: a fixture and a conformance run.

Loaded by every pytest in the environment, so it imports nothing but pytest, says nothing, and does
nothing unless it is used. The conformance run (``pytest --draftproof SUBJECT``) is in
`draftproof.conformance`, which is imported only then; the assertions are in `draftproof.testing`.

PYTEST_DONT_REWRITE: there is nothing to be rewritten here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from draftproof.audit import Report

#: As in `draftproof.audit.kinds.KINDS`, which is too heavy to be imported here.
KINDS = ("rule", "generate", "batch_rule", "kernel", "transformers")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the conformance run."""
    group = parser.getgroup("draftproof", "draftproof: is this speculative decoder lossless?")
    add = group.addoption
    add(
        "--draftproof",
        metavar="SUBJECT",
        help="audit path/file.py:name or package.module:name: one test for each check and pair",
    )
    add("--draftproof-kind", choices=KINDS, help="the kind of SUBJECT")
    add(
        "--draftproof-xfail",
        metavar="FILE",
        help="tests that are expected to fail: one id a line, * and ? stand for anything, "
        "the reason behind #; an entry that passes or matches nothing is a failure",
    )
    add(
        "--draftproof-no-strict",
        action="store_true",
        help="entries of --draftproof-xfail may pass, and may match nothing",
    )
    add(
        "--draftproof-strict-edges",
        action="store_true",
        help="failed edges (ends of [0, 1), NaN rows, reporting) are failures, not xfail",
    )
    add(
        "--draftproof-pair",
        metavar="NAME",
        action="append",
        help="check the law on this pair alone; may be repeated",
    )
    add("--draftproof-random", metavar="N", type=int, help="check the law on N random pairs")
    add("--draftproof-seed", metavar="S", type=int, default=0, help="seed of the random pairs")
    add(
        "--draftproof-lookahead",
        metavar="K",
        type=int,
        action="append",
        help="drafts a round; may be repeated",
    )
    add("--draftproof-horizon", metavar="N", type=int, help="new ids of whole runs")
    add("--draftproof-tolerance", metavar="X", type=float, help="no distance above X is lossless")
    add(
        "--draftproof-budget",
        metavar="SECONDS",
        type=float,
        help="what is unfinished by then is UNDECIDED, which fails (default: 120)",
    )
    add("--draftproof-relaxed", metavar="TEXT", help="SUBJECT is lossy by design; TEXT says how")
    add("--draftproof-json", metavar="FILE", help="write the whole report as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Set up the conformance run, if one is asked for."""
    option = config.option
    if option.draftproof is None:
        given = [
            name for name, value in vars(option).items() if name.startswith("draftproof_") and value
        ]
        if given:
            name = given[0].replace("_", "-")
            raise pytest.UsageError(f"--{name} needs --draftproof SUBJECT")
        return
    if option.draftproof_kind is None:
        kinds = f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"
        raise pytest.UsageError(
            f"--draftproof {option.draftproof} needs --draftproof-kind, one of {kinds}"
        )
    from .conformance import Conformance

    config.pluginmanager.register(Conformance(config), "draftproof-conformance")


@pytest.fixture
def draftproof_audit(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """Audits a callable and attaches the report to the test.

    ``draftproof_audit(f, kind, **options)`` returns the `Report` of `draftproof.audit.run`. Its
    text is a section of the test's output, its verdict a property of the test in JUnit XML. It does
    not fail a test: compare ``report.verdict``, or use `draftproof.testing`.
    """

    def audit(f: object, kind: str, **options: Any) -> Report:
        from .testing import quiet_run

        report = quiet_run(f, kind, **options)
        name = ", ".join(subject.subject for subject in report.subjects)
        request.node.user_properties.append((f"draftproof {name}", report.verdict))
        request.node.add_report_section("call", "draftproof", repr(report))
        return report

    return audit

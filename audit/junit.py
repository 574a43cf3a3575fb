"""The report as JUnit XML, which continuous-integration servers display: one test case a result."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from .report import LOSSY, NOT_APPLICABLE, UNDECIDED, Report, Result

#: Characters that XML 1.0 cannot hold in any form.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(report: Report) -> str:
    """``report`` as a JUnit document; LOSSY fails, UNDECIDED errs, NOT_APPLICABLE is skipped.

    Edges are test cases too; subjects that were only surveyed are marked skipped when they fail,
    since they decide nothing.
    """
    root = ElementTree.Element("testsuites", name="draftproof")
    for subject in report.subjects:
        results = [r for r in report.results if r.subject == subject.subject]
        cases = [*results, *subject.edges]
        surveyed = subject.subject in report.survey
        failing = 0 if surveyed else sum(r.verdict == LOSSY for r in cases)
        erring = 0 if surveyed else sum(r.verdict == UNDECIDED for r in cases)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=subject.subject,
            tests=str(len(cases)),
            failures=str(failing),
            errors=str(erring),
            time=f"{sum(r.seconds or 0 for r in cases):.3f}",
        )
        for result in cases:
            _case(suite, result, surveyed)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _case(suite: ElementTree.Element, result: Result, surveyed: bool) -> None:
    name = " ".join(
        part
        for part in (
            result.check,
            result.pair,
            result.stop_rule or (f"lookahead {result.lookahead}" if result.lookahead else None),
        )
        if part
    )
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=result.subject,
        name=name,
        time=f"{result.seconds or 0:.3f}",
    )
    message = _message(result)
    if result.verdict == NOT_APPLICABLE or (surveyed and result.verdict in (LOSSY, UNDECIDED)):
        ElementTree.SubElement(case, "skipped", message=message)
    elif result.verdict == LOSSY:
        ElementTree.SubElement(case, "failure", type=LOSSY, message=message)
    elif result.verdict == UNDECIDED:
        ElementTree.SubElement(case, "error", type=UNDECIDED, message=message)


def _message(result: Result) -> str:
    parts = [result.verdict]
    if result.total_variation:
        parts.append(f"total variation {result.total_variation.float:g}")
    if witness := result.witness:
        parts.append(
            f"after {list(witness.context)} comes {list(witness.continuation)} with probability "
            f"{witness.given.float:g}, due is {witness.due.float:g}"
        )
    if result.reason:
        parts.append(result.reason)
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", "; ".join(parts))

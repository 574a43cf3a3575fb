"""Projects in which pytest runs under test; modules that use these load pytest's pytester."""

from pathlib import Path

import plugin_subjects
import pytest
from draftproof import conformance, pytest_plugin  # noqa: F401 - inner runs forget what they import
from draftproof.audit.kinds import audit_callable
from plugin_helpers import LOADED, SUBJECT


@pytest.fixture
def folder(pytester):
    """A project with subjects and a test of its own."""
    source = Path(plugin_subjects.__file__).read_text(encoding="utf-8")
    pytester.makepyfile(subjects=source, test_own="def test_own(): pass")
    return pytester


@pytest.fixture
def run(folder):
    """Runs pytest in this process."""
    return lambda *arguments: folder.runpytest_inprocess(*LOADED, *arguments)


@pytest.fixture
def audited(monkeypatch):
    """Makes conformance runs find a report that was made here, of a subject by name."""

    def use(name, **options):
        report = audit_callable(getattr(plugin_subjects, name), "rule", name=name, **options)
        monkeypatch.setattr(conformance, "run_callable", lambda *a, **k: report)

    return use


@pytest.fixture
def wrong_on_base(audited):
    audited("wrong", pairs=["base"], lookahead=1)


@pytest.fixture
def expecting(folder, run):
    """A run with an expected-failure file of these lines."""

    def conform(*lines, more=()):
        folder.path.joinpath("known.txt").write_text("\n".join(lines), encoding="utf-8")
        return run(*SUBJECT, "--draftproof-xfail", "known.txt", "-rA", *more)

    return conform

"""The survey of vLLM: are the samplers of its releases lossless?

``survey_vllm`` starts a process of its own, since Triton reads ``TRITON_INTERPRET`` when it is
imported, and since modules of several releases are executed there. Nothing of vLLM is installed or
imported in the caller's process.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import metadata
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

from ...audit.report import LOSSY, NOT_APPLICABLE, UNDECIDED, Report, Result, Subject, subject_of
from ...audit.running import Progress
from .checks import SUBJECTS, Check, checks, name_of
from .loading import Tree, interpret_triton
from .releases import FETCH_COMMAND, available

#: Seconds for everything, when nobody says otherwise.
BUDGET = 600.0
#: Guarantees of results that are edges, not laws.
EDGES = ("endpoint", "nan")


def missing() -> str | None:
    """What the survey lacks, and what to do about it; None if it can run."""
    for name in ("torch", "numpy", "triton"):
        if find_spec(name) is None:
            return f"{name} is not installed: pip install torch numpy triton"
    if not available():
        return f"no release of vllm is here: {FETCH_COMMAND} fetches the pinned ones"
    return None


def named(selection: str | None) -> tuple[list[str], str | None]:
    """The subjects and the release that ``NAME@VERSION`` stands for; either may be left out.

    Raises:
        ValueError: for a name or a release that there is not.
    """
    name, _, version = (selection or "").partition("@")
    if name and name not in SUBJECTS:
        raise ValueError(f"no subject is called 'vllm:{name}'; there are {', '.join(SUBJECTS)}")
    versions = [tree.version for tree in available()]
    if version and versions and version not in versions:
        raise ValueError(f"vllm {version} is not here; there are {', '.join(versions)}")
    return ([name] if name else list(SUBJECTS)), version or None


def survey_vllm(
    selection: str | None = None,
    *,
    budget: float | None = None,
    tolerance: float | None = None,
    progress: Progress | None = None,
) -> Report:
    """Survey vLLM's samplers, in a process of its own.

    Args:
        selection: ``NAME``, ``NAME@VERSION`` or ``@VERSION`` as on the command line after ``vllm``;
            None for every subject of every release that is here.
        budget: seconds for everything, `BUDGET` by default; what it cuts short is UNDECIDED.
        tolerance: distances above this are LOSSY even where float32 would allow them.
        progress: called after each check.

    Returns:
        A `Report` with a subject ``vllm:NAME@VERSION`` for each that was asked for, or with
        ``vllm:NAME`` as NOT_APPLICABLE when something is missing.

    Raises:
        ValueError: for a name or a release that there is not.
    """
    names, version = named(selection)
    if lacking := missing():
        subjects = [Subject(f"vllm:{n}", "kernel", NOT_APPLICABLE, reason=lacking) for n in names]
        return Report(tuple(subjects), ())
    budget = BUDGET if budget is None else budget
    with tempfile.TemporaryDirectory() as scratch:
        result, complaints = Path(scratch) / "report", Path(scratch) / "complaints"
        arguments = [str(result), selection or "", repr(budget), repr(tolerance)]
        with complaints.open("w", encoding="utf-8") as standard_error:
            process = subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.survey", *arguments],
                env=os.environ | {"TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"},
                stdout=subprocess.PIPE,
                stderr=standard_error,
                text=True,
            )
        try:
            assert process.stdout is not None
            for line in process.stdout:
                done, total, name = line.rstrip("\n").split("\t")
                if progress is not None:
                    progress(int(done), int(total), name)
            process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        if result.exists():
            return pickle.loads(result.read_bytes())
        said = complaints.read_text(encoding="utf-8", errors="replace")
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "nothing was said")
    reason = f"the process that surveys ended with exit code {process.returncode}: {last[:200]}"
    trees = [tree for tree in available() if version in (None, tree.version)]
    return Report(
        tuple(
            Subject(name_of(n, tree), "kernel", UNDECIDED, reason=reason)
            for tree in trees
            for n in names
        ),
        (),
    )


def survey_here(
    trees: Sequence[Tree],
    names: Sequence[str],
    budget: float,
    tolerance: float | None = None,
    progress: Progress | None = None,
) -> Report:
    """The survey itself, in this process, which must be fit for Triton's interpreter."""
    deadline = time.monotonic() + budget
    planned = [check for tree in trees for check in checks(tree, names, tolerance)]
    results: list[Result] = []
    for done, check in enumerate(planned, start=1):
        results += _run(check, deadline - time.monotonic())
        if progress is not None:
            progress(done, len(planned), check.name)
    order = {check.subject: place for place, check in enumerate(planned)}
    results.sort(key=lambda result: order[result.subject])
    grouped = groupby(results, key=lambda result: result.subject)
    subjects = tuple(_subject(name, list(found)) for name, found in grouped)
    results = [result for result in results if result.guarantee not in EDGES]
    versions = {
        "torch": metadata.version("torch"),
        "triton": metadata.version("triton"),
        "vllm": ", ".join(tree.version for tree in trees),
    }
    return Report(subjects, tuple(results), versions=versions)


def _subject(name: str, found: list[Result]) -> Subject:
    laws = [result for result in found if result.guarantee not in EDGES]
    edges = tuple(result for result in found if result.guarantee in EDGES)
    return replace(subject_of(name, found[0].kind, laws), edges=edges)


def _run(check: Check, seconds: float) -> list[Result]:
    blank = Result(check.subject, "kernel", None, "one-round", "block", UNDECIDED)
    if seconds <= 0:
        return [_undecided(blank, "the budget was spent before this check")]
    started = time.monotonic()
    try:
        found = check.run(seconds)
    except Exception as raised:
        line = f"{type(raised).__name__}: {' '.join(str(raised).split())[:200]}"
        return [_undecided(blank, f"{check.name}: {line}")]
    spent = time.monotonic() - started
    return [replace(r, seconds=spent if r.seconds is None else r.seconds) for r in found]


def _undecided(blank: Result, reason: str) -> Result:
    return replace(blank, reason=reason, unexplored_mass=1.0)


def _main(arguments: Iterable[str]) -> int:
    """The process of `survey_vllm`: progress goes to standard output, the report to a file."""
    import warnings

    warnings.simplefilter("ignore")
    interpret_triton()
    where, selection, budget, tolerance = arguments
    names, version = named(selection or None)
    trees = [tree for tree in available() if version in (None, tree.version)]

    def show(done: int, total: int, name: str) -> None:
        print(done, total, name, sep="\t", flush=True)

    report = survey_here(
        trees, names, float(budget), None if tolerance == "None" else float(tolerance), show
    )
    Path(where).write_bytes(pickle.dumps(report))
    return 0


__all__ = ["BUDGET", "LOSSY", "missing", "named", "survey_here", "survey_vllm"]

if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))

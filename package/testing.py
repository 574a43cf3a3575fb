"""Assertions for one's own tests: ``assert_lossless_rule(f)`` and one for each kind of subject.

They work with any test runner. What they raise is an `AssertionError` whose message is the verdict:
the class of fault, the smallest counterexample, how far the law is off, and where to look.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

if TYPE_CHECKING:
    from draftproof.audit import Report
    from draftproof.toymodels.gallery import GalleryPair

__all__ = [
    "NotLosslessError",
    "assert_lossless_batch_rule",
    "assert_lossless_generate",
    "assert_lossless_kernel",
    "assert_lossless_rule",
    "assert_lossless_transformers",
]


class Options(TypedDict, total=False):
    """What every assertion takes by keyword.

    Attributes:
        pairs: names of pairs, or pairs; then only the law is checked, on these.
        random: how many random pairs to check the law on instead; ``seed`` says which.
        lookahead: drafts a round, one number or several.
        horizon: new ids of whole runs.
        budget: seconds for everything, 120 unless given; what is not finished is UNDECIDED.
        tolerance: never call a distance above it lossless.
        relaxed: the property that a subject has which is lossy by design; it then passes.
        shrink: whether to look for the smallest counterexample.
        isolate: run in a process of its own, for a subject named by a text.
        allow_undecided: whether UNDECIDED passes.
        strict_edges: whether failed edges (ends of [0, 1), NaN rows, reporting) fail.
    """

    pairs: Sequence[str | GalleryPair]
    random: int
    seed: int
    lookahead: int | Sequence[int]
    horizon: int
    budget: float
    tolerance: float
    relaxed: str
    shrink: bool
    isolate: bool
    allow_undecided: bool
    strict_edges: bool


class NotLosslessError(AssertionError):
    """A subject was not found lossless; the message says why, ``report`` holds everything."""

    def __init__(self, message: str, report: Report) -> None:
        super().__init__(message)
        self.report = report


def assert_lossless_rule(f: object, **options: Unpack[Options]) -> Report:
    """Assert that a rejection sampler ``f(target_rows, draft_rows, drafts)`` is lossless.

    ``f`` is a callable, or a text such as ``path/file.py:name`` that names one. The report is
    returned, for further assertions.

    Raises:
        NotLosslessError: with the verdict, for LOSSY (unless declared relaxed) and for UNDECIDED
            (unless allowed).
        ValueError: in one line, for what cannot be audited.
    """
    __tracebackhide__ = True
    return _checked(f, "rule", options)


def assert_lossless_generate(f: object, **options: Unpack[Options]) -> Report:
    """Assert it of a decoder ``f(target, drafter, prompt, lookahead, max_new_tokens)``.

    Options and exceptions as for `assert_lossless_rule`.
    """
    __tracebackhide__ = True
    return _checked(f, "generate", options)


def assert_lossless_batch_rule(f: object, **options: Unpack[Options]) -> Report:
    """Assert it of a batched sampler ``f(target_rows, draft_rows, drafts, lengths)``.

    Options and exceptions as for `assert_lossless_rule`.
    """
    __tracebackhide__ = True
    return _checked(f, "batch_rule", options)


def assert_lossless_kernel(f: object, **options: Unpack[Options]) -> Report:
    """Assert it of a kernel ``f(target_rows, draft_rows, drafts, coins)``, given its structure.

    Options and exceptions as for `assert_lossless_rule`.
    """
    __tracebackhide__ = True
    return _checked(f, "kernel", options)


def assert_lossless_transformers(f: object, **options: Unpack[Options]) -> Report:
    """Assert it of ``f(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, ...)``.

    The keywords are those of ``generate()``, as ``**kwargs`` or by name. A whole audit takes about
    a minute; ``pairs``, ``lookahead`` and ``horizon`` make it shorter. Options and exceptions as
    for `assert_lossless_rule`; without torch, transformers or tokenizers, a `ValueError` says so.
    """
    __tracebackhide__ = True
    return _checked(f, "transformers", options)


def quiet_run(f: object, kind: str, **options: Any) -> Report:
    """`draftproof.audit.run`, whatever a test runner makes of warnings.

    NaN rows are tried too, and where a project turns warnings into errors, what NumPy has to say
    about them would decide paths of the subject.
    """
    from draftproof.audit import run

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run(f, kind=kind, **options)


def _checked(f: object, kind: str, options: Options) -> Report:
    __tracebackhide__ = True
    from draftproof.audit import SubjectError

    from .explaining import failure_of

    asked: dict[str, Any] = dict(options)
    lenient = asked.pop("allow_undecided", False)
    strict = asked.pop("strict_edges", False)
    try:
        report = quiet_run(f, kind, **asked)
    except SubjectError as problem:  # from here, so that a test's traceback ends at its own line
        raise SubjectError(str(problem)) from None
    message = failure_of(report, allow_undecided=lenient, strict_edges=strict)
    if message is not None:
        raise NotLosslessError(message, report)
    return report

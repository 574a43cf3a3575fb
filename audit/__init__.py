"""The audit: exact laws of programs, verdicts on them, witnesses, and reports.

`run` audits a subject and returns a `Report`. Beneath it, `laws` finds the exact law of a round and
of a whole run, `exact_audit` compares them with the target's own, `verdicts` turns a distance into
a witness, `examples` keeps decoders that are lossy on purpose, and `table`, `junit` and `report`
show the outcome to people and to machines. All of that is exact; only `samples`, for engines of
which nothing but replies is seen, rests on sampling, and never says LOSSLESS.
"""

from .exact_audit import Cell, audit_cell
from .examples import EXAMPLES, Example
from .laws import BudgetSpentError, Laws, RoundLaw
from .report import (
    LOSSLESS,
    LOSSY,
    NOT_APPLICABLE,
    RELAXED,
    UNDECIDED,
    Report,
    Result,
    SamplesNeeded,
    Subject,
    Value,
    Witness,
)
from .running import run, run_named
from .subjects import SubjectError
from .trace import Trace, trace
from .verdicts import Difference, difference, samples_needed

__all__ = [
    "EXAMPLES",
    "LOSSLESS",
    "LOSSY",
    "NOT_APPLICABLE",
    "RELAXED",
    "UNDECIDED",
    "BudgetSpentError",
    "Cell",
    "Difference",
    "Example",
    "Laws",
    "Report",
    "Result",
    "RoundLaw",
    "SamplesNeeded",
    "Subject",
    "SubjectError",
    "Trace",
    "Value",
    "Witness",
    "audit_cell",
    "difference",
    "run",
    "run_named",
    "samples_needed",
    "trace",
]

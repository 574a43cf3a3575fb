"""The fault bank: what goes wrong in real speculative decoders, each as a small subject.

Every `FaultEntry` states a mechanism, the public reports behind it, and the exact law that the
wrong decoder gives on a stated case, as fractions. `FAULTS` are lossy, `FALSE_ALARMS` were reported
and are exact, `RELAXED` are lossy by design. `matrix` audits them all and says which level of
checks sees which: the kill matrix, a test of the audit itself.

The subjects, in ``subjects/``, are written as third-party code would be, and import NumPy or torch;
they are loaded only when one of them runs.
"""

from .cases import Case
from .entry import FaultEntry
from .registry import BANK, FALSE_ALARMS, FAULTS, RELAXED_RULES, UnknownEntryError, entry

__all__ = [
    "BANK",
    "FALSE_ALARMS",
    "FAULTS",
    "RELAXED_RULES",
    "Case",
    "FaultEntry",
    "UnknownEntryError",
    "entry",
]

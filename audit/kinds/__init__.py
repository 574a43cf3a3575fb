"""Subjects that are not ours: callables of a declared kind, audited through their calls alone.

`audit_callable` is the way in. Beneath it, `loading` finds a callable and checks its signature,
`calling` calls it and checks what comes back, `cases` and `settings` say what it is tried on and
what law is due, `rule`, `generate`, `batch_rule` and `kernel` find the law it gives, `judging`
compares the two, `edges` tries what no law covers, `classify` names the fault, `shrink` makes the
counterexample small, and `isolation` keeps a subject that hangs or crashes in a process of its own.

The contract of the kinds is in docs/auditing-your-code.md.
"""

from .auditing import audit_callable
from .loading import KINDS, Subject, load, subject_from

__all__ = ["KINDS", "Subject", "audit_callable", "load", "subject_from"]

"""Every claim about the algorithms: proved, or refuted by a smallest counterexample.

`ledger` has the claims and runs their checks, `claims` lists them; `symbolic` runs the algorithms'
own code on formulas, `counterexamples` asks z3 where a wrong rule fails, and ``coq/`` holds the
theorems that are checked for every finite vocabulary. Importing this package needs none of sympy,
z3 and Coq; the modules that do say so when they are imported.
"""

from __future__ import annotations

from .ledger import STATUSES, Check, Claim, ClaimError, Entry, Step, verify

__all__ = ["STATUSES", "Check", "Claim", "ClaimError", "Entry", "Step", "verify"]

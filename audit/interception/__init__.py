"""Exact laws of unmodified Python code: its random calls are answered, branch by branch.

`enumerate_law` runs a program once for every way its random calls can fall. Calls of torch, NumPy
and the standard library's `random` are answered with numbers that are not drawn yet (`elements`,
`lazy`), which decide as little and as late as they can (`coins`, `races`, `cones`). What is not
modelled is refused by name: `UnmodelledRandomCall`. `run_with_coins` runs a program at the ends of
a generator's range, and `loading` imports modules so that what they take by name is answered too.

Importing this package imports neither torch nor NumPy; what is loaded when a program is enumerated
is intercepted.
"""

from .choices import DivergenceError, UnmodelledRandomCall
from .endpoints import BELOW_ONE, run_with_coins
from .enumeration import Enumeration, enumerate_law
from .merging import boundary
from .patching import loading

__all__ = [
    "BELOW_ONE",
    "DivergenceError",
    "Enumeration",
    "UnmodelledRandomCall",
    "boundary",
    "enumerate_law",
    "loading",
    "run_with_coins",
]

"""draftproof: is this speculative decoder lossless? An exact answer, with a counterexample if not.

This folder holds the version, the typed marker, the command line (`draftproof.cli`), assertions for
tests (`draftproof.testing`) and the pytest plugin (`draftproof.pytest_plugin`); the rest lives in
`draftproof.reference`, `draftproof.toymodels`, `draftproof.audit` and `draftproof.adapters`.
"""

__version__ = "0.1.0"

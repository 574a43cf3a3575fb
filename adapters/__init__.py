"""Code of others as subjects of the audit, and the reference on real models.

`routes` and `sweep` have all that is asked of ``generate()`` of `transformers`; `releases` and
`matrix` repeat it for several releases. `vllm` has the samplers of vLLM. `huggingface` puts real
models behind the protocols of the reference. `survey` is the short form of the sweep. Laws are
enumerated by answering torch's random calls (``draftproof.audit.interception``; `enumeration`
re-exports it), and compared with the law of plain ``generate()``, enumerated likewise.

Importing this package imports neither torch nor transformers; `missing` says whether they are
there, and ``draftproof.adapters.survey.survey`` is the function that needs them. The other names
exported here are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..toymodels.huggingface import INSTALL_COMMAND, missing

if TYPE_CHECKING:
    from .choices import UnmodelledRandomCall
    from .enumeration import Enumeration, enumerate_law
    from .scenarios import SCENARIOS, Scenario

__all__ = [
    "INSTALL_COMMAND",
    "SCENARIOS",
    "Enumeration",
    "Scenario",
    "UnmodelledRandomCall",
    "enumerate_law",
    "missing",
]

_LAZY = {
    "SCENARIOS": "scenarios",
    "Enumeration": "enumeration",
    "Scenario": "scenarios",
    "UnmodelledRandomCall": "choices",
    "enumerate_law": "enumeration",
}


def __getattr__(name: str) -> Any:
    """Load an exported name from its module on first use."""
    if name in _LAZY:
        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

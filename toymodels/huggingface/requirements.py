"""What toys for `transformers` need beyond the core, and how a user gets it.

Importable without torch or transformers, and imports neither: it only asks whether they are there.
"""

from __future__ import annotations

from importlib.util import find_spec

#: The command that installs what the survey of transformers needs.
INSTALL_COMMAND = "pip install 'draftproof[transformers]'"


def missing() -> str | None:
    """What the survey of transformers lacks here, in one line with the remedy; None if nothing.

    Looks for torch, transformers and tokenizers without importing them.
    """
    absent = [name for name in ("torch", "transformers", "tokenizers") if find_spec(name) is None]
    if not absent:
        return None
    verb = "is" if len(absent) == 1 else "are"
    return f"{' and '.join(absent)} {verb} not installed: {INSTALL_COMMAND}"

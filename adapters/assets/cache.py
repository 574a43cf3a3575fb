"""Where what is fetched, converted or trained is kept: one folder outside any checkout."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where fetched files are kept: ``DRAFTPROOF_CACHE``, or a folder of the XDG cache."""
    named = os.environ.get("DRAFTPROOF_CACHE")
    if named:
        return Path(named).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "draftproof"

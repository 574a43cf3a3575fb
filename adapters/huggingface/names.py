"""The models that have a name of their own, and where their files are."""

from __future__ import annotations

from pathlib import Path

from .models import ModelError

#: A model of random weights, made on the fly.
TINY = "tiny-random"
#: GGUF files that are assets: the asset, its file, and the command that fetches it.
_ASSETS = {
    "smollm2": ("smollm2-gguf", "make models"),
    "gemma": ("gemma-gguf", "python -m draftproof.adapters.assets gemma-gguf"),
}
#: Drafters of our own, trained by `make models`.
DRAFTERS = ("drafter-bytes", "drafter-bpe", "drafter-shared", "drafter-ngram")

#: Every name that `load` knows.
NAMES = (*_ASSETS, *DRAFTERS, TINY)


def place_of(name: str) -> Path:
    """The folder or GGUF file of a name.

    Raises:
        ModelError: where it is not there, with the command that makes it.
    """
    if name in DRAFTERS:
        from ..drafters.recipes import folder_of

        folder = folder_of(name)
        if not folder.is_dir():
            raise ModelError(f"{name} is not trained yet: make models")
        return folder
    from ..assets import available

    asset, command = _ASSETS[name]
    found = available(asset)
    if found is None:
        raise ModelError(f"{name} is not here: {command}")
    if found.is_file():
        return found
    files = sorted(found.rglob("*.gguf"))
    if not files:
        raise ModelError(f"{name}: {found} has no .gguf file; delete it, then: {command}")
    return files[0]

"""What tests of real tokenizers and models share: pinned assets, fetched or skipped by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from draftproof.adapters.assets import AssetError
from draftproof.adapters.assets import asset as fetched

# Where these are set, what is missing fails a test: a skip would hide that nothing was checked.
REQUIRED = any(os.environ.get(name) for name in ("CI", "DRAFTPROOF_REQUIRE_ASSETS"))


@cache
def folder_or_complaint(name: str) -> Path | str:
    """The folder of an asset, or why there is none; tried once in a process."""
    try:
        return fetched(name)
    except AssetError as raised:
        return str(raised)


@pytest.fixture(scope="session")
def asset() -> Callable[[str], Path]:
    """``asset(name)``: the folder of a pinned asset, fetched unless it is there."""

    def find(name: str) -> Path:
        found = folder_or_complaint(name)
        if isinstance(found, Path):
            return found
        if REQUIRED:
            pytest.fail(f"asset {name} (make assets): {found}", pytrace=False)
        pytest.skip(f"asset {name} is missing (make assets): {found}")

    return find


@pytest.fixture(scope="session")
def model() -> Callable[..., Any]:
    """``model(name, settings, **options)``: a model of `make models` or an asset, loaded.

    Skipped where it is not there, unless DRAFTPROOF_REQUIRE_ASSETS is set.
    """

    def find(name: str, *arguments: Any, **options: Any) -> Any:
        pytest.importorskip("transformers", reason="needs pip install 'draftproof[models]'")
        from draftproof.adapters.huggingface.loading import load
        from draftproof.adapters.huggingface.models import ModelError
        from draftproof.adapters.huggingface.names import place_of

        try:
            place_of(name)
        except ModelError as raised:
            if os.environ.get("DRAFTPROOF_REQUIRE_ASSETS"):
                pytest.fail(f"{name} (make models): {raised}", pytrace=False)
            pytest.skip(f"{name} is missing (make models): {raised}")
        return load(name, *arguments, **options)

    return find

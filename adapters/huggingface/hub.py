"""Models of a hub, where the network allows; where it does not, said at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import huggingface_hub
from huggingface_hub import constants

from .models import ModelError
from .quiet import silence

#: Seconds to wait for the first answer.
PATIENCE = 5.0
#: What a causal language model needs of a repository.
_NEEDED = ["*.json", "*.safetensors", "*.model", "*.txt", "*.jinja", "*.tiktoken"]


def fetched(name: str, known: Sequence[str] = ()) -> Path:
    """The local folder of a hub model, downloaded unless it is there.

    Args:
        known: names that would have been understood, to be listed where this one is not.

    Raises:
        ModelError: where there is no network, or no such model.
    """
    problem = "HF_HUB_OFFLINE is set"
    if not constants.HF_HUB_OFFLINE:
        problem = _trouble(name)
    try:
        with silence():
            return Path(
                huggingface_hub.snapshot_download(
                    name, allow_patterns=_NEEDED, local_files_only=problem is not None
                )
            )
    except Exception as failure:
        reason = problem or _line(failure)
        raise ModelError(
            f"{name} is no file, no folder and no name known here ({', '.join(known)}), and cannot "
            f"be fetched from the hub: {reason}"
        ) from failure


def _trouble(name: str) -> str | None:
    """Why the hub cannot give a model, asked once and briefly; None where it can."""
    try:
        with silence():
            huggingface_hub.HfApi().model_info(name, timeout=PATIENCE)
    except Exception as failure:
        if _not_found(failure):
            return "it has no such model, or the model is not public"
        return f"no network to it ({_line(failure)})"
    return None


def _not_found(failure: Any) -> bool:
    status = getattr(getattr(failure, "response", None), "status_code", None)
    return status in (401, 403, 404) or type(failure).__name__ == "HFValidationError"


def _line(failure: BaseException) -> str:
    return (str(failure).strip().splitlines() or [type(failure).__name__])[0][:200]

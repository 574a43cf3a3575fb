"""Devices and dtypes by name."""

from __future__ import annotations

import torch

from .models import ModelError

#: The dtypes that a model may be in.
DTYPES = {
    "float32": torch.float32,
    "float64": torch.float64,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


def device_named(device: str | torch.device) -> torch.device:
    """The device of a name: cpu, cuda, cuda:N, or auto.

    Raises:
        ModelError: for other names, and for cuda where there is none.
    """
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
    except RuntimeError:
        found = None
    if found is None or found.type not in ("cpu", "cuda"):
        raise ModelError(f"unknown device {device}; use cpu, cuda, cuda:N or auto")
    if found.type == "cuda":
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if count == 0:
            raise ModelError(
                "cuda was asked for, and torch finds none here; use cpu or auto, or a CUDA build "
                "of torch on a machine with a GPU"
            )
        if (found.index or 0) >= count:
            raise ModelError(f"{device} was asked for, and there are {count} cuda devices")
    return found


def dtype_named(dtype: str | torch.dtype) -> torch.dtype:
    """The dtype of a name.

    Raises:
        ModelError: listing the names.
    """
    found = DTYPES.get(str(dtype).removeprefix("torch."))
    if found is None:
        raise ModelError(f"unknown dtype {dtype}; use one of {', '.join(DTYPES)}")
    return found

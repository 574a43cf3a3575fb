"""Stubs for what vLLM's samplers import and do not need; see `loading`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any


class LoadError(RuntimeError):
    """A tree lacks a module or a passage that is needed; the message names it, in one line."""


class Stub(ModuleType):
    """A module of which every attribute is an empty class."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (_Unreached,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


class _Unreached:
    """What stands for a name that the samplers import and do not use."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise LoadError(f"{type(self).__module__}.{type(self).__name__} is stubbed, and was called")

    def __class_getitem__(cls, item: Any) -> type:
        return cls


class _Silent:
    """A logger, or anything else whose calls do not matter."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


class _No:
    """A platform: every question is answered with no."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: False


class _Unset(ModuleType):
    """Environment flags: none is set."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return False


def _triton(interpreter: bool) -> tuple[Any, Any]:
    """The modules ``triton`` and ``triton.language``, or what stands for them."""
    if not interpreter:
        from .language import triton_and_language

        return triton_and_language()
    return import_module("triton"), import_module("triton.language")


def written_out(interpreter: bool) -> dict[str, Mapping[str, Any]]:
    """What the stubs hold that decides something."""
    triton, tl = _triton(interpreter)

    def log1p(x: Any) -> Any:
        return tl.log(1.0 + x)  # libdevice is a GPU library; neither language has such a call

    def to_device(tensor: Any, device: Any = None, **kwargs: Any) -> Any:
        del device, kwargs
        import torch

        return tensor if isinstance(tensor, torch.Tensor) else torch.as_tensor(tensor)

    no = _No()
    return {
        "vllm": {"envs": _Unset("vllm.envs")},
        "vllm.envs": {"__getattr__": lambda name: False},
        "vllm.logger": {"init_logger": lambda name: _Silent()},
        "vllm.platforms": {"current_platform": no},
        "vllm._aiter_ops": {"rocm_aiter_ops": no},
        "vllm.v1.sample.ops.topk_topp_triton": {"_topk_topp": _Silent()},
        "vllm.utils.gpu_sync_debug": {"gpu_sync_allowed": _nothing},
        "vllm.utils.torch_utils": {"PIN_MEMORY": False, "async_tensor_h2d": to_device},
        "vllm.config.model": {
            "PROCESSED_LOGPROBS_MODES": ("processed_logits", "processed_logprobs"),
            "LogprobsMode": str,
        },
        "vllm.triton_utils": {
            "HAS_TRITON": True,
            "triton": triton,
            "tl": tl,
            "tldevice": SimpleNamespace(log1p=log1p),
        },
    }


@contextmanager
def _nothing(*args: Any, **kwargs: Any) -> Iterator[None]:
    del args, kwargs
    yield

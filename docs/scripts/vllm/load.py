"""Loads the GPU runner's two sampling files of an unpacked vLLM release, without installing it.

The kernels run in Triton's interpreter, on a CPU, with the release's own hashes. Needs torch and
triton; the folder is the one that holds ``vllm/`` (``make vllm`` unpacks releases into the cache).
"""

import importlib.util
import os
import sys
import types

os.environ["TRITON_INTERPRET"] = "1"
import torch
import triton
import triton.language as tl

WHERE = "vllm.v1.worker.gpu"
FILES = (f"{WHERE}.sample.gumbel", f"{WHERE}.spec_decode.rejection_sampler_utils")


def stub(name, **holds):
    """An empty module that holds what is given."""
    made = types.ModuleType(name)
    made.__path__ = []
    made.__dict__.update(holds)
    sys.modules[name] = made


def load(folder):
    """The modules with ``gumbel_sample`` and with ``rejection_sample``."""
    packages = ("vllm", "vllm.v1", "vllm.v1.worker", WHERE)
    for name in (*packages, f"{WHERE}.sample", f"{WHERE}.spec_decode"):
        stub(name)
    device = types.SimpleNamespace(log1p=lambda x: tl.log(1.0 + x))
    stub("vllm.triton_utils", triton=triton, tl=tl, HAS_TRITON=True, tldevice=device)
    stub(f"{WHERE}.sample.watermark", philox_gumbel_block_argmax=None)
    modules = []
    for name in FILES:
        path = f"{folder}/{name.replace('.', '/')}.py"
        specification = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        modules.append(module)
    return modules


def whole(*numbers):
    """A tensor of 32-bit integers, as the runner passes them."""
    return torch.tensor(numbers, dtype=torch.int32)

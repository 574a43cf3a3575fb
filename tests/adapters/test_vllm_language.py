"""The small model of Triton's language: what the samplers use, on numbers done by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="kernels run over NumPy: pip install numpy")

from draftproof.adapters.vllm.language import (  # noqa: E402
    Pointer,
    block,
    triton_and_language,
)

INFINITE = float("inf")


@pytest.fixture
def tl() -> Any:
    return triton_and_language()[1]


def test_loads_and_stores_keep_to_their_mask(tl: Any):
    memory = np.arange(6, dtype=np.float32)
    places = Pointer(memory) + 2 + tl.arange(0, 8)
    mask = tl.arange(0, 8) < 4
    read = tl.load(places, mask=mask, other=-INFINITE)
    assert read.tolist() == [2, 3, 4, 5, -INFINITE, -INFINITE, -INFINITE, -INFINITE]
    assert read.dtype == np.float32
    tl.store(Pointer(memory) + tl.arange(0, 8), block([9.0] * 8), mask=tl.arange(0, 8) < 2)
    assert memory.tolist() == [9, 9, 2, 3, 4, 5]
    tl.store(Pointer(memory) + 5, 7)
    assert memory[5] == 7 and tl.load(Pointer(memory) + 5) == 7
    assert tl.load(Pointer(memory, 5) - 1) == 4


def test_a_scalar_mask_reads_nothing_where_it_is_false(tl: Any):
    memory = np.arange(3, dtype=np.int64)
    assert tl.load(Pointer(memory) + 99, mask=block(False), other=-1) == -1
    assert tl.load(Pointer(memory) + 1, mask=True, other=-1) == 1


def test_python_numbers_take_the_dtype_of_the_block_beside_them(tl: Any):
    x = block([0.5, 2.0], np.float32)
    for made in (tl.maximum(x, 0.0), tl.minimum(x, 1.0), tl.where(x > 1, x, -INFINITE), -tl.log(x)):
        assert made.dtype == np.float32
    assert tl.where(x > 1, x, -INFINITE).tolist() == [-INFINITE, 2.0]
    assert (x / block(2.0, np.float32)).dtype == np.float32
    assert x.to(tl.int64).dtype == np.int64


def test_reductions_pass_over_nan_and_take_the_first_of_equals(tl: Any):
    x = block([math.nan, 1.0, 3.0, 3.0], np.float32)
    value, place = tl.max(x, axis=0, return_indices=True)
    assert (value, place) == (3.0, 2) and value.dtype == np.float32
    nothing = block([math.nan, math.nan], np.float32)
    value, place = tl.max(nothing, axis=0, return_indices=True)
    assert math.isnan(value) and place == 0
    assert tl.sum(block([1.0, 2.0], np.float32), axis=0) == 3.0


def test_kernels_run_once_for_every_program(tl: Any):
    triton, language = triton_and_language()
    torch = pytest.importorskip("torch", reason="kernels are launched on tensors")

    @triton.jit
    def twice(x):
        return x + x

    @triton.jit(do_not_specialize=["n"])
    def kernel(out_ptr, in_ptr, n, SIZE: Any, LOUD: Any):  # noqa: N803
        at = language.program_id(0) * SIZE + language.arange(0, SIZE)
        mask = at < n
        x = twice(language.load(in_ptr + at, mask=mask, other=0.0))
        language.store(out_ptr + at, x if LOUD else -x, mask=mask)

    given, out = torch.arange(7.0)[1:], torch.zeros(6)
    kernel[(triton.cdiv(6, 4),)](out, given, 6, SIZE=4, LOUD=True, num_warps=1)
    assert out.tolist() == [2, 4, 6, 8, 10, 12], "a tensor that starts inside its storage"
    assert kernel.arg_names == ["out_ptr", "in_ptr", "n", "SIZE", "LOUD"]
    assert [triton.next_power_of_2(n) for n in (1, 2, 3, 5)] == [1, 2, 4, 8]


def test_random_numbers_never_come_from_here(tl: Any):
    with pytest.raises(RuntimeError, match="outside `drawing`"):
        tl.rand(1, 2)

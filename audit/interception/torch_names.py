"""torch's names for functions: what they do to undrawn numbers, in NumPy's names."""

from __future__ import annotations

import torch

#: Functions that only move numbers: applied to the tensors, and where they copy, to the places.
MOVES = frozenset(
    [
        *("__copy__", "__deepcopy__", "__getitem__", "__iter__", "alias", "as_strided"),
        *("broadcast_tensors", "broadcast_to", "cat", "chunk", "clone", "column_stack", "concat"),
        *("concatenate", "contiguous", "detach", "detach_", "diag", "diagonal", "dstack"),
        *("dsplit", "expand", "expand_as", "flatten", "flip", "fliplr", "flipud", "gather"),
        *("hsplit", "hstack", "index_select", "masked_select", "moveaxis", "movedim", "narrow"),
        *("permute", "ravel", "repeat", "repeat_interleave", "reshape", "reshape_as", "roll"),
        *("rot90", "row_stack", "select", "split", "split_with_sizes", "squeeze", "stack"),
        *("swapaxes", "swapdims", "t", "take", "take_along_dim", "tensor_split", "tile"),
        *("transpose", "unbind", "unflatten", "unfold", "unsqueeze", "view", "view_as", "vsplit"),
        "vstack",
    ]
)
#: Reads of what a tensor is, not of what it holds.
DESCRIPTIONS = frozenset(
    [
        *("__get__", "__hash__", "__len__", "__set__", "data_ptr", "dim", "element_size"),
        *("get_device", "is_complex", "is_contiguous", "is_floating_point", "is_inference"),
        *("is_nonzero_dtype", "is_signed", "is_tensor", "nelement", "numel", "ndimension"),
        *("requires_grad_", "result_type", "size", "storage_offset", "stride", "type_name"),
        *("untyped_storage", "empty_like", "zeros_like", "ones_like", "full_like", "new_empty"),
        *("new_zeros", "new_ones", "new_full", "new_tensor_like", "can_cast", "is_same_size"),
        *("is_storage", "_is_view", "is_pinned", "is_conj", "is_neg", "is_set_to"),
    ]
)
CASTS = {
    "bool": torch.bool,
    "double": torch.float64,
    "float": torch.float32,
    "half": torch.float16,
    "bfloat16": torch.bfloat16,
    "int": torch.int32,
    "long": torch.int64,
    "short": torch.int16,
}
ELEMENTWISE = {
    **{
        n: n
        for n in ("add", "multiply", "divide", "subtract", "floor_divide", "maximum", "minimum")
    },
    **{n: n for n in ("exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "square")},
    **{n: n for n in ("reciprocal", "floor", "ceil", "trunc", "isnan", "isinf", "isfinite")},
    **{n: n for n in ("less", "less_equal", "greater", "greater_equal", "negative", "absolute")},
    **{n: n for n in ("not_equal", "logical_not", "logical_and", "logical_or", "positive")},
    "mul": "multiply",
    "div": "divide",
    "sub": "subtract",
    "true_divide": "divide",
    "pow": "power",
    "neg": "negative",
    "abs": "absolute",
    "fix": "trunc",
    "round": "rint",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
    "pos": "positive",
    "truediv": "divide",
    "floordiv": "floor_divide",
}
LOGICAL = {"and": "logical_and", "or": "logical_or", "invert": "logical_not"}
LOGICAL |= {f"bitwise_{n}": name for n, name in (*LOGICAL.items(), ("not", "logical_not"))}


def bare_name(name: str) -> tuple[str, bool, bool]:
    """A name without what says in place or reflected, and whether it said so."""
    if name.startswith("__") and name.endswith("__"):
        name = name[2:-2]
        for first, in_place in (("i", True), ("r", False)):
            rest = name[1:]
            if name.startswith(first) and (rest in ELEMENTWISE or rest in LOGICAL):
                return rest, in_place, first == "r"
        return name, False, False
    if name == "rsub":
        return "sub", False, True
    return (name[:-1], True, False) if name.endswith("_") else (name, False, False)

"""Measures as JSON: records become objects; numbers too large for a float's digits, strings."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

#: Fields that count segmentations: always strings of digits, since they grow without bound.
COUNTS = frozenset({"segmentations", "passes", "paper"})


def plain(value: Any) -> Any:
    """``value`` as objects, lists, strings, numbers and null; derived shares included."""
    if is_dataclass(value) and not isinstance(value, type):
        found: dict[str, Any] = {}
        for each in fields(value):
            field = getattr(value, each.name)
            if each.name in COUNTS and field is not None:
                found[each.name] = str(field)
            else:
                found[each.name] = plain(field)
        for name, member in vars(type(value)).items():
            if isinstance(member, property):
                found[name] = plain(getattr(value, name))
        return found
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    return value

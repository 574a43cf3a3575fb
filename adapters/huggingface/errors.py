"""What a model refuses, in one line."""

from __future__ import annotations


class ModelError(ValueError):
    """A model that cannot be asked what it is asked; the message says what to do."""

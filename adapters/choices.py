"""Replay of choices: `draftproof.audit.interception.choices`, under the name it had here."""

from ..audit.interception.choices import Choices, DivergenceError, Point, UnmodelledRandomCall

__all__ = ["Choices", "DivergenceError", "Point", "UnmodelledRandomCall"]

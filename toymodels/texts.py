"""What tokenizers do to a text before they cut it, and after they have put it together again."""

from __future__ import annotations

import re
import unicodedata
from enum import Enum


class Normaliser(Enum):
    """A change made to the text before it is segmented."""

    LOWER_CASE = "lower-case"
    COMPOSE = "compose (Unicode NFC)"
    STRIP_SPACES = "strip spaces at both ends"
    COLLAPSE_SPACES = "collapse runs of spaces into one"
    PREFIX_SPACE = "add a space in front, unless there is one or the text is empty"
    PREFIX_SPACE_ALWAYS = "add a space in front, unless the text is empty"

    def __call__(self, text: str) -> str:
        """The changed text."""
        match self:
            case Normaliser.LOWER_CASE:
                return text.lower()
            case Normaliser.COMPOSE:
                return unicodedata.normalize("NFC", text)
            case Normaliser.STRIP_SPACES:
                return text.strip(" ")
            case Normaliser.COLLAPSE_SPACES:
                return re.sub(" +", " ", text)
            case Normaliser.PREFIX_SPACE:
                return text if not text or text.startswith(" ") else f" {text}"
            case Normaliser.PREFIX_SPACE_ALWAYS:
                return f" {text}" if text else text


class Cleaner(Enum):
    """A change made to the text after its tokens have been joined."""

    DROP_FIRST_SPACE = "drop one space in front"
    SPACE_BEFORE_PUNCTUATION = "drop a space before . , ! ?"

    def __call__(self, text: str) -> str:
        """The changed text."""
        match self:
            case Cleaner.DROP_FIRST_SPACE:
                return text.removeprefix(" ")
            case Cleaner.SPACE_BEFORE_PUNCTUATION:
                return re.sub(r" ([.,!?])", r"\1", text)

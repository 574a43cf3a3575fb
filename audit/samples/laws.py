"""The law that is due, where it is known: of a toy model, or as the engine states it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...reference.models import Ids
from ...reference.pair import Pair
from .lines import Prompt, Tokens

#: Strings of one law, at most: how far laws of whole replies are followed.
MOST_STRINGS = 20_000
#: Replies are followed for so many tokens, at most.
DEEPEST = 6


@dataclass(frozen=True)
class Due:
    """What is due after one prompt.

    Attributes:
        strings: the law of the first ``depth`` tokens; a shorter string has ended.
        depth: how far the law goes.
        is_complete: whether the strings are all that can come. What is not listed has otherwise the
            probability that is missing to 1.
        can_end: whether a reply may end within the depth.
    """

    strings: Mapping[Tokens, Any]
    depth: int
    is_complete: bool
    can_end: bool = False

    def first(self, count: int) -> dict[Tokens, Any]:
        """The law of the first ``count`` tokens."""
        law: dict[Tokens, Any] = {}
        for tokens, probability in self.strings.items():
            law[tokens[:count]] = law.get(tokens[:count], 0) + probability
        return law


@dataclass
class ToyLaws:
    """The laws of a pair's target, exactly.

    Attributes:
        most: how many new tokens a reply may have, None for as many as are followed.
    """

    pair: Pair
    most: int | None = None
    _found: dict[Prompt, Due] = field(default_factory=dict)

    def after(self, prompt: Prompt) -> Due:
        """What is due after a prompt, ids or a text that the target's tokenizer encodes.

        Raises:
            ValueError: for ids that the target does not have.
        """
        if prompt not in self._found:
            ids = prompt if isinstance(prompt, tuple) else self.pair.target_tokenizer.encode(prompt)
            for token in ids:
                if not 0 <= token < self.pair.target.size:
                    raise ValueError(
                        f"prompt id {token} is outside the target's 0..{self.pair.target.size - 1}"
                    )
            self._found[prompt] = self._followed(ids)
        return self._found[prompt]

    def _followed(self, prompt: Ids) -> Due:
        end = self.pair.end_of_sequence
        most = DEEPEST if self.most is None else min(self.most, DEEPEST)
        law: dict[Tokens, Any] = {(): 1}
        depth = 0
        while depth < most:
            longer: dict[Tokens, Any] = {}
            for ids, mass in law.items():
                if ids and ids[-1] == end:
                    longer[ids] = mass
                    continue
                (row,) = self.pair.target.distributions(prompt + ids)
                for token in row.support():
                    longer[(*ids, token)] = mass * row[token]
            if depth and len(longer) > MOST_STRINGS:
                break
            law, depth = longer, depth + 1
        return Due(law, depth, is_complete=True, can_end=end is not None)


@dataclass(frozen=True)
class StatedLaws:
    """Laws that the engine states, by prompt: floats, of strings of one length."""

    stated: Mapping[Prompt, Mapping[Tokens, float]]

    def after(self, prompt: Prompt) -> Due:
        """What is due after a prompt.

        Raises:
            ValueError: for a prompt that nothing is stated for.
        """
        if prompt not in self.stated:
            raise ValueError(f"no law is stated for the prompt {prompt!r}")
        strings = self.stated[prompt]
        return Due(strings, len(next(iter(strings))), is_complete=False)

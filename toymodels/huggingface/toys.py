"""Gallery pairs as `transformers` sees them: two models with caches, and fast tokenizers.

Every vocabulary has an end of sequence, as real ones have, spelled `EOS`. Where the pair's models
say none, it is one more id that has probability zero. Where a pair has two vocabularies of one
size, the drafter gets an id more that has probability zero too: `generate()` tells two vocabularies
by their sizes.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...reference.pair import Pair
from ...reference.tokenizers import EncodeError
from .models import ToyLM, copied, model_from_rows
from .tokenizers import EOS, toy_tokenizer

#: The spelling of an id that no model says.
UNUSED = "z"
#: Letters for the ids of pairs over one vocabulary, in which nothing is read as text.
_LETTERS = "abcdefghijklmnop"
#: Texts of up to this many characters must be cut as the pair's own tokenizers cut them.
_READ = 4

#: The law after a context.
Row = Callable[[tuple[int, ...]], Sequence[float]]


@dataclass
class Toys:
    """What a call is made with.

    Attributes:
        model: the target.
        assistant_model: the drafter; its generation configuration says how many tokens it drafts.
        tokenizer: the target's.
        assistant_tokenizer: the drafter's; the same object where there is one vocabulary.
        eos: the target's id that ends a sequence.
    """

    model: ToyLM
    assistant_model: ToyLM
    tokenizer: Any
    assistant_tokenizer: Any
    eos: int
    _saved: tuple[Any, Any] = field(init=False)

    def __post_init__(self) -> None:
        models = (self.model, self.assistant_model)
        first, second = (copy.copy(model.generation_config) for model in models)
        self._saved = (first, second)

    def fresh(self) -> Toys:
        """The same as when they were made, whatever a call wrote into configurations since.

        Over one vocabulary the models are new objects. Over two they stay the same ones, since the
        library remembers what it did to a drafter's head, by the tokenizers.
        """
        if self.tokenizer is self.assistant_tokenizer:
            return replace(
                self, model=copied(self.model), assistant_model=copied(self.assistant_model)
            )
        models = (self.model, self.assistant_model)
        for model, saved in zip(models, self._saved, strict=True):
            model.generation_config = copy.copy(saved)
        return self


def toys(
    pair: Pair,
    target: Row,
    drafter: Row,
    lookahead: int,
    *,
    eos: int | None = None,
    dtype: str = "float64",
) -> Toys:
    """Models with these laws, and tokenizers, for a pair.

    Args:
        pair: its sizes, orders and tokenizers; over two vocabularies, one that `spelled` knows.
        target: the target's law after a context, over the pair's ids.
        drafter: the drafter's.
        lookahead: tokens drafted a round, by a constant schedule.
        eos: the target's id that ends a sequence; None for one that is never said.
        dtype: of the models.

    Raises:
        ValueError: for tokenizers that cannot be spelled.
    """
    sizes = (pair.target.size, pair.drafter.size)
    if pair.same_vocabulary:
        tokens = [EOS if token == eos else _LETTERS[token] for token in range(sizes[0])]
        spellings = [tokens, tokens]
    else:
        found = spelled(pair)
        if found is None:
            raise ValueError("no fast tokenizers read texts as this pair's do")
        spellings = [list(tokens) for tokens in found]
    spellings = [tokens if EOS in tokens else [*tokens, EOS] for tokens in spellings]
    if not pair.same_vocabulary and len(spellings[0]) == len(spellings[1]):
        spellings[1].append(UNUSED)
    made = [
        model_from_rows(
            after,
            size,
            order_of(model),
            unused=len(tokens) - size,
            eos=tokens.index(EOS),
            dtype=dtype,
        )
        for after, size, model, tokens in zip(
            (target, drafter), sizes, (pair.target, pair.drafter), spellings, strict=True
        )
    ]
    settings = made[1].generation_config
    settings.num_assistant_tokens = lookahead
    settings.num_assistant_tokens_schedule = "constant"
    settings.assistant_confidence_threshold = 0.0  # the default stops drafts early
    first = toy_tokenizer(spellings[0])
    # A tokenizer may list its vocabulary in any order: here, the last id first.
    second = first if pair.same_vocabulary else toy_tokenizer(spellings[1], spellings[1][::-1])
    return Toys(made[0], made[1], first, second, spellings[0].index(EOS))


def order_of(model: Any) -> int:
    """The order of an n-gram model, or of the one whose head was pruned; 3 where none is told."""
    inner = getattr(model, "_model", model)
    return getattr(inner, "order", 3)


def spelled(pair: Pair) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The tokens of both sides, where fast tokenizers with them read texts as the pair's own do.

    None for a pair with ids of no text (but for the end of sequence), with two ids of one text,
    with tokens of three characters or characters that are no token, and where merges in the order
    of the ids cut some text of up to four characters differently.
    """
    sides = [_spelled(pair.target_tokenizer), _spelled(pair.drafter_tokenizer)]
    return None if sides[0] is None or sides[1] is None else (sides[0], sides[1])


def _spelled(tokenizer: Any) -> tuple[str, ...] | None:
    tokens: list[str] = []
    for token, text in enumerate(tokenizer.vocabulary):
        if text is None and token != tokenizer.end_of_sequence:
            return None
        try:
            tokens.append(EOS if text is None else text.decode())
        except UnicodeDecodeError:
            return None
    texts = [token for token in tokens if token != EOS]
    if len(set(tokens)) < len(tokens) or any(
        len(text) > 2 or any(character not in texts for character in text) for text in texts
    ):
        return None
    fast = toy_tokenizer(tokens)
    alphabet = getattr(tokenizer, "alphabet", [text for text in texts if len(text) == 1])
    for length in range(1, _READ + 1):
        for characters in itertools.product(alphabet, repeat=length):
            text = "".join(characters)
            try:
                ids = list(tokenizer.encode(text))
            except EncodeError:
                return None
            if fast.encode(text) != ids or fast.decode(ids) != tokenizer.decode(tuple(ids)):
                return None
    return tuple(tokens)

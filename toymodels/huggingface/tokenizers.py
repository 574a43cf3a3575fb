"""Toy fast tokenizers, real ones of the `tokenizers` library, for routes with two vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenizers import Tokenizer, decoders, models
from transformers import PreTrainedTokenizerFast

#: The end of sequence, spelled alike in every toy tokenizer.
EOS = "</s>"


class OrderedTokenizer(PreTrainedTokenizerFast):
    """A fast tokenizer whose ``get_vocab()`` lists the tokens in an order that is given.

    The library's own order is that of a hash map and differs from call to call. Every order
    given here is one that it may return, so a route may not depend on it; fixing it makes what
    a route does with it repeatable.
    """

    listing: Sequence[str] = ()

    def get_vocab(self) -> dict[str, int]:
        """Token to id, listed in the order of ``listing``; tokens it leaves out come last."""
        ids = super().get_vocab()
        first = [token for token in self.listing if token in ids]
        rest = sorted(ids.keys() - set(first), key=lambda token: ids[token])
        return {token: ids[token] for token in [*first, *rest]}


class WatchedTokenizer(OrderedTokenizer):
    """A tokenizer that knows whether anything of it was used since `forget` was called."""

    _was_used = False

    def __getattribute__(self, name: str) -> Any:
        """Any attribute; asking for one is use."""
        if not name.startswith("__"):
            object.__setattr__(self, "_was_used", True)
        return super().__getattribute__(name)


def forget(tokenizer: WatchedTokenizer) -> None:
    """From now on, `was_used` says what comes after."""
    object.__setattr__(tokenizer, "_was_used", False)


def was_used(tokenizer: WatchedTokenizer) -> bool:
    """Whether anything of ``tokenizer`` was used."""
    return object.__getattribute__(tokenizer, "_was_used")


def toy_tokenizer(tokens: Sequence[str], listing: Sequence[str] = ()) -> WatchedTokenizer:
    """A byte-pair tokenizer that gives ``tokens`` the ids 0, 1, ...

    Tokens of two characters are merges of their characters, which must be tokens too. Characters
    that are no token are dropped.

    Args:
        tokens: spellings, in the order of their ids; `EOS`, where listed, is a special token.
        listing: the order in which ``get_vocab()`` lists them; by default, that of the ids.
    """
    ids = {token: index for index, token in enumerate(tokens)}
    merges = [(token[0], token[1]) for token in tokens if len(token) == 2]
    backend = Tokenizer(models.BPE(ids, merges))
    backend.decoder = decoders.Fuse()
    tokenizer = WatchedTokenizer(
        tokenizer_object=backend,
        eos_token=EOS if EOS in ids else None,
        clean_up_tokenization_spaces=False,
    )
    tokenizer.listing = tuple(listing)
    return tokenizer

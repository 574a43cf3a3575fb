"""The vocabularies of our drafters: bytes, and a small byte-level BPE.

Both as `PreTrainedTokenizerFast`, so that the folder of a drafter serves `transformers` as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from ..tokenizers.spellings import byte_level_alphabet

#: Ids of the byte vocabulary: a byte's id is its value.
END, BEGIN = 256, 257
END_TEXT, BEGIN_TEXT = "<|end|>", "<|begin|>"


def byte_tokenizer() -> PreTrainedTokenizerFast:
    """Every byte an id, then the end and the beginning of a sequence."""
    spelled = {character: byte for byte, character in enumerate(byte_level_alphabet())}
    return _wrapped(Tokenizer(models.BPE(vocab=spelled, merges=[])))


def bpe_tokenizer(texts: Iterable[str], size: int) -> PreTrainedTokenizerFast:
    """A byte-level BPE of ``size`` ids, learnt from ``texts``; the same texts give the same one."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = _splitting()
    trainer = trainers.BpeTrainer(
        vocab_size=size - 2,
        initial_alphabet=list(byte_level_alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return _wrapped(tokenizer)


def _splitting() -> Any:
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)


def _wrapped(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    if not tokenizer.pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [AddedToken(END_TEXT, special=True), AddedToken(BEGIN_TEXT, special=True)]
    )
    begin = tokenizer.token_to_id(BEGIN_TEXT)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN_TEXT} $A",
        pair=f"{BEGIN_TEXT} $A $B",
        special_tokens=[(BEGIN_TEXT, begin)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=BEGIN_TEXT,
        eos_token=END_TEXT,
        clean_up_tokenization_spaces=False,
    )


def real(tokenizer: PreTrainedTokenizerFast) -> Any:
    """The same behind the protocol of the reference."""
    from ..tokenizers import from_transformers

    return from_transformers(tokenizer)

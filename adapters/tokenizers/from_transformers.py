"""Tokenizers of `transformers`: fast ones by their backend, slow ones by the library they wrap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...reference.models import Ids
from .from_sentencepiece import from_sentencepiece
from .from_tokenizers import from_tokenizers
from .real import RealTokenizer, TokenizerError
from .stops import REPLY_ENDS

#: Seconds to wait for a hub's first answer.
PATIENCE = 5.0


def from_transformers(tokenizer: Any, name: str | None = None) -> RealTokenizer:
    """A tokenizer of `transformers` as a `RealTokenizer`.

    A fast one is read through its backend, a slow one through the SentencePiece model it wraps,
    with the added tokens of the object. What it puts in front of a text is asked of the object
    itself, since settings can say otherwise than the backend.

    Raises:
        TokenizerError: for a slow tokenizer that wraps something else.
    """
    name = name or str(getattr(tokenizer, "name_or_path", "") or type(tokenizer).__name__)
    end = tokenizer.eos_token_id
    specials = {str(t.content) for t in tokenizer.added_tokens_decoder.values() if t.special}
    stops = [token for token in REPLY_ENDS if token in specials]
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is not None:
        made = from_tokenizers(backend, name, end_of_sequence=end, stops=stops)
    else:
        processor = getattr(tokenizer, "sp_model", None)
        if processor is None:
            raise TokenizerError(
                f"{name}: a slow tokenizer ({type(tokenizer).__name__}) without a SentencePiece "
                f"model; what its ids mean is not known"
            )
        made = from_sentencepiece(processor, name, end_of_sequence=end)
        made = _with_added(made, tokenizer, stops)
    return replace(made, beginning=_beginning(tokenizer, made), _padded={})


def hub_tokenizer(source: str) -> RealTokenizer:
    """The tokenizer of a model folder or of a model on a hub, by `transformers`.

    Raises:
        TokenizerError: in one line, when it is not there or the hub cannot be reached.
    """
    try:
        from transformers import AutoTokenizer
    except ImportError:
        raise TokenizerError(
            f"{source!r} is no tokenizer known by name and no file, and to ask a hub transformers "
            "is needed: pip install 'draftproof[models]'"
        ) from None
    try:
        found = AutoTokenizer.from_pretrained(
            source,
            trust_remote_code=False,  # code that comes with a model is never run, nor asked about
            local_files_only=not Path(source).is_dir() and not _hub_answers(source),
        )
    except Exception as raised:  # the library raises many kinds
        said = " ".join(str(raised).split())[:200]
        raise TokenizerError(
            f"{source!r} is no tokenizer known by name and no file, and the hub did not give it: "
            f"{said}"
        ) from None
    return from_transformers(found, source)


def _hub_answers(source: str) -> bool:
    """Whether a hub knows the model: asked once; the libraries try and warn for half a minute."""
    from huggingface_hub import HfApi, constants

    if constants.HF_HUB_OFFLINE:
        return False
    try:
        HfApi().model_info(source, timeout=PATIENCE)
    except Exception:  # the library raises many kinds
        return False
    return True


def _with_added(made: RealTokenizer, tokenizer: Any, stops: Sequence[str]) -> RealTokenizer:
    """``made`` with the added tokens that lie beyond its model's ids, or over them."""
    vocabulary = list(made.vocabulary)
    for token, added in tokenizer.added_tokens_decoder.items():
        vocabulary += [None] * (token + 1 - len(vocabulary))
        vocabulary[token] = None if added.special else added.content.encode()
    ids = {t.content: token for token, t in tokenizer.added_tokens_decoder.items()}
    return replace(
        made,
        vocabulary=tuple(vocabulary),
        stop_ids=made.stop_ids | {ids[token] for token in stops},
        _padded={},
    )


def _beginning(tokenizer: Any, made: RealTokenizer) -> Ids:
    whole = tokenizer("a", add_special_tokens=True)["input_ids"]
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    for start in range(len(whole) - len(bare) + 1):
        if whole[start : start + len(bare)] == bare:
            return tuple(whole[:start])
    return made.beginning

"""How byte-level tokenizers cut a text into words, and what that depends on.

`CONTINUATIONS` holds strings that stand for everything that can follow a text, as far as the known
patterns distinguish it: one character of each class, white space and what it is followed by, and
what completes a contraction. The tests hold that against all short strings over these classes.
"""

from __future__ import annotations

import json
from itertools import product
from typing import Any

from .real import TokenizerError
from .spellings import byte_level_alphabet

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_DIGITS_BY = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
#: The patterns of GPT-2, Llama 3 and Qwen 2, as their files state them.
PATTERNS = (_GPT2, _DIGITS_BY % "{1,3}", _DIGITS_BY % "")

#: One character of each class that the patterns distinguish, and those of contractions.
CLASSES = (
    *("a", "s", "t", "r", "e", "v", "m", "l", "d", "A", "S", "\u00e9", "\u017f"),
    *("1", "\u00b2", " ", "\n", "\r", "\t", "\u00a0", "!", "'", "\u2014", "\u0301"),
)
_SPACES = (" ", "\n", "\t")
#: What can follow a text; "" is its end.
CONTINUATIONS = (
    "",
    *CLASSES,
    *(space + then for space, then in product(_SPACES, (*_SPACES, "a", "1", "!"))),
    *("re", "ve", "ll"),
)
#: Behind a letter that belongs to no contraction: the end, a letter, and what is none.
BEHIND_A_LETTER = ("", "a", "\u0301")


class UnknownWordsError(TokenizerError):
    """A tokenizer of which it is not known when a token is certain; the message says why."""


def refused(tokenizer: Any, why: str) -> UnknownWordsError:
    """What to raise, and why."""
    return UnknownWordsError(f"when a token of {tokenizer.name} is certain is not known: {why}")


def checked(tokenizer: Any) -> Any:
    """The library's object, if it cuts words as one of `PATTERNS` does and encodes by merges alone.

    Raises:
        UnknownWordsError: where it does not.
    """
    library: Any = getattr(getattr(tokenizer, "encoder", None), "tokenizer", None)

    def no(why: str) -> UnknownWordsError:
        return refused(tokenizer, why)

    if library is None or not hasattr(library, "pre_tokenizer"):
        raise no("it is no byte-level BPE of the tokenizers library")
    whole: dict[str, Any] = json.loads(library.to_str())
    model = whole["model"]
    cutters = [*_flat(whole["pre_tokenizer"])]
    if model["type"] != "BPE" or not any(part["type"] == "ByteLevel" for part in cutters):
        raise no("it is no byte-level BPE")
    if [*_flat(whole["normalizer"])]:
        raise no("it normalises text")
    if (
        model.get("dropout")
        or model.get("continuing_subword_prefix")
        or model.get("end_of_word_suffix")
    ):
        raise no("its merges are random, or mark where words begin or end")
    if any(not added["special"] for added in whole["added_tokens"]):
        raise no("it has added tokens that are found before words are cut")
    alphabet = byte_level_alphabet()
    if model.get("unk_token") and not all(piece in model["vocab"] for piece in alphabet):
        raise no("bytes without a token become the unknown one")
    made = {*alphabet, *("".join(sides(merge)) for merge in model["merges"])}
    if any(added["content"] in made for added in whole["added_tokens"]):
        raise no("one of its special tokens is what merges make of plain text")
    if [part["type"] for part in cutters][-1] != "ByteLevel":
        raise no("words are cut again once they are spelled in bytes")
    for part in cutters:
        known = (
            (part["type"] == "ByteLevel" and not part["add_prefix_space"])
            or (part["type"] == "Digits" and part["individual_digits"])
            or (
                part["type"] == "Split"
                and part["pattern"].get("Regex") in PATTERNS
                and part["behavior"] == "Isolated"
                and not part["invert"]
            )
        )
        if not known:
            raise no("the pattern that cuts its words is none of GPT-2's, Llama 3's, Qwen 2's")
    if model.get("ignore_merges"):
        library = _by_merges_alone(library, whole, no)
    return library


def _by_merges_alone(library: Any, whole: dict[str, Any], no: Any) -> Any:
    """The same where words that are tokens need no merges: right if merges give these anyway."""
    whole["model"]["ignore_merges"] = False
    merging = type(library).from_str(json.dumps(whole))
    added = {token["id"] for token in whole["added_tokens"]}
    for piece, token in whole["model"]["vocab"].items():
        if token not in added and [made.id for made in merging.model.tokenize(piece)] != [token]:
            raise no(f"its token {token} is found whole, where merges do not give it")
    return merging


def sides(merge: Any) -> tuple[str, str]:
    """The two sides of a merge, in either way of writing it."""
    left, right = merge.split(" ") if isinstance(merge, str) else merge
    return left, right


def _flat(part: Any) -> list[Any]:
    if part is None:
        return []
    if part["type"] == "Sequence":
        inner = part.get("pretokenizers") or part.get("normalizers") or []
        return [one for each in inner for one in _flat(each)]
    return [part]

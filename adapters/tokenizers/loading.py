"""`load_tokenizer`: a real tokenizer from a name, a file, a folder, a library's object or a hub."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..assets import asset
from .catalogue import INSTALL, TOKENIZERS, Named, read_json, read_model, read_ranks_file
from .from_sentencepiece import from_sentencepiece
from .from_tiktoken import from_tiktoken
from .from_tokenizers import from_tokenizers
from .from_transformers import from_transformers, hub_tokenizer
from .gguf_files import from_gguf
from .greedy_bytes import from_greedy_file
from .real import RealTokenizer, TokenizerError
from .stops import REPLY_ENDS

_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def load_tokenizer(source: str | Path | object) -> RealTokenizer:
    """A real tokenizer.

    Args:
        source: a name of `TOKENIZERS` (its files are fetched unless they are there); a
            ``tokenizer.json``; a SentencePiece ``.model``; a ``.tiktoken`` file (cut as Llama 3
            and cl100k cut text, since the file does not say how); a ``.gguf`` file; an RWKV
            vocabulary; a folder that holds one of these; an object of transformers, tokenizers,
            sentencepiece or tiktoken; or else the name of a model on a hub.

    Raises:
        TokenizerError: in one line, for what cannot be loaded, or would be loaded wrong.
        AssetError: when a named tokenizer's files cannot be fetched.
    """
    try:
        return _load(source)
    except ModuleNotFoundError as absent:
        raise TokenizerError(f"{source} needs {absent.name}: {INSTALL}") from None


def _load(source: str | Path | object) -> RealTokenizer:
    if not isinstance(source, str | Path):
        return _from_object(source)
    for named in TOKENIZERS:
        if source == named.name:
            return _load_named(named)
    path = Path(source).expanduser()
    if path.is_dir():
        return _from_folder(path)
    if path.is_file():
        return _from_file(path)
    if isinstance(source, Path) or path.suffix in (".json", ".model", ".gguf", ".tiktoken", ".txt"):
        raise TokenizerError(f"{source}: there is no such file or folder")
    return hub_tokenizer(str(source))


def named_tokenizer(name: str) -> Named:
    """The entry of `TOKENIZERS` called ``name``; raises `TokenizerError` when there is none."""
    for named in TOKENIZERS:
        if named.name == name:
            return named
    names = ", ".join(named.name for named in TOKENIZERS)
    raise TokenizerError(f"no tokenizer is called {name!r}; there are {names}")


@lru_cache(maxsize=4)
def _load_named(named: Named) -> RealTokenizer:
    # A few are kept, so that two models with one tokenizer share the object.
    return named.read(asset(named.asset) / named.file, named.name)


def _from_object(source: Any) -> RealTokenizer:
    # By module, so that no library is imported that the object does not come from.
    modules = {kind.__module__.partition(".")[0] for kind in type(source).__mro__}
    if isinstance(source, RealTokenizer):
        return source
    if "transformers" in modules:
        return from_transformers(source)
    if "tokenizers" in modules:
        return from_tokenizers(source)
    if "sentencepiece" in modules:
        return from_sentencepiece(source)
    if "tiktoken" in modules:
        return from_tiktoken(source)
    raise TokenizerError(f"{type(source).__name__} is no tokenizer of a library known here")


def _from_file(path: Path) -> RealTokenizer:
    if path.suffix == ".gguf":
        return from_gguf(path)
    if path.suffix == ".json":
        return read_json(path, path.parent.name or path.stem, *_settings(path.parent))
    if path.suffix == ".tiktoken":
        return read_ranks_file(_PATTERN, {})(path, path.stem)
    if path.suffix == ".txt":
        return from_greedy_file(path, path.stem)
    if ".model" in path.suffixes:
        return read_model(path, path.stem)
    raise TokenizerError(
        f"{path}: known are tokenizer.json, .model, .tiktoken, .gguf and RWKV's .txt"
    )


def _from_folder(folder: Path) -> RealTokenizer:
    for name in ("tokenizer.json", "tokenizer.model"):
        if (folder / name).is_file():
            return _from_file(folder / name)
    for suffix in (".model", ".tiktoken", ".gguf"):
        found = sorted(folder.glob(f"*{suffix}"))
        if len(found) > 1:
            raise TokenizerError(f"{folder} holds {len(found)} files *{suffix}; name one")
        if found:
            return _from_file(found[0])
    if (folder / "tokenizer_config.json").is_file():
        return hub_tokenizer(str(folder))
    raise TokenizerError(f"{folder} holds no tokenizer.json, .model, .tiktoken or .gguf")


def _settings(folder: Path) -> tuple[str | None, tuple[str, ...], tuple[str, ...] | None]:
    """(end of sequence, other ends of replies, beginning) by the settings beside a tokenizer.

    The beginning is None, for what the tokenizer's own post-processor does, unless the settings
    ask for one.
    """
    try:
        found = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None, (), None
    except (OSError, ValueError) as raised:
        raise TokenizerError(f"{folder / 'tokenizer_config.json'}: {raised}") from None

    def spelled(role: str) -> str | None:
        token = found.get(role)
        return token.get("content") if isinstance(token, dict) else token

    added = found.get("added_tokens_decoder") or {}
    specials = {entry["content"] for entry in added.values() if entry.get("special")}
    begins = spelled("bos_token")
    return (
        spelled("eos_token"),
        tuple(token for token in REPLY_ENDS if token in specials),
        (begins,) if begins and found.get("add_bos_token") else None,
    )


__all__ = ["INSTALL", "TOKENIZERS", "load_tokenizer", "named_tokenizer"]

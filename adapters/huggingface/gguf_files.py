"""GGUF files: converted once to safetensors in the cache, with the tokenizer put right.

`transformers` dequantises a GGUF file in half a minute; the converted folder loads in a second.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import pre_tokenizers

from ..assets.cache import cache_folder
from ..tokenizers.gguf_metadata import read_metadata
from ..tokenizers.real import TokenizerError
from .memory import memory_for
from .models import ModelError
from .quiet import silence

#: Raised when what a conversion writes changes, so that older conversions are not taken for it.
CONVERSION = 1

INSTALL_COMMAND = "pip install 'draftproof[models]'"

#: The entry of a file that names how text is cut before BPE.
_PRE_TOKENIZER = "tokenizer.ggml.pre"
#: Files that a complete conversion has.
_COMPLETE = ("config.json", "tokenizer.json")


def models_folder() -> Path:
    """Where converted and trained models are kept."""
    return cache_folder() / "models"


def converted(file: Path, name: str | None = None) -> Path:
    """The folder of a GGUF file's conversion; made, atomically, unless it is there.

    Raises:
        ModelError: for a file that is no GGUF file, is cut short or has weights missing, and where
            the packages that read it are not installed.
    """
    folder = folder_of(file, name)
    if folder.is_dir():
        return folder
    _check(file)
    with new_folder(folder) as scratch:
        _convert(file, scratch)
    return folder


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A scratch folder that becomes ``folder`` at once when the block ends well, and else goes."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    try:
        yield scratch
        mask = os.umask(0)
        os.umask(mask)
        for written in scratch.iterdir():  # some writers leave files for their owner alone
            written.chmod(0o666 & ~mask)
        scratch.chmod(0o777 & ~mask)
        try:
            scratch.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process was faster
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def folder_of(file: Path, name: str | None = None) -> Path:
    """Where the conversion of a GGUF file is or would be: by its content, not by its path."""
    try:
        with file.open("rb") as opened:
            content = hashlib.file_digest(opened, "sha256")
    except OSError as problem:
        raise ModelError(f"{file} cannot be read: {problem.strerror}") from problem
    content.update(b"conversion %d" % CONVERSION)
    return models_folder() / f"{name or file.stem}-{content.hexdigest()[:12]}"


def _check(file: Path) -> None:
    try:
        read_metadata(file, _PRE_TOKENIZER.__eq__)
    except TokenizerError as problem:
        raise ModelError(f"{problem}; if it is cut short or damaged, fetch it again") from problem
    absent = [package for package in ("gguf", "accelerate") if find_spec(package) is None]
    if absent:
        verb = "is" if len(absent) == 1 else "are"
        raise ModelError(
            f"{' and '.join(absent)} {verb} not installed, which reading {file.name} needs: "
            f"{INSTALL_COMMAND}"
        )


def _convert(file: Path, folder: Path) -> None:
    options: dict[str, Any] = {"gguf_file": file.name, "output_loading_info": True}
    configuration = getattr(transformers, "GgufConfig", None)
    if configuration is None:  # before version 5: loading dequantises
        options["torch_dtype"] = torch.float32
    else:
        options |= {"dtype": torch.float32, "quantization_config": configuration(dequantize=True)}
    advice = "it needs four bytes for each parameter, several times over while converting"
    try:
        with memory_for(f"converting {file}", advice), silence():
            given: Any = transformers.AutoModelForCausalLM.from_pretrained(file.parent, **options)
            tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    except ModelError:
        raise
    except Exception as problem:  # the reader fails in many ways on a damaged file
        raise ModelError(
            f"{file} cannot be read as a GGUF model ({type(problem).__name__}: "
            f"{_first_line(problem)}); if the file is cut short or damaged, fetch it again"
        ) from problem
    model, found = given
    if found["missing_keys"]:
        missing = sorted(found["missing_keys"])
        raise ModelError(
            f"{file} lacks {len(missing)} weights of {type(model).__name__}, the first "
            f"{missing[0]}; the file is incomplete or of an architecture that is not supported"
        )
    correct(tokenizer, read_metadata(file, _PRE_TOKENIZER.__eq__).get(_PRE_TOKENIZER, ""))
    model.hf_quantizer = None  # else it refuses to be saved
    with memory_for(f"saving {file}", advice), silence():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    _drop_added(folder, int(model.config.get_text_config().vocab_size))
    for needed in _COMPLETE:
        if not (folder / needed).is_file():
            raise ModelError(f"the conversion of {file} has no {needed}")


def correct(tokenizer: Any, named: str) -> None:
    """Put right what `transformers` loses of a GGUF file's tokenizer.

    SmolLM's pre-tokenizer takes digits one by one; loading from GGUF leaves GPT-2's, which does
    not.
    """
    if named in ("smollm", "smollm2"):
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False),
            ]
        )


def _drop_added(folder: Path, head: int) -> None:
    """Take out the special tokens that `transformers` adds beyond the ids of the file.

    A GPT-2 tokenizer gets an unknown token by default, whether the file has one or not.
    """
    file, settings_file = folder / "tokenizer.json", folder / "tokenizer_config.json"
    if not file.is_file():
        return
    found = json.loads(file.read_text("utf-8"))
    beyond = {each["content"] for each in found["added_tokens"] if each["id"] >= head}
    if not beyond:
        return
    found["added_tokens"] = [each for each in found["added_tokens"] if each["id"] < head]
    file.write_text(json.dumps(found, ensure_ascii=False), "utf-8")
    settings = json.loads(settings_file.read_text("utf-8"))
    kept = {name: value for name, value in settings.items() if str(value) not in beyond}
    settings_file.write_text(json.dumps(kept, indent=2), "utf-8")


def _first_line(problem: BaseException) -> str:
    return (str(problem).strip().splitlines() or [""])[0][:200]

"""Options that commands on real models share: where models run, and the settings of a request."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from .options import at_least, real

MODELS = """\
models: a folder (safetensors and tokenizer), a GGUF file, a hub name where the network allows, or
one of smollm2, drafter-bpe, drafter-bytes, drafter-ngram, drafter-shared (made by `make models`),
tiny-random (nothing to download)
"""


def add_models(command: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add ``--target`` and ``--drafter``, the latter ``several`` times or once."""
    command.add_argument(
        "--target", required=True, metavar="MODEL", help="the model to decode from"
    )
    command.add_argument(
        "--drafter",
        required=several,
        action="append" if several else "store",
        metavar="MODEL",
        help="the model that drafts" + ("; may be given several times" if several else ""),
    )


def add_request(command: argparse.ArgumentParser) -> None:
    """Add the settings of a request."""
    group = command.add_argument_group(
        "the law", "both models' laws, as transformers' generate() applies these settings"
    )
    group.add_argument(
        "--temperature", type=real, default=1.0, metavar="T", help="0 is greedy (default: 1)"
    )
    group.add_argument("--top-k", type=at_least(0), default=0, metavar="K", help="0 keeps all")
    group.add_argument("--top-p", type=real, default=1.0, metavar="P", help="1 keeps all")
    group.add_argument("--min-p", type=real, default=0.0, metavar="P", help="0 keeps all")
    group.add_argument(
        "--repetition-penalty", type=real, default=1.0, metavar="X", help="1 changes nothing"
    )


def add_machine(command: argparse.ArgumentParser) -> None:
    """Add where and how models run."""
    group = command.add_argument_group("the machine")
    group.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    group.add_argument(
        "--dtype",
        choices=("float32", "float64", "bfloat16", "float16"),
        default="float32",
        help="of weights and activations; laws are float32, or float64 for float64",
    )
    group.add_argument(
        "--threads", type=at_least(1), metavar="N", help="CPU threads (default: torch's own choice)"
    )
    group.add_argument(
        "--no-cache",
        action="store_true",
        help="recompute every position: for models whose cache cannot be cropped",
    )


def load_models(options: argparse.Namespace, names: list[str]) -> list[Any]:
    """The named models, loaded as the options say.

    Raises:
        ValueError, OSError: what cannot be loaded, in one line.
    """
    try:
        import torch
        import transformers
    except ImportError as missing:
        raise ValueError(
            f"real models need {missing.name}: pip install 'draftproof[models]'"
        ) from None
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    transformers.utils.logging.set_verbosity_error()
    if options.threads:
        torch.set_num_threads(options.threads)

    from draftproof.adapters.huggingface.loading import load
    from draftproof.adapters.huggingface.settings import Settings

    settings = Settings(
        options.temperature,
        options.top_k,
        options.top_p,
        options.min_p,
        options.repetition_penalty,
    )
    return [
        load(
            name,
            settings,
            device=options.device,
            dtype=options.dtype,
            cached=not options.no_cache,
            timed=True,
        )
        for name in names
    ]


def text_of(given: str | None, file: str | None) -> str:
    """A prompt from ``--prompt`` or ``--prompt-file``, "-" being standard input.

    Raises:
        ValueError: for none, both, an empty one, or a file that is not UTF-8.
    """
    if (given is None) == (file is None):
        raise ValueError("give one of --prompt TEXT and --prompt-file FILE")
    if file is not None:
        try:
            raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
            given = raw.decode("utf-8")
        except UnicodeDecodeError as problem:
            name = "standard input" if file == "-" else file
            raise ValueError(f"{name} is not UTF-8: {problem.reason} at {problem.start}") from None
    if not given:
        raise ValueError("the prompt is empty; a model continues something")
    return given

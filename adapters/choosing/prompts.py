"""Prompts from a file: one a line, JSON lines with "prompt", or built-in ones."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

BUILT_IN = "builtin:"
#: How many built-in prompts are taken when no number is given.
USUAL = 16


def read_prompts(source: str) -> list[str]:
    """The prompts that ``source`` names, at least one.

    ``builtin:KIND`` or ``builtin:KIND:N`` are prompts of our own (`draftproof.adapters.drafters`).
    A file is JSON lines when its name ends in .jsonl or its first line is an object with "prompt";
    otherwise each line that is not blank is a prompt. "-" is standard input.

    Raises:
        ValueError: in one line, for no prompts, unknown built-in ones, or what cannot be read.
        OSError: for a file that cannot be opened.
    """
    if source.startswith(BUILT_IN):
        return _built_in(source.removeprefix(BUILT_IN))
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise ValueError(
            f"--prompts {source} is not UTF-8: {problem.reason} at {problem.start}"
        ) from None
    # Lines end at line feeds only: other characters that split lines may stand in a prompt.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise ValueError(f"--prompts {source} holds no prompt")
    if source.endswith(".jsonl") or _is_record(lines[0][1]):
        return [_record(source, number, line) for number, line in lines]
    return [line.removesuffix("\r") for _, line in lines]


def _is_record(line: str) -> bool:
    try:
        value: Any = json.loads(line)
    except ValueError:
        return False
    return isinstance(value, dict) and "prompt" in value


def _record(source: str, number: int, line: str) -> str:
    try:
        value: Any = json.loads(line)
    except ValueError as problem:
        raise ValueError(f"--prompts {source}, line {number}: {problem}") from None
    prompt = value.get("prompt") if isinstance(value, dict) else None
    if not isinstance(prompt, str) or not prompt:
        raise ValueError(
            f'--prompts {source}, line {number}: an object with a text under "prompt" is needed'
        )
    return prompt


def _built_in(name: str) -> list[str]:
    from ..drafters.prompts import prompts

    kind, _, count = name.partition(":")
    if count and not (count.isascii() and count.isdigit() and int(count)):
        raise ValueError(f"--prompts {BUILT_IN}{name}: {count!r} is not a number of prompts")
    try:
        return prompts(kind, int(count) if count else USUAL)  # pyright: ignore[reportArgumentType]
    except ValueError as problem:
        raise ValueError(f"--prompts {BUILT_IN}{name}: {problem}") from None

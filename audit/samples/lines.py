"""Samples as JSON lines, and laws beside them.

    {"prompt": "def f", "mode": "plain", "ids": [5, 7], "text": "(x", "seed": 3}

``prompt`` is a text or a list of ids; ``mode`` is "plain" or "speculative"; ``ids`` are the new ids
alone, or null where the engine gives none, and then ``text`` is looked at by characters; ``seed``
may be null. A line of mode "law" says what is due after a prompt:

    {"prompt": "def f", "mode": "law", "law": [[[5], 0.25], [[9], 0.5]]}

strings of new ids, all of one length, with their probabilities; what is missing to 1 is for others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

PLAIN, SPECULATIVE, LAW = "plain", "speculative", "law"
MODES = (PLAIN, SPECULATIVE, LAW)

#: A prompt as lines have it, made hashable: a text, or ids.
Prompt = str | tuple[int, ...]
#: New ids, or the characters of a text.
Tokens = tuple[Any, ...]


@dataclass(frozen=True)
class Sample:
    """One reply.

    Attributes:
        by_ids: whether the tokens are ids, and no characters.
    """

    prompt: Prompt
    mode: str
    tokens: Tokens
    seed: int | None = None
    by_ids: bool = True


@dataclass
class Samples:
    """What a file or a program gave.

    Attributes:
        samples: in the order in which they came.
        laws: by prompt, the probabilities that lines of mode "law" state.
        repeated: lines left out since their prompt, mode and seed had come before.
    """

    samples: list[Sample] = field(default_factory=list)
    laws: dict[Prompt, dict[Tokens, float]] = field(default_factory=dict)
    repeated: int = 0


def read(lines: Iterable[str], source: str) -> Samples:
    """What ``lines`` hold; ``source`` is named in errors.

    Raises:
        ValueError: naming the first line that is wrong, and what is wrong with it.
    """
    found = Samples()
    seen: set[tuple[Prompt, str, int]] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{source}, line {number}"
        try:
            entry = json.loads(line)
        except ValueError as problem:
            raise ValueError(f"{where}: no JSON ({problem})") from None
        except RecursionError:
            raise ValueError(f"{where}: no JSON that can be read (nested too deep)") from None
        if not isinstance(entry, dict):
            raise ValueError(f"{where}: {_short(entry)} is no JSON object")
        prompt = _prompt(entry, where)
        mode = entry.get("mode")
        if mode not in MODES:
            raise ValueError(
                f"{where}: the mode is {_short(mode)}; it is one of {', '.join(MODES)}"
            )
        if mode == LAW:
            if prompt in found.laws:
                raise ValueError(f"{where}: a second law for the same prompt")
            found.laws[prompt] = _law(entry.get("law"), where)
            continue
        sample = _sample(entry, prompt, mode, where)
        if sample.seed is not None:
            key = (prompt, mode, sample.seed)
            if key in seen:
                found.repeated += 1
                continue
            seen.add(key)
        found.samples.append(sample)
    return found


def written(sample: Sample) -> str:
    """The line of a sample by ids."""
    prompt = list(sample.prompt) if isinstance(sample.prompt, tuple) else sample.prompt
    ids = list(sample.tokens) if sample.by_ids else None
    text = None if sample.by_ids else "".join(sample.tokens)
    entry = {"prompt": prompt, "mode": sample.mode, "ids": ids, "text": text, "seed": sample.seed}
    return json.dumps(entry)  # ASCII: half a surrogate pair can be written so too


def named(prompt: Prompt) -> str:
    """A prompt as reports show it."""
    text = json.dumps(prompt if isinstance(prompt, str) else list(prompt), ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."


def _prompt(entry: dict[str, Any], where: str) -> Prompt:
    prompt = entry.get("prompt")
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, list) and all(map(_is_id, prompt)):
        return tuple(prompt)
    raise ValueError(f"{where}: the prompt is {_short(prompt)}; a text or a list of ids is due")


def _sample(entry: dict[str, Any], prompt: Prompt, mode: str, where: str) -> Sample:
    ids, text, seed = entry.get("ids"), entry.get("text"), entry.get("seed")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise ValueError(f"{where}: the seed is {_short(seed)}; a whole number or null is due")
    if ids is not None:
        if not isinstance(ids, list) or not all(map(_is_id, ids)):
            raise ValueError(f"{where}: the ids are {_short(ids)}; a list of whole numbers is due")
        return Sample(prompt, mode, tuple(ids), seed)
    if not isinstance(text, str):
        raise ValueError(f"{where}: it has neither ids nor a text")
    return Sample(prompt, mode, tuple(text), seed, by_ids=False)


def _law(law: Any, where: str) -> dict[Tokens, float]:
    found: dict[Tokens, float] = {}
    for entry in _entries(law, where):
        ids, probability = entry
        if tuple(ids) in found:
            raise ValueError(f"{where}: the law lists {_short(ids)} twice")
        found[tuple(ids)] = float(probability)
    if len({len(ids) for ids in found}) != 1 or () in found:
        raise ValueError(f"{where}: the law's strings must have one length, at least 1")
    if not any(found.values()):
        raise ValueError(f"{where}: the law gives no string a probability above 0")
    if sum(found.values()) > 1 + 1e-6:
        raise ValueError(f"{where}: the law's probabilities add up to {sum(found.values()):.6g}")
    return found


def _entries(law: Any, where: str) -> Iterator[tuple[list[int], float]]:
    if not isinstance(law, list) or not law:
        raise ValueError(
            f"{where}: a line of mode law needs a law, [[[id, ...], probability], ...]"
        )
    for entry in law:
        if (
            not isinstance(entry, list)
            or len(entry) != 2
            or not isinstance(entry[0], list)
            or not all(map(_is_id, entry[0]))
            or isinstance(entry[1], bool)
            or not isinstance(entry[1], int | float)
            or not 0 <= entry[1] <= 1
        ):
            raise ValueError(f"{where}: the law has {_short(entry)}; [[id, ...], p] is due")
        yield entry[0], entry[1]


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."

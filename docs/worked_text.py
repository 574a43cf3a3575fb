"""What the worked numbers share: the registry, printing, and one law set beside another."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from draftproof.audit import Laws
from draftproof.reference import Ids, Leaf, Pair, Program, Round, branches
from draftproof.reference.exact import ZERO, Rational
from draftproof.toymodels import NgramModel, greedy

WORKED: dict[str, Callable[..., str]] = {}


def worked(function: Callable[..., str]) -> Callable[..., str]:
    """Register ``function`` under its name with hyphens."""
    WORKED[function.__name__.replace("_", "-")] = function
    return function


# ---- printing -----------------------------------------------------------------------------------


def columns(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """An aligned table; the first column to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[j]) for row in cells) for j in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if j == 0 else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def markdown(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The same as a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in lines)


def code(text: str) -> str:
    """A code span that a Markdown table can hold."""
    return f"<code>{text.replace('|', '&#124;')}</code>" if "|" in text else f"`{text}`"


def short(number: Rational) -> str:
    """Exactly where that is short, else rounded and marked so, as the audit's tables do it."""
    exact = str(number)
    return exact if len(exact) <= 9 else f"~{float(number):.4g}"


def spelled(tokenizer: Any, token: int) -> str:
    """A token as a person reads it."""
    raw = tokenizer.vocabulary[token]
    if raw is None:
        return "<end>" if token == tokenizer.end_of_sequence else f"<{token}>"
    text = raw.decode("utf-8", errors="backslashreplace").replace(" ", "␣")
    return f"◌{text}" if text and unicodedata.combining(text[0]) else text


def of_union(pair: Pair, token: int) -> str:
    """A token of T u D; marked where T lacks it."""
    if token < pair.target.size:
        return spelled(pair.target_tokenizer, token)
    return spelled(pair.drafter_tokenizer, token - pair.target.size) + " (not in T)"


def string(pair: Pair, ids: Iterable[int]) -> str:
    """Target ids spelled out."""
    return " ".join(of_union(pair, token) for token in ids) or "(nothing)"


# ---- the law of a block against the target's own ------------------------------------------------


def against(algorithm: Program, pair: Pair, context: Ids, length: int) -> str:
    """The law of the first ``length`` tokens of a completed round beside the one that is due."""
    laws = Laws(algorithm, pair)
    given = laws.completed_round(context)
    due = laws.due_law(context, max(map(len, given)))
    given, due = (law.push_forward(lambda ids: ids[:length]) for law in (given, due))
    rows = [
        [string(pair, ids), due[ids], given[ids], given[ids] - due[ids]]
        for ids in sorted({*due, *given})
    ]
    distance = sum((abs(row[3]) for row in rows), ZERO) / 2
    emitted = "token" if length == 1 else f"{length} tokens"
    return (
        f"after {string(pair, context)}\n"
        + columns([emitted, "due", "given", "difference"], rows)
        + f"\ntotal variation: {distance}"
    )


# ---- pairs and branches -------------------------------------------------------------------------


def one_vocabulary(p: str, q: str) -> Pair:
    """Two context-free laws over the tokens 0, 1, ..."""
    target, drafter = (NgramModel.constant(law.split()) for law in (p, q))
    tokenizer = greedy([str(token) for token in range(target.size)])
    return Pair(target, drafter, tokenizer, tokenizer)


def round_branches(algorithm: Program, pair: Pair, context: Ids) -> Iterator[Leaf[Round]]:
    """Every branch of one round."""
    return branches(lambda chance: algorithm.run_round(pair, context, chance, None))

"""The table of docs/tokenizer-adapters.md, measured: run this file to print it anew."""

from __future__ import annotations

from collections import Counter

from draftproof.adapters.tokenizers import TOKENIZERS, RealTokenizer, load_tokenizer
from hard_strings import ALL, HARD

HEAD = (
    "| name | family | ids | without text | sharing their bytes | changed | what is left |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | --- |"
)


def row(real: RealTokenizer) -> str:
    """One line of the table: numbers of ids, and how many hard strings do not come back."""
    counts = Counter(spelled for spelled in real.vocabulary if spelled is not None)
    twice = sum(count for count in counts.values() if count > 1)
    without = sum(spelled is None for spelled in real.vocabulary)
    left = real.text_law.sentence
    if real.unknown is not None and any(real.unknown in ids for ids in real.encode_many(ALL)):
        left += "; some characters are unknown"
    return (
        f"| {real.name} | {real.family} | {len(real.vocabulary):,} | {without:,} | {twice:,} "
        f"| {sum(changes(real).values())} | {left} |"
    )


def changes(real: RealTokenizer) -> dict[str, int]:
    """For each kind of hard strings, how many of them do not come back."""
    return {
        kind: changed
        for kind, texts in HARD.items()
        if (changed := sum(real.decode(real.encode(text)) != text for text in texts))
    }


def kinds_row(real: RealTokenizer) -> str:
    """One line of the second table: which kinds of strings change, and how many of each."""
    found = changes(real)
    return f"| {real.name} | " + " | ".join(str(found.get(kind, "")) for kind in HARD) + " |"


def kinds_head() -> str:
    named = " | ".join(f"{kind} ({len(texts)})" for kind, texts in HARD.items())
    return f"| name | {named} |\n| --- |{' ---: |' * len(HARD)}"


if __name__ == "__main__":
    loaded = [load_tokenizer(named.name) for named in TOKENIZERS if named.asset != "gemma-gguf"]
    print("\n".join((HEAD, *map(row, loaded))))
    print("\n" + "\n".join((kinds_head(), *(kinds_row(r) for r in loaded if changes(r)))))

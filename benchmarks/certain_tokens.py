"""When a token of a real tokenizer is certain while text comes in, and what a cut text loses.

    python benchmarks/certain_tokens.py [--tokenizers gpt2 smollm2 starcoder] [--json FILE]

On the passages of the tokenizer audit, for byte-level BPE:

- *wait*: bytes of text behind a token until no continuation can change it, and the share of tokens
  that are certain as soon as their own last byte is there, one byte later, and so on;
- *alone*: positions at which the text that follows, encoded by itself, begins with the token that
  stands there when the whole is encoded. A draft is encoded by itself, behind a context whose ids
  stay as they are; at the other positions it cannot propose what the tokenizer would write. Apart
  from them: positions within a character, where text cannot go on at all.
"""

import argparse
import json
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

from draftproof.adapters.tokenizers import load_tokenizer
from draftproof.adapters.tokenizers.words import Words
from draftproof.adapters.vocabularies import CORPUS
from draftproof.reference.readings import certain

#: Text behind a position that is looked at.
AHEAD = 60


def wait(words: Words, text: str, first: int) -> int | None:
    """Bytes behind the first token of ``text`` until it is certain; None where the text ends."""
    length = len(words.decode((first,)))
    for end in range(length, len(text) + 1):
        if (certain(words, text[:end]) or ())[:1] == (first,):
            return end - length
    return None


def measured(name: str) -> dict[str, Any]:
    """Both, for a tokenizer."""
    words = Words(load_tokenizer(name))
    waits: Counter[int] = Counter()
    examples: Counter[str] = Counter()
    positions = within = alone = 0
    for passage in CORPUS:
        ids = words.inner.encode(passage.text)
        text, place = words.decode(ids), 0
        for token in ids:
            rest = text[place : place + AHEAD]
            place += len(words.decode((token,)))
            positions += 1
            if "\x80" <= rest[0] < "\xc0":
                within += 1
                continue
            cut = words.encode(rest)[:1]
            if cut == (token,):
                alone += 1
                bytes_behind = wait(words, rest, token)
                if bytes_behind is not None:
                    waits[bytes_behind] += 1
            else:
                examples[f"{words.decode((token,))!r} as {words.decode(cut)!r}"] += 1
    total = waits.total()
    listed = [n for n, count in waits.items() for _ in range(count)]
    shares = {n: sum(waits[m] for m in range(n + 1)) / total for n in range(5)}
    print(f"{name}: {positions:,} positions")
    print(f"  within a character: {within / positions:.1%}")
    print(f"  alone: {alone / (positions - within):.2%}; the others: {examples.most_common(4)}")
    print(
        f"  wait: mean {statistics.fmean(listed):.2f} bytes, at most {max(listed)}; certain after "
        + ", ".join(f"{n}: {share:.1%}" for n, share in shares.items()),
        flush=True,
    )
    return {
        "positions": positions,
        "within": within,
        "alone": alone,
        "waits": dict(sorted(waits.items())),
    }


def main() -> None:
    """All tokenizers asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokenizers", nargs="+", default=["gpt2", "smollm2", "starcoder"])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = {name: measured(name) for name in options.tokenizers}
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

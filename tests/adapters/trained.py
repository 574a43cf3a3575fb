"""Small byte-level BPEs, trained here, whose words are cut by the patterns of real ones."""

from __future__ import annotations

from functools import cache

from draftproof.adapters.tokenizers.from_tokenizers import from_tokenizers
from draftproof.adapters.tokenizers.patterns import PATTERNS
from draftproof.adapters.tokenizers.words import Words
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

TEXTS = [
    "the cat's house isn't there; they're 12 or 345 houses\n\n  in the end,   they said 'the re'\n",
    "def f(x):\n    return x  # the re\n\n\n\tthen  \u00e9t\u00e9 \u2014 d\u00e9\n   I'll IT",
]
CUTTERS = {
    "gpt2": [pre_tokenizers.Split(Regex(PATTERNS[0]), "isolated")],
    "llama3": [pre_tokenizers.Split(Regex(PATTERNS[1]), "isolated")],
    "qwen2": [pre_tokenizers.Split(Regex(PATTERNS[2]), "isolated")],
    "digits": [
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.Split(Regex(PATTERNS[0]), "isolated"),
    ],
    "whole": [],
}


@cache
def small(cutter: str, size: int = 330) -> Words:
    """A byte-level BPE of ``size`` ids and an end, whose words a pattern cuts."""
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.Sequence(
        [*CUTTERS[cutter], pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    library.decoder = decoders.ByteLevel()
    library.train_from_iterator(
        TEXTS * 3,
        trainers.BpeTrainer(
            vocab_size=size,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    library.add_special_tokens(["<|end|>"])
    return Words(from_tokenizers(library, cutter, end_of_sequence="<|end|>"))

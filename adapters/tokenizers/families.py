"""The laws of each family, stated once; tests check them, and that they are no stronger than true.

What differs between real tokenizers is what happens to a text before it is cut (normalisation), at
its front (a space is put there), and to what has no token (dropped, or unknown). Where nothing of
that happens, a text comes back as it was. No real tokenizer is canonical (many id sequences spell
one text), and none is concatenative as text, since half a character reads as U+FFFD.
"""

from __future__ import annotations

from ...reference.tokenizers import TokenizerLaws

#: The families of spelling.
BYTE_LEVEL = "byte-level BPE"
RANKS = "byte BPE by ranks"
GREEDY = "greedy longest match over bytes"
SENTENCEPIECE_BPE = "SentencePiece BPE"
SENTENCEPIECE_UNIGRAM = "SentencePiece Unigram"
UNIGRAM = "Unigram"
WORD_PIECE = "WordPiece"
END_OF_WORD = "byte-level BPE with an end of word"

#: For tokenizers that give every text back.
EXACT = TokenizerLaws(
    injective=True, round_trips=True, total=True, concatenative=False, canonical=False
)

#: For those that do not: some two texts have one encoding.
LOSSY = TokenizerLaws(
    injective=False, round_trips=False, total=True, concatenative=False, canonical=False
)

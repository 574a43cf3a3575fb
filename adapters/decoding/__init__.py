"""Speculative decoding with real models: pairs, programs, runs and what they cost.

`pairs` puts a loaded target and a loaded drafter into a `Pair` of the reference; `programs` binds
the reference's algorithms to a lookahead that may be chosen round by round; `one_draft` finds psi
for real vocabularies; `runs` runs them and counts passes, acceptance and time. The algorithms
themselves are those of `draftproof.reference`. The modules import torch; this package does not.
"""

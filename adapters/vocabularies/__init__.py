"""The audit of two tokenizers as a target's and a drafter's: what stands in which algorithm's way.

`audit_vocabularies` runs every measure; each has a file of its own: `intersection`,
`segmentations` (expressibility and the cost of psi), `roundtrips`, `canonical`, `revisions`,
`spellings`, and `advice`. Any tokenizer with the reference's protocol will do.
"""

from .audit import SCHEMA, Both, Settings, VocabularyAudit, audit_vocabularies
from .corpus import CORPUS, Passage, every_text, passages, read_corpus
from .sides import Side, Token

__all__ = [
    "CORPUS",
    "SCHEMA",
    "Both",
    "Passage",
    "Settings",
    "Side",
    "Token",
    "VocabularyAudit",
    "audit_vocabularies",
    "every_text",
    "passages",
    "read_corpus",
]

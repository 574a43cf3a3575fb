"""Models and tokenizers small enough to be enumerated exactly, and pairs made of them.

`NgramModel` and `PrunedHead` are language models in rationals; `ToyTokenizer`, built by `greedy`,
`bpe` or `unigram`, is a tokenizer put together from the parts of real ones; `QUIRKS` are the ways
in which real ones fail to round-trip, with their laws stated. `gallery` gives the named pairs that
the audit runs on. Random vocabularies, tokenizers, laws, models and pairs for property tests are in
`draftproof.toymodels.strategies`, which needs hypothesis and is not imported here.
"""

from .gallery import GALLERY, GalleryPair, UnknownPairError, gallery, gallery_pair
from .laws import counterexamples, false_claims, found_laws
from .models import NgramModel, PrunedHead
from .quirks import QUIRKS
from .segmentation import TokenizerError
from .tables import ModelError
from .texts import Cleaner, Normaliser
from .tokenizers import ToyTokenizer, bpe, greedy, unigram

__all__ = [
    "GALLERY",
    "QUIRKS",
    "Cleaner",
    "GalleryPair",
    "ModelError",
    "NgramModel",
    "Normaliser",
    "PrunedHead",
    "TokenizerError",
    "ToyTokenizer",
    "UnknownPairError",
    "bpe",
    "counterexamples",
    "false_claims",
    "found_laws",
    "gallery",
    "gallery_pair",
    "greedy",
    "unigram",
]

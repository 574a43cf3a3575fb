"""Real tokenizers behind the protocol of the reference: every id mapped to the bytes it means.

`load_tokenizer` takes a name of `TOKENIZERS`, a file, a folder, or an object of transformers,
tokenizers, sentencepiece or tiktoken (`from_transformers` and its siblings take options too), and
gives a `RealTokenizer`. Importing this package imports none of those libraries, nor torch.
"""

from __future__ import annotations

from .catalogue import TOKENIZERS, Named
from .from_sentencepiece import from_sentencepiece
from .from_tiktoken import from_tiktoken
from .from_tokenizers import from_tokenizers
from .from_transformers import from_transformers
from .gguf_files import from_gguf
from .loading import load_tokenizer, named_tokenizer
from .real import Encoder, RealTokenizer, TextLaw, TokenizerError
from .restricted import RestrictedTokenizer

__all__ = [
    "TOKENIZERS",
    "Encoder",
    "Named",
    "RealTokenizer",
    "RestrictedTokenizer",
    "TextLaw",
    "TokenizerError",
    "from_gguf",
    "from_sentencepiece",
    "from_tiktoken",
    "from_tokenizers",
    "from_transformers",
    "load_tokenizer",
    "named_tokenizer",
]

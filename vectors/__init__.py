"""Test vectors as files: written by ``draftproof vectors``, explained in docs/vectors.md."""

"""The algorithms of the reference on real models and real tokenizers.

`tensors` has laws as tensors, `settings` what turns logits into laws, `models` causal language
models behind the reference's protocol. Nothing of the algorithms is repeated here: a pair of such
models goes into the functions of `draftproof.reference`. The modules import torch and
transformers; this package does not.
"""

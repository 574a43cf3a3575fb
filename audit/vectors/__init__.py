"""Test vectors: files by which an implementation in any language can be checked.

`files` gives every file as text, kind by kind; the kinds are made in `laws`, `coins`, `rows`,
`tli`, `strings` (SLEM, psi, psi_k), `tokenizers`, `blocks` and `endings` (stopping, pruned heads),
written down by `writing` and `flat`, described by `schemas`. `trying` runs a Python callable on
them, `kills` the whole fault bank. docs/vectors.md is the page for implementers.
"""

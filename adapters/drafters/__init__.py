"""Small drafters of our own, trained on this machine in minutes: `make models`.

`recipes` says what each is, `corpus` what text it is trained on, `counts` and `ngram` are the
n-gram drafter, `vocabulary` and `training` the transformers, `making` puts them into the cache.
``python -m draftproof.adapters.drafters`` makes them all. `prompts` has prompts of our own words.
Importing this package imports neither torch nor transformers; its modules may.
"""

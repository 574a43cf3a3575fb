"""Servers of completions: a client for any of the OpenAI protocol, and a small server of ours.

`client` asks, counts what went wrong and asks again; `drawing` draws samples with it, in order, for
an audit; `engines` are what our server runs, correct and with planted faults; `serving` is that
server: ``python -m draftproof.adapters.servers``. Nothing here needs torch but real models.
"""

"""Choosing a drafter, an algorithm and a lookahead for a target, by measuring rather than guessing.

`continuations` lets the target write; `given_text` and `strings` say what each algorithm keeps at
each position of that text, `starts` where its rounds begin; `visiting` adds them up prompt by
prompt. `costs` times passes, `predictions` puts tokens and seconds together, `intervals` says how
sure that is. `shrinking` takes shared tokens away and `shrunk` says what that does;
`recommendation` concludes, `checking` runs it for real. `comparing` goes through all of it, and
`comparison` holds what was found. Most modules import torch; this package does not.
"""

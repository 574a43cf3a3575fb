"""What the model has seen (``seen``, its cache) is not what was emitted (``ids``).

All draft the drafter's likeliest id and verify by matching: emit y ~ p, and go on while y is the
draft. That alone is exact.
"""
# pyright: reportFunctionMemberAccess=false

import random


def _draw(law):
    return random.choices(range(len(law)), weights=list(law))[0]


def _match(target, drafter, seen, lookahead):
    """One round after ``seen``: the drafts, and the block of target draws they allowed."""
    drafts, block = [], []
    for _ in range(lookahead):
        drafts.append(int(drafter(seen + drafts)[-1].argmax()))
    rows = target(seen + drafts)[len(seen) - 1 :]
    for p, x in zip(rows, [*drafts, None], strict=True):
        block.append(_draw(p))
        if block[-1] != x:
            break
    return drafts, block


def rejected_left(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """The rejected draft's entry stays in the cache, where its replacement belongs."""
    ids, seen = [], list(prompt)
    while len(ids) < max_new_tokens:
        drafts, block = _match(target, drafter, seen, lookahead)
        ids += block
        rejected = len(block) <= len(drafts)
        if rejected and not correct:
            seen += drafts[: len(block)]  # WRONG: the last of these was not emitted
        else:
            seen += block
    return ids[:max_new_tokens]


def never_trimmed(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """A recurrent state cannot be trimmed: it has read all drafts, rejected ones included."""
    ids, seen = [], list(prompt)
    while len(ids) < max_new_tokens:
        drafts, block = _match(target, drafter, seen, lookahead)
        ids += block
        seen += block if correct else [*drafts, block[-1]]  # WRONG: accepted ones only
    return ids[:max_new_tokens]


def reset_to_zero(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """After a rejection the cache's length is set to 0 instead of what was accepted."""
    ids, seen = [], list(prompt)
    while len(ids) < max_new_tokens:
        drafts, block = _match(target, drafter, seen, lookahead)
        ids += block
        if len(block) <= len(drafts) and not correct:
            seen = []  # WRONG: prompt and accepted tokens are forgotten
            block = block[-1:]
        seen = seen + block
    return ids[:max_new_tokens]


def bonus_not_written(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """The bonus token never gets its cache entry: the next round does not know of it."""
    ids, seen = [], list(prompt)
    while len(ids) < max_new_tokens:
        drafts, block = _match(target, drafter, seen, lookahead)
        ids += block
        seen += block if correct else block[: len(drafts)]  # WRONG: K of K + 1 tokens
    return ids[:max_new_tokens]


def stale_trim(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """The cache is trimmed by the number of rejected drafts of the round before."""
    ids, seen, rejected = [], list(prompt), 0
    while len(ids) < max_new_tokens:
        before = rejected
        drafts, block = _match(target, drafter, seen, lookahead)
        ids += block
        rejected = len(drafts) - (len(block) - 1)
        trimmed = rejected if correct else before  # WRONG: last round's number
        seen = [*(seen + drafts)[: len(seen) + len(drafts) - trimmed], block[-1]]
    return ids[:max_new_tokens]


def one_row_kept(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """The cache's plan has room for one accepted draft a round; further ones are not kept."""
    ids, seen = [], list(prompt)
    while len(ids) < max_new_tokens:
        _, block = _match(target, drafter, seen, lookahead)
        ids += block
        accepted = block[:-1]
        kept = accepted if correct else accepted[:1]  # WRONG: right only for lookahead 1
        seen += [*kept, block[-1]]
    return ids[:max_new_tokens]


def stale_after_fallback(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """A plain step does not update the last token, which only speculative steps keep current."""
    cached, last = list(prompt[:-1]), prompt[-1]
    ids = [_draw(target([*cached, last])[-1])]  # a plain step: nothing has been drafted yet
    cached.append(last)
    if correct:
        last = ids[-1]  # WRONG: left out, the next round begins after the old token
    while len(ids) < max_new_tokens:
        _, block = _match(target, drafter, [*cached, last], lookahead)
        ids += block
        cached += [last, *block[:-1]]
        last = block[-1]
    return ids[:max_new_tokens]


for _subject in (
    rejected_left,
    never_trimmed,
    reset_to_zero,
    bonus_not_written,
    stale_trim,
    one_row_kept,
    stale_after_fallback,
):
    _subject.array = "numpy"

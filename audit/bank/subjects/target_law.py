"""The verifier's p is not the law that plain decoding would sample from."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _draw(rng, law):
    return int(rng.choice(len(law), p=law))


def _drafts(drafter, ids, lookahead):
    """The drafter's likeliest ids: exact for the matching rule."""
    drafts = []
    for _ in range(lookahead):
        drafts.append(int(drafter(ids + drafts)[-1].argmax()))
    return drafts


def _match(rng, rows, drafts):
    """The exact matching rule over processed rows: target draws, as far as they are the drafts."""
    block = []
    for p, x in zip(rows, [*drafts, None], strict=True):
        block.append(_draw(rng, p))
        if block[-1] != x:
            break
    return block


def _tempered(row, temperature):
    if temperature == 0:
        return np.eye(len(row))[int(np.argmax(row))]
    weights = (row / row.max()) ** (1.0 / temperature)
    return weights / weights.sum()


def _processed(processor, ids, row):
    """``row`` after the request's logits processor."""
    if processor is None:
        return row
    with np.errstate(divide="ignore"):
        weights = np.exp(processor(ids, np.log(row)))
    return weights / weights.sum()


def temperature_dropped(
    target, drafter, prompt, lookahead, max_new_tokens, temperature=1.0, *, correct=False
):
    """Verified rows are read at temperature 1; only the bonus row gets the request's."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts = _drafts(drafter, ids, lookahead)
        rows = list(target(ids + drafts)[len(ids) - 1 :])
        for j, row in enumerate(rows):
            if correct or j == len(drafts):  # WRONG: the bonus row is not the only one
                rows[j] = _tempered(row, temperature)
        ids += _match(rng, rows, drafts)
    return ids[len(prompt) : end]


def temperature_ignored(
    target, drafter, prompt, lookahead, max_new_tokens, temperature=1.0, *, correct=False
):
    """The speculative path takes the softmax of plain logits: the temperature is never read."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts = _drafts(drafter, ids, lookahead)
        rows = target(ids + drafts)[len(ids) - 1 :]
        if correct:
            rows = [_tempered(row, temperature) for row in rows]  # WRONG: is missing
        ids += _match(rng, rows, drafts)
    return ids[len(prompt) : end]


def argmax_returned(
    target, drafter, prompt, lookahead, max_new_tokens, temperature=1.0, *, correct=False
):
    """The law is tempered with care, and then its likeliest id is emitted instead of a draw."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts = _drafts(drafter, ids, lookahead)
        rows = target(ids + drafts)[len(ids) - 1 :]
        for p, x in zip(rows, [*drafts, None], strict=True):
            law = _tempered(p, temperature)
            ids.append(_draw(rng, law) if correct else int(np.argmax(law)))  # WRONG: no draw
            if ids[-1] != x:
                break
    return ids[len(prompt) : end]


def bias_skipped(
    target, drafter, prompt, lookahead, max_new_tokens, logits_processor=None, *, correct=False
):
    """Verified rows skip the logits processor: a banned id is emitted if it was drafted."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts = _drafts(drafter, ids, lookahead)
        rows = list(target(ids + drafts)[len(ids) - 1 :])
        for j, row in enumerate(rows):
            if correct or j == len(drafts):  # WRONG: every row needs it
                rows[j] = _processed(logits_processor, ids + drafts[:j], row)
        ids += _match(rng, rows, drafts)
    return ids[len(prompt) : end]


def first_token_only(
    target, drafter, prompt, lookahead, max_new_tokens, logits_processor=None, *, correct=False
):
    """The logits processor runs for the first new token; the speculative loop forgets it."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    ids.append(_draw(rng, _processed(logits_processor, ids, target(ids)[-1])))
    while len(ids) < end:
        drafts = _drafts(drafter, ids, lookahead)
        rows = list(target(ids + drafts)[len(ids) - 1 :])
        if correct:  # WRONG: is missing
            rows = [_processed(logits_processor, ids + drafts[:j], r) for j, r in enumerate(rows)]
        ids += _match(rng, rows, drafts)
    return ids[len(prompt) : end]


def mask_missing_on_bonus(
    target, drafter, prompt, lookahead, max_new_tokens, logits_processor=None, *, correct=False
):
    """The bonus row gets an all-ones mask: only rows with a draft are constrained."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts = _drafts(drafter, ids, lookahead)
        rows = list(target(ids + drafts)[len(ids) - 1 :])
        for j, row in enumerate(rows):
            if correct or j < len(drafts) or not drafts:  # WRONG: there is one row more
                rows[j] = _processed(logits_processor, ids + drafts[:j], row)
        ids += _match(rng, rows, drafts)
    return ids[len(prompt) : end]


def history_without_last(
    target, drafter, prompt, lookahead, max_new_tokens, logits_processor=None, *, correct=False
):
    """The processor sees the history without its last token: a mask changes one row too late."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts = _drafts(drafter, ids, lookahead)
        rows = list(target(ids + drafts)[len(ids) - 1 :])
        for j, row in enumerate(rows):
            history = (ids + drafts)[: len(ids) + j]
            if not correct:
                history = history[:-1] or history  # WRONG: off by one
            rows[j] = _processed(logits_processor, history, row)
        ids += _match(rng, rows, drafts)
    return ids[len(prompt) : end]


def mask_frozen(
    target, drafter, prompt, lookahead, max_new_tokens, logits_processor=None, *, correct=False
):
    """The mask is computed once, at the start of the step, and used for all rows."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts = _drafts(drafter, ids, lookahead)
        rows = list(target(ids + drafts)[len(ids) - 1 :])
        for j, row in enumerate(rows):
            history = ids + drafts[:j] if correct else ids  # WRONG: drafts change the state
            rows[j] = _processed(logits_processor, history, row)
        ids += _match(rng, rows, drafts)
    return ids[len(prompt) : end]


def penalty_counted_twice(
    target, drafter, prompt, lookahead, max_new_tokens, logits_processor=None, *, correct=False
):
    """Counts of drafted tokens start from the last sampled one, which is counted already."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts = _drafts(drafter, ids, lookahead)
        rows = list(target(ids + drafts)[len(ids) - 1 :])
        for j, row in enumerate(rows):
            more = drafts[:j] if correct else [ids[-1], *drafts[:j]]  # WRONG: ids holds it too
            rows[j] = _processed(logits_processor, ids + more, row)
        ids += _match(rng, rows, drafts)
    return ids[len(prompt) : end]


for _subject in (
    temperature_dropped,
    temperature_ignored,
    argmax_returned,
    bias_skipped,
    first_token_only,
    mask_missing_on_bonus,
    history_without_last,
    mask_frozen,
    penalty_counted_twice,
):
    _subject.array = "numpy"

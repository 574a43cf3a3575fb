"""Text goes on behind an end of sequence, or is cut elsewhere."""
# pyright: reportFunctionMemberAccess=false

import random


def _draw(law):
    return random.choices(range(len(law)), weights=list(law))[0]


def _match(target, drafter, ids, lookahead):
    """One exact round: target draws, as far as they agree with the drafter's likeliest ids."""
    drafts, block = [], []
    for _ in range(lookahead):
        drafts.append(int(drafter(ids + drafts)[-1].argmax()))
    rows = target(ids + drafts)[len(ids) - 1 :]
    for p, x in zip(rows, [*drafts, None], strict=True):
        block.append(_draw(p))
        if block[-1] != x:
            break
    return block


def only_last_token(target, drafter, prompt, lookahead, max_new_tokens, eos=None, *, correct=False):
    """The stop test looks at the last token of a block; an end accepted inside goes unseen."""
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        block = _match(target, drafter, ids, lookahead)
        if correct and eos in block:
            block = block[: block.index(eos) + 1]
        ids += block
        if ids[-1] == eos:  # WRONG: so it would have to be any token of the block
            break
    return ids[len(prompt) : end]


def bonus_after_end(target_rows, draft_rows, drafts, eos=None, *, correct=False):
    """Drafts end with the end of sequence, but the bonus token is still added behind it."""
    out = []
    for p, x in zip(target_rows, drafts, strict=False):
        out.append(_draw(p))
        if out[-1] != x:
            return out
        if out[-1] == eos:
            if correct:
                return out
            break  # WRONG: this leaves the loop, not the function
    return [*out, _draw(target_rows[len(out)])]


def cut_at_wrong_offset(
    target, drafter, prompt, lookahead, max_new_tokens, eos=None, *, correct=False
):
    """The end's place in the block is used as its place in the text: tokens before it are lost."""
    new = []
    while len(new) < max_new_tokens:
        block = _match(target, drafter, [*prompt, *new], lookahead)
        before = len(new)
        new += block
        if eos in block:
            place = block.index(eos)
            # WRONG: the tokens of earlier rounds are not counted
            new = [*new[: (before if correct else 0) + place], eos]
            break
    return new[:max_new_tokens]


for _subject in (only_last_token, bonus_after_end, cut_at_wrong_offset):
    _subject.array = "numpy"

"""Our own drafters on this machine: how well they predict, and what a token of them costs.

    python benchmarks/drafters.py [--target smollm2] [--prompts 16] [--tokens 24] [NAME ...]

bits      bits per byte on modules of Python's library that no drafter is trained on
first     at temperature 0, how often the text that the drafter writes begins with the target's next
          token, over the target's own continuations of the prompts
overlap   for a drafter over the target's vocabulary: mean of sum min(p, q) at temperature 1
ms        median milliseconds a drafter token (one position, with a cache)

and the target's median milliseconds for a pass over 1, 2, 3, 4, 6 and 8 tokens.
"""

import argparse
import math
import statistics
import time

import torch
from draftproof.adapters.drafters.corpus import held_out
from draftproof.adapters.drafters.prompts import prompts
from draftproof.adapters.huggingface.loading import load

NAMES = ("drafter-ngram", "drafter-bytes", "drafter-bpe", "drafter-shared")


def bits_per_byte(loaded, kind, pieces=12, length=1200):
    """Over the beginnings of held-out documents."""
    texts = [each.text for each in held_out() if each.kind == kind and len(each.text) >= 400]
    bits = size = 0
    for text in texts[:pieces]:
        ids = loaded.tokenizer.encode(text[:length])
        begin = loaded.tokenizer.beginning or ids[:1]
        rest = ids if loaded.tokenizer.beginning else ids[1:]
        for token, law in zip(rest, loaded.model.distributions(begin, rest[:-1]), strict=True):
            bits -= math.log2(float(law[token]))
        size += len(loaded.tokenizer.decode_bytes(rest))
    return bits / size


def continuation(target, prompt, tokens):
    """The target's greedy continuation, as ids after the prompt's."""
    ids = target.tokenizer.prompt(prompt)
    start = len(ids)
    while len(ids) < start + tokens:
        ids += (int(target.model.distributions(ids)[0].row.argmax()),)
        if ids[-1] in target.stop_ids:
            break
    return ids[:start], ids[start:]


def first_token(drafter, target, before, token):
    """Whether the drafter's most likely text begins with the target's token."""
    due = target.tokenizer.vocabulary[token]
    if due is None:
        return False
    ids = drafter.tokenizer.prompt(target.tokenizer.decode(before))
    text = b""
    while len(text) < len(due) and due.startswith(text):
        chosen = int(drafter.model.distributions(ids)[0].row.argmax())
        ids += (chosen,)
        piece = drafter.tokenizer.vocabulary[chosen]
        if not piece:
            return False
        text += piece
    return text.startswith(due)


def shared_vocabulary(drafter, target):
    return drafter.tokenizer.vocabulary == target.tokenizer.vocabulary


def milliseconds(model, ids, fresh, repeats=15):
    """Median time of a pass over the last ``fresh`` of ``ids``, the others being in the cache."""
    spent = []
    for _ in range(repeats):
        model.forget()
        model.distributions(ids[:-fresh])
        started = time.perf_counter()
        model.distributions(ids[: 1 - fresh or None], ids[1 - fresh :] if fresh > 1 else ())
        spent.append(time.perf_counter() - started)
    return 1e3 * statistics.median(spent)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("names", nargs="*", default=NAMES)
    options.add_argument("--target", default="smollm2")
    options.add_argument("--prompts", type=int, default=16)
    options.add_argument("--tokens", type=int, default=24)
    asked = options.parse_args()
    torch.set_num_threads(1)
    target = load(asked.target)
    replies = [continuation(target, p, asked.tokens) for p in prompts("mixed", asked.prompts)]
    whole = sum(replies[0], ())
    passes = {n: milliseconds(target.model, whole, n) for n in (1, 2, 3, 4, 6, 8)}
    print("target pass, ms:", ", ".join(f"{n} {ms:.0f}" for n, ms in passes.items()))
    print(f"{'drafter':15} parameters  bits code  bits english  first  overlap     ms")
    for name in asked.names:
        drafter = load(name)
        code, english = bits_per_byte(drafter, "code"), bits_per_byte(drafter, "english")
        right, overlaps = [], []
        for prompt, reply in replies:
            for place, token in enumerate(reply):
                before = prompt + reply[:place]
                right.append(first_token(drafter, target, before, token))
            if shared_vocabulary(drafter, target):
                pairs = zip(
                    target.model.distributions(prompt, reply[:-1]),
                    drafter.model.distributions(prompt, reply[:-1]),
                    strict=True,
                )
                overlaps += [float(p.overlap(q)) for p, q in pairs]
        ids = drafter.tokenizer.prompt(target.tokenizer.decode(whole))
        cost = milliseconds(drafter.model, ids, 1)
        overlap = f"{statistics.fmean(overlaps):.2f}" if overlaps else "-"
        print(
            f"{name:15} {drafter.parameters:10,}  {code:9.2f}  {english:12.2f}  "
            f"{statistics.fmean(right):5.2f}  {overlap:>7}  {cost:5.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

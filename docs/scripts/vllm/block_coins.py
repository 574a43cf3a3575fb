"""vLLM 0.32.0 and 0.27.1: block verification reads the coins behind the cut again a round later.

    python block_coins.py FOLDER [SEEDS] [--standard]

Target (1/2, 1/2); drafts 0 and 0, certain. Of the seeds whose first round gives [1], the next
round, one position on, should begin with 0 half of the time; exactly, it is 1/3.
"""

import sys

import torch
from load import load, whole

folder, *rest = sys.argv[1:]
block = "--standard" not in rest
seeds = int(next((word for word in rest if word.isdigit()), 500))
_, utilities = load(folder)


def verify(seed, position):
    """What one round gives."""
    ids, count = utilities.rejection_sample(
        torch.zeros(3, 2),
        None,
        whole(0, 0, 0),
        whole(0, 3),
        torch.arange(3) + position,
        whole(0),
        whole(0, 0, 0),
        whole(0, 1, 2),
        torch.ones(1),
        torch.tensor([seed]),
        2,
        use_block_verification=block,
    )
    return ids[0, : int(count)].tolist()


started = [seed for seed in range(seeds) if verify(seed, 100) == [1]]
zeros = sum(verify(seed, 101)[0] == 0 for seed in started)
share = zeros / len(started)
print(f"after [1] comes 0 in {zeros} of {len(started)} = {share:.3f}; 0.5 is due")

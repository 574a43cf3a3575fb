"""vLLM 0.32.0: what replaces a draft that a grammar excludes is drawn from p, no residual.

    python excluded_drafts.py FOLDER [DRAWS] [--unmarked]

p = (1/2, 1/2, 0) after the grammar's mask, q = (0, 1/2, 1/2). Draft 2 is excluded, and marked -1
before verification. The first token should be 0 half of the time; exactly, it is 1/4.
"""

import math
import sys

import torch
from load import load, whole

folder, *rest = sys.argv[1:]
marks = "--unmarked" not in rest
draws = int(next((word for word in rest if word.isdigit()), 300))
_, utilities = load(folder)
no = -math.inf
target, drafter = torch.tensor([[0.0, 0.0, no]] * 2), torch.tensor([[[no, 0.0, 0.0]]])
torch.manual_seed(0)
zeros = 0
for seed in range(draws):
    draft = int(torch.randint(1, 3, ()))  # from q
    shown = -1 if marks and draft == 2 else draft
    ids, _ = utilities.rejection_sample(
        target,
        drafter,
        whole(0, shown),
        whole(0, 2),
        torch.tensor([100, 101]),
        whole(0),
        whole(0, 0),
        whole(0, 1),
        torch.ones(1),
        torch.tensor([seed]),
        1,
    )
    zeros += int(ids[0, 0]) == 0
print(f"first token 0 in {zeros} of {draws} = {zeros / draws:.3f}; 0.5 is due")

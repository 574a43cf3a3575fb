"""vLLM 0.27.1: a draft and the token that replaces it are drawn with the same noise.

    python shared_noise.py FOLDER [DRAWS]

p = (0.03, 0.59, 0.38), q = (0.57, 0.40, 0.03); drafts by the release's own gumbel_sample, at the
position that is then verified. Token 1 is due with probability 0.59; exactly, it is 0.511.
"""

import inspect
import sys

import torch
from load import load, whole

folder = sys.argv[1]
draws = int(sys.argv[2]) if len(sys.argv) > 2 else 700
gumbel, utilities = load(folder)
p, q = torch.tensor([0.03, 0.59, 0.38]), torch.tensor([0.57, 0.40, 0.03])
takes = inspect.signature(gumbel.gumbel_sample).parameters
drafting = {"is_drafting": True} if "is_drafting" in takes else {}  # later releases: a salt
counts = [0, 0, 0]
for number in range(draws):
    seed, one = torch.tensor([number]), torch.ones(1)
    draft = gumbel.gumbel_sample(
        q.log()[None], whole(0), one, seed, torch.tensor([100]), apply_temperature=True, **drafting
    )
    ids, _ = utilities.rejection_sample(
        p.log().repeat(2, 1),
        q.log()[None, None],
        whole(0, int(draft)),
        whole(0, 2),
        torch.tensor([100, 101]),
        whole(0),
        whole(0, 0),
        whole(0, 1),
        one,
        seed,
        1,
    )
    counts[int(ids[0, 0])] += 1
print(
    "first token:",
    [round(count / draws, 3) for count in counts],
    "due",
    [round(x, 3) for x in p.tolist()],
)

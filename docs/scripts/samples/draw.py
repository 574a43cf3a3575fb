"""Prints samples of a toy decoder as JSON lines, for `draftproof audit --samples` or `--command`.

    python docs/scripts/samples/draw.py correct 600 > docs/scripts/samples/correct.jsonl
    python docs/scripts/samples/draw.py wrong 600 > docs/scripts/samples/wrong.jsonl

The pair is the gallery's base, the prompt [0], two drafts a round and two new tokens a reply. The
plain mode comes first, then the speculative one: standard speculative decoding, which in "wrong"
draws from the target's own law after a rejection, where the residual is due.
"""

from __future__ import annotations

import sys

from draftproof.audit.examples import EXAMPLES
from draftproof.audit.samples.lines import PLAIN, SPECULATIVE, Sample, written
from draftproof.reference.chance import Sampler
from draftproof.reference.programs import program
from draftproof.reference.rounds import generate
from draftproof.toymodels import gallery_pair

DECODERS = {
    "correct": lambda: program("standard", 2),
    "wrong": lambda: EXAMPLES["resample-from-p"].program(2),
}


def lines(decoder: str, draws: int) -> list[str]:
    """So many samples of each mode, as lines; the seeds of the two modes are different ones."""
    base = gallery_pair("base")
    found = []
    for mode, chosen in ((PLAIN, program("autoregressive", 1)), (SPECULATIVE, DECODERS[decoder]())):
        for number in range(draws):
            seed = 2 * number + (mode == SPECULATIVE)
            run = generate(chosen.run_round, base.pair, base.prompt, Sampler(seed), 2)
            found.append(written(Sample(base.prompt, mode, run.ids, seed)))
    return found


if __name__ == "__main__":
    print("\n".join(lines(sys.argv[1], int(sys.argv[2]))))

"""How often a round waits for its device, and that no row of a vocabulary is ever moved.

On an accelerator, each number that Python reads from a tensor waits for everything queued before.
The count is taken on the CPU, from the operations that would wait: what reads one number, and what
gives a result of a size that depends on the data.
"""

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

from draftproof.adapters.decoding.lookahead import Always  # noqa: E402
from draftproof.adapters.decoding.programs import RealProgram  # noqa: E402
from draftproof.adapters.huggingface.coins import TensorSampler  # noqa: E402
from draftproof.adapters.huggingface.models import CausalModel  # noqa: E402
from draftproof.adapters.huggingface.settings import Settings  # noqa: E402
from draftproof.reference import Pair  # noqa: E402
from draftproof.toymodels.huggingface.models import toy_model  # noqa: E402
from draftproof.toymodels.tokenizers import greedy  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

WAITS = ("_local_scalar_dense", "nonzero", "masked_select", "unique", "equal", "is_nonzero")
LETTERS = greedy(["a", "b", "c", "d"])
OTHERS = greedy(["d", "c", "b", "a"])
ROUNDS = 30


class Waits(TorchDispatchMode):
    """Counts what would wait for a device; ``rows`` are reads of more than one number."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.overloadpacket.__name__ in WAITS:
            self.count += 1
        return func(*args, **(kwargs or {}))


def pair(drafter_tokenizer):
    with torch.random.fork_rng(devices=[]):
        settings = Settings(temperature=0.9, top_k=3, top_p=0.95)
        return Pair(
            CausalModel(toy_model(4, 3, 1), settings),
            CausalModel(toy_model(4, 3, 2), settings),
            LETTERS,
            drafter_tokenizer,
        )


#: Waits of a round with K drafts: one for each drawn id, two for each acceptance (is q zero; is the
#: coin below), and what the residual, the excess and the check of the kept mass add.
DUE = {
    "autoregressive": lambda k: 1,
    "exact-match": lambda k: k + k + 1,
    "standard": lambda k: k + 2 * k + 1,
    "union": lambda k: k + 2 * k + 1,
    "tli": lambda k: 2 * k + 2 * k + 1,
    "block": lambda k: k + 5 * k + 1,
    "slem": lambda k: k + k + 1,
}


@pytest.mark.parametrize("tokenizer", [LETTERS, OTHERS], ids=["one vocabulary", "two"])
@pytest.mark.parametrize("lookahead", [1, 4])
@pytest.mark.parametrize("name", DUE)
def test_a_round_waits_a_bounded_number_of_times(name, lookahead, tokenizer):
    both = pair(tokenizer)
    program = RealProgram(name, both)
    program.prepare((0, 1))
    run_round = program.rounds(Always(lookahead), lambda _: 99)
    chance = TensorSampler(0)
    counts = []
    for n in range(ROUNDS):
        with Waits() as waits:
            run_round(both, (0, 1, n % 4), chance, None)
        counts.append(waits.count)
    assert max(counts) <= DUE[name](lookahead)


def test_slrs_waits_twice_for_each_draw_and_test():
    """Kept draws repeat until one is kept: the bound is for each repetition."""
    both = pair(OTHERS)
    program = RealProgram("slrs", both)
    program.prepare()
    run_round = program.rounds(Always(1), lambda _: 99)
    for n in range(ROUNDS):
        chance = TensorSampler(n)
        with Waits() as waits:
            run_round(both, (0, 1, n % 4), chance, None)
        assert waits.count <= 3 * len(chance.steps) + 1


def test_a_row_that_is_read_number_by_number_is_noticed():
    law = pair(LETTERS).target.distributions((0, 1))[0]
    with Waits() as waits:
        sum(float(law[token]) for token in range(4))
    assert waits.count == 4

"""What a reviewer of the paper asked for: SLEM's strings against the target's own, by samples.

The target's tokenizer lower-cases, so it is not injective, and the target says upper-case ids that
no encoding gives. Strings of two new tokens from SLEM and from plain decoding are put into `CELLS`
cells, and the two counts compared by a chi-square test at a level of 1e-6: one false alarm in a
million runs, were the seeds not fixed. Two laws at a total variation d give a non-centrality of at
least ``2 n d**2`` for n strings of each, so that d >= 0.2 within the cells is noticed with a power
above 0.99, computed below. A decoder that re-tokenizes the target's context is planted, and is.
"""

import itertools
import random
from collections import Counter
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
transformers = pytest.importorskip(
    "transformers", reason="needs: pip install 'draftproof[transformers]'"
)
stats = pytest.importorskip("scipy.stats", reason="needs scipy")
tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")

from decoding_toys import llama  # noqa: E402
from draftproof.adapters.decoding.lookahead import Always  # noqa: E402
from draftproof.adapters.decoding.pairs import make_pair  # noqa: E402
from draftproof.adapters.decoding.programs import RealProgram  # noqa: E402
from draftproof.adapters.huggingface.coins import TensorSampler  # noqa: E402
from draftproof.adapters.huggingface.models import CausalModel  # noqa: E402
from draftproof.adapters.huggingface.settings import Settings  # noqa: E402
from draftproof.adapters.tokenizers import from_tokenizers  # noqa: E402
from draftproof.reference.rounds import generate  # noqa: E402

LEVEL = 1e-6
SAMPLES = 1200
CELLS = 12
LENGTH = 2
TARGET = ["a", "b", "c", "A", "B", "ab", "ca", "aB"]
DRAFTER = ["a", "b", "c", "ba", "bc", "ab"]


def tokenizer(tokens, lower):
    """A BPE tokenizer with these tokens, that lower-cases what it reads if ``lower``."""
    merges = [tuple(token) for token in tokens if len(token) == 2]
    model = tokenizers.models.BPE({token: i for i, token in enumerate(tokens)}, merges)
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    if lower:
        made.normalizer = tokenizers.normalizers.Lowercase()
    return from_tokenizers(made, "toy")


def model(size, seed):
    return CausalModel(llama(size, seed, spread=0.7), Settings(temperature=1.5))


@pytest.fixture(scope="module")
def pair():
    target, drafter = tokenizer(TARGET, lower=True), tokenizer(DRAFTER, lower=False)
    return make_pair(
        SimpleNamespace(model=model(len(TARGET), 5), tokenizer=target),
        SimpleNamespace(model=model(len(DRAFTER), 6), tokenizer=drafter),
    )


PROMPT = (4, 0)  # "Ba": re-tokenized it would be "ba"


def strings(run_round, pair, seeds):
    """Texts of `SAMPLES` runs."""
    drawn = []
    for seed in seeds:
        chance = TensorSampler(seed)
        ids = generate(run_round, pair, PROMPT, chance, LENGTH).ids
        drawn.append(pair.target_tokenizer.decode(ids))
    return drawn


def wanted(context):
    return LENGTH - (len(context) - len(PROMPT))


def slem(pair, look_behind=None):
    return RealProgram("slem", pair, look_behind).rounds(Always(2), wanted)


def plain(pair):
    return RealProgram("autoregressive", pair).rounds(Always(1), wanted)


def retokenized(pair):
    """Planted: the target goes on after T(text of its ids) instead of after its ids."""
    inner = slem(pair)

    def run_round(pair, context, chance, state):
        text = pair.target_tokenizer.decode(context)
        rewritten = tuple(pair.target_tokenizer.encode(text))
        padded = rewritten[:1] * max(0, len(context) - len(rewritten)) + rewritten
        return inner(pair, padded, chance, state)

    return run_round


def cells(drawn, seed=1):
    """Counts of strings in `CELLS` cells, of a partition that knows nothing of the samples."""
    every = ["".join(each) for each in itertools.product(TARGET, repeat=LENGTH)]
    names = sorted(set(every))
    random.Random(seed).shuffle(names)
    cell_of = {text: place % CELLS for place, text in enumerate(names)}
    counts = Counter(cell_of[text] for text in drawn)
    return [counts[cell] for cell in range(CELLS)]


def p_value(one, two):
    table = [(a, b) for a, b in zip(cells(one), cells(two), strict=True) if a + b]
    return stats.chi2_contingency(list(zip(*table, strict=True)), correction=False).pvalue


@pytest.fixture(scope="module")
def autoregressive(pair):
    return strings(plain(pair), pair, range(SAMPLES))


@pytest.mark.parametrize("look_behind", [None, 2], ids=["plain", "realigned"])
def test_slems_strings_are_the_targets(pair, autoregressive, look_behind):
    found = strings(slem(pair, look_behind), pair, range(10_000, 10_000 + SAMPLES))
    assert p_value(found, autoregressive) > LEVEL


def test_a_retokenized_context_is_noticed(pair, autoregressive):
    found = strings(retokenized(pair), pair, range(20_000, 20_000 + SAMPLES))
    assert p_value(found, autoregressive) < LEVEL


def test_the_power_is_the_one_stated():
    threshold = stats.chi2.isf(LEVEL, CELLS - 1)
    assert stats.ncx2.sf(threshold, CELLS - 1, 2 * SAMPLES * 0.2**2) > 0.99


def test_the_target_says_what_no_encoding_gives(autoregressive):
    """Otherwise the test would be one of injective tokenizers."""
    assert sum(text != text.lower() for text in autoregressive) > SAMPLES / 10


def test_no_realignment_ever_changes_an_accepted_token(pair):
    """Re-encoding a window often spells it otherwise; what was emitted stays as it is."""
    asked = []
    respelled = rounds = 0
    program = RealProgram("slem", pair, look_behind=2)
    inner = program.rounds(Always(2), lambda _: 99)

    def run_round(pair, context, chance, state):
        nonlocal respelled, rounds
        rounds += 1
        asked.append(context)
        behind = context[-2:]
        respelled += (
            tuple(pair.target_tokenizer.encode(pair.target_tokenizer.decode(behind))) != behind
        )
        return inner(pair, context, chance, state)

    changed = 0
    for seed in range(60):
        asked.clear()
        ids = PROMPT + generate(run_round, pair, PROMPT, TensorSampler(seed), 8).ids
        for context in asked:
            changed += ids[: len(context)] != context[: len(ids)]
    assert changed == 0
    assert respelled > rounds / 10

"""Several contexts in one pass: as if asked one by one, and the cache is as it was."""

import random

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
NEEDS = "needs transformers: pip install 'draftproof[transformers]'"
transformers = pytest.importorskip("transformers", reason=NEEDS)

from draftproof.adapters.huggingface import tree_pass  # noqa: E402
from draftproof.adapters.huggingface.models import CausalModel, ModelError  # noqa: E402
from draftproof.adapters.huggingface.tree_pass import tree_of  # noqa: E402

SIZE, WINDOW = 20, 24
CLOSE = 1e-6  # eager attention takes its softmax in float32 whatever the model is in


def made(kind):
    """A small model with random weights in float64."""
    common = {"vocab_size": SIZE, "initializer_range": 0.5}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        if kind == "gpt2":
            settings = transformers.GPT2Config(
                n_positions=WINDOW, n_embd=16, n_layer=2, n_head=2, **common
            )
            return transformers.GPT2LMHeadModel(settings).double().eval()
        settings = transformers.LlamaConfig(
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            max_position_embeddings=WINDOW,
            attn_implementation=kind,
            **common,
        )
        return transformers.LlamaForCausalLM(settings).double().eval()


KINDS = ("sdpa", "eager", "gpt2")


@pytest.fixture(scope="module", params=KINDS)
def model(request):
    return made(request.param)


def contexts(chance, trunk):
    """Of some lengths, with repetitions, beginnings of one another and the trunk itself."""
    return [
        trunk + tuple(chance.randrange(3) for _ in range(chance.randint(0, 4))) for _ in range(9)
    ]


def warm(model, trunk, **options):
    """Asked after ``trunk``, and taken to give the same by trees."""
    asked = CausalModel(model, **options)
    asked.distributions(trunk)
    asked._trees_hold = True
    return asked


def largest_difference(model, asked, **options):
    once, singly = warm(model, asked[0][:1], **options), CausalModel(model, **options)
    before = once.passes
    together = once.distributions_after(asked)
    apart = [singly.distributions(context)[0] for context in asked]
    assert len(together) == len(asked)
    off = max(float((a.row - b.row).abs().max()) for a, b in zip(together, apart, strict=True))
    return once.passes - before, off


@pytest.mark.parametrize("seed", range(6))
def test_laws_are_those_of_single_passes(model, seed):
    chance = random.Random(seed)
    trunk = tuple(chance.randrange(SIZE) for _ in range(5))
    passes, difference = largest_difference(model, contexts(chance, trunk))
    assert difference < CLOSE
    assert passes == 1


def test_the_cache_goes_on_from_the_trunk(model):
    trunk = (1, 2, 3, 4)
    asked = warm(model, trunk)
    asked.distributions_after([(*trunk, 5), (*trunk, 5, 6), (*trunk, 7)])
    assert asked.passes == 2
    before = asked.tokens
    (found,) = asked.distributions((*trunk, 9, 9))
    assert asked.tokens - before <= 3  # 4 and two new ones: the rest was held
    (due,) = CausalModel(model).distributions((*trunk, 9, 9))
    assert float((found.row - due.row).abs().max()) < CLOSE


def test_what_was_given_is_given_again_without_a_pass(model):
    asked = CausalModel(model)
    (law,) = asked.distributions((1, 2, 3))
    given = asked.distributions_after([(1, 2, 3), (1, 2, 4), (1, 2, 3), (1, 2, 5, 5)])
    assert given[0] is law
    assert given[2] is law
    passes = asked.passes
    again = asked.distributions_after([(1, 2, 4), (1, 2, 5, 5)])
    assert [id(each) for each in again] == [id(given[1]), id(given[3])]
    assert asked.passes == passes


def test_without_a_cache_or_a_common_beginning_they_are_asked_one_by_one(model):
    asked = [(1, 2), (3, 4), (3, 5)]
    passes, difference = largest_difference(model, asked)
    assert passes == 3
    assert difference < CLOSE
    passes, difference = largest_difference(model, [(1, 2), (1, 3)], cached=False)
    assert (passes, difference) == (2, 0)


def test_more_nodes_than_the_window_has_positions(model):
    """No context is longer than the window, all nodes together are: they are asked one by one."""
    trunk = tuple(place % SIZE for place in range(WINDOW - 2))
    asked = [(*trunk, token) for token in range(8)]
    passes, difference = largest_difference(model, asked)
    assert passes == 8
    assert difference < CLOSE
    with pytest.raises(ModelError, match=f"{WINDOW + 1} ids are more than the context window"):
        warm(model, trunk).distributions_after([(*trunk, 1, 2, 3), (*trunk, 1)])
    with pytest.raises(ModelError, match=f"id {SIZE} is outside"):
        warm(model, (1,)).distributions_after([(1, SIZE), (1, 2)])


def test_a_node_that_sees_its_neighbours_is_noticed(model, monkeypatch):
    """Planted: the plain causal mask."""

    def causal(self, kept, dtype, device):
        size = len(self.trunk) + len(self.ids)
        hidden = ~torch.ones(size, size, dtype=torch.bool).tril()
        added = torch.zeros(size, size, dtype=dtype).masked_fill(hidden, torch.finfo(dtype).min)
        return added[None, None, kept:].to(device)

    monkeypatch.setattr(tree_pass.Tree, "mask", causal)
    _, difference = largest_difference(model, [(1, 2, 3), (1, 2, 4), (1, 5)])
    assert difference > 1e-4


def test_positions_that_count_nodes_are_noticed(model, monkeypatch):
    """Planted: each node a position further than the one before."""

    def counted(self, kept, device):
        return torch.arange(kept, len(self.trunk) + len(self.ids), device=device)[None]

    monkeypatch.setattr(tree_pass.Tree, "positions", counted)
    _, difference = largest_difference(model, [(1, 2, 3), (1, 2, 4), (1, 5), (1, 6, 6)])
    assert difference > 1e-4


ASKED = [(1, 2, 3, 4, token, token) for token in range(5)]


def tried(model, calls=3):
    """Laws of a model that is asked for several contexts again and again, and whether by trees."""
    asked, singly = CausalModel(model), CausalModel(model, cached=False)
    off = 0.0
    for call in range(calls):
        for each in ([ASKED[0][:4]], [(*context, call) for context in ASKED]):
            for law, context in zip(asked.distributions_after(each), each, strict=True):
                (due,) = singly.distributions(context)
                off = max(off, float((law.row - due.row).abs().max()))
    return asked._trees_hold, off


def test_trees_are_tried_once_and_then_taken(model):
    held, off = tried(model)
    assert held is True
    assert off < CLOSE


def test_the_first_call_of_all_is_one_by_one(model):
    """Only a cache tells whether it drops the past."""
    asked = CausalModel(model)
    asked.distributions_after(ASKED)
    assert asked.passes == len(ASKED)
    assert asked._trees_hold is None


@pytest.mark.parametrize("planted", ["wrong rows", "raises"])
def test_trees_that_do_not_hold_are_not_taken(model, monkeypatch, planted):
    honest = CausalModel._tree_logits

    def wrong(self, tree):
        if planted == "raises":
            raise ValueError("too many values to unpack (expected 2)")
        return honest(self, tree).flip(0)

    monkeypatch.setattr(CausalModel, "_tree_logits", wrong)
    held, off = tried(model)
    assert held is False
    assert off < CLOSE


def other(kind):
    small = {"vocab_size": SIZE, "initializer_range": 0.5}
    if kind == "mpt":  # counts places in the cache
        settings = transformers.MptConfig(
            d_model=16, n_layers=2, n_heads=2, max_seq_len=64, **small
        )
    elif kind == "bloom":
        settings = transformers.BloomConfig(hidden_size=16, n_layer=2, n_head=2, **small)
    elif kind == "gpt-neo":  # has windows of its own
        settings = transformers.GPTNeoConfig(
            hidden_size=16,
            num_layers=2,
            num_heads=2,
            attention_types=[[["global", "local"], 1]],
            window_size=4,
            max_position_embeddings=64,
            intermediate_size=32,
            **small,
        )
    else:
        settings = transformers.MistralConfig(
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            sliding_window=4,
            **small,
        )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        return transformers.AutoModelForCausalLM.from_config(settings).double().eval()


@pytest.mark.parametrize("kind", ["mpt", "bloom", "gpt-neo"])
def test_other_families_are_asked_one_by_one(kind):
    held, off = tried(other(kind))
    assert held is None
    assert off < CLOSE


def test_a_sliding_window_takes_no_trees():
    assert not tree_pass.may_take_trees(other("mistral").config)


def test_masks_are_made_for_the_new_rows_only():
    """In a long context: 64 nodes behind 20,000 ids are 65 rows, not 20,064."""
    trunk = tuple(range(20_000))
    tree = tree_of([(*trunk, token) for token in range(64)])
    assert tuple(tree.mask(len(trunk) - 1, torch.float32, "cpu").shape) == (1, 1, 64 + 1, 20_064)
    short = tree_of([(1, 2, 3), (1, 2, 4, 5), (1, 2, 4)])
    whole = short.mask(0, torch.float32, "cpu")
    assert torch.equal(short.mask(1, torch.float32, "cpu"), whole[:, :, 1:])


def test_the_tree():
    tree = tree_of([(1, 2, 3), (1, 2, 4, 5), (1, 2, 4)])
    assert tree.trunk == (1, 2)
    assert tree.ids == (3, 4, 5)
    assert tree.parents == (-1, -1, 1)
    assert tree.depths == (0, 0, 1)
    assert tree.places == (0, 2, 1)
    assert tree.positions(1, "cpu").tolist() == [[1, 2, 2, 3]]
    sees = (tree.mask(0, torch.float32, "cpu")[0, 0] == 0).int().tolist()
    assert sees == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 1, 0, 1, 0],
        [1, 1, 0, 1, 1],
    ]
    assert tree_of([(1,), (2,)]) is None
    assert tree_of([(1, 2), (1,)]) is None

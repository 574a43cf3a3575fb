"""Rules chosen round by round: lossless whatever the clock says, and what pays is found."""

import random

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

from decoding_toys import due
from draftproof.adapters.decoding.lookahead import Always
from draftproof.adapters.decoding.programs import RealProgram
from draftproof.adapters.decoding.rule_choice import PLAIN, TRIES, Chooser, Record, named
from draftproof.adapters.huggingface.settings import Settings
from draftproof.adapters.tokenizers.patterns import UnknownWordsError
from draftproof.reference.enumeration import exact_law
from draftproof.reference.rounds import Round, generate
from draftproof.toymodels.gallery import gallery_pair

LENGTH = 4
WAYS = ["spelled:1", "fixed:2", PLAIN]


class Clock:
    """Seconds that jump as a seed says."""

    def __init__(self, seed):
        self.now, self.chance = 0.0, random.Random(seed)

    def __call__(self):
        self.now += self.chance.choice((0.01, 1.0, 30.0))
        return self.now


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["base", "retokenized"])
def test_whole_runs_have_the_targets_law(name, seed):
    """The clock is fixed before the coins fall; which ways it picks is another thing each time."""
    each = gallery_pair(name)
    program = RealProgram("slrs", each.pair, rule="auto")
    picked = set()

    def once(chance):
        program.__dict__["chooser"] = Chooser(WAYS, Clock(seed))
        run_round = program.rounds(
            Always(1), lambda context: LENGTH - (len(context) - len(each.prompt))
        )
        ids = generate(run_round, each.pair, each.prompt, chance, LENGTH).ids
        records = program.chooser.records
        picked.add(tuple(record.rounds for record in records.values()))
        return ids

    assert exact_law(once) == due(each.pair, each.prompt, LENGTH)
    assert len(picked) > 1


def simulated(costs, gives, rounds=400, seed=0):
    """How often each way was chosen where rounds cost and give so much on average."""
    chance, now = random.Random(seed), [0.0]
    chooser = Chooser(list(costs), lambda: now[0])
    for _ in range(rounds):
        way = chooser.next()

        def one(way=way):
            now[0] += costs[way] * chance.uniform(0.8, 1.25)
            return Round((0,) * (1 + (chance.random() < gives[way])))

        chooser.run(way, one)
    return {way: record.rounds for way, record in chooser.records.items()}


@pytest.mark.parametrize("best", ["a", "b", PLAIN])
def test_the_way_that_pays_is_chosen(best):
    """One gives 20% more tokens a second: it has most of 400 rounds, for each of 20 seeds."""
    ways = ("a", "b", PLAIN)
    costs = {way: 1.0 if way == best else 1.2 for way in ways}
    for seed in range(20):
        chosen = simulated(costs, dict.fromkeys(ways, 0.3), seed=seed)
        assert chosen[best] > 200, (seed, chosen)
        assert min(chosen.values()) >= TRIES
        assert sum(chosen.values()) == 399  # the first round reads the prompt


def test_a_way_that_only_seems_cheap_is_left_again():
    """Tokens count, not seconds: twice the time for three times the tokens is chosen."""
    chosen = simulated({"a": 1.0, "b": 1.4}, {"a": 0.0, "b": 0.95})
    assert chosen["b"] > 300


def test_one_slow_first_round_is_forgiven():
    record = Record()
    record.add(2, 50.0)
    record.add(2, 1.0)
    assert record.promise > 2
    assert record.as_dict() == {"rounds": 2, "tokens": 4, "seconds": 51.0}


def test_names_are_those_of_forms():
    assert [named("spelled", 2), named("spelled/block", 4), named("fixed:2", 1)] == [
        "spelled:2",
        "spelled:4/block",
        "fixed:2",
    ]


def test_stop_rules_are_left_out_where_they_are_not_known(monkeypatch):
    def refuse(pair):
        raise UnknownWordsError("not known")

    monkeypatch.setattr("draftproof.adapters.decoding.text_rules.by_bytes", refuse)
    program = RealProgram("slrs", gallery_pair("base").pair, rule="auto")
    assert all(way.startswith("spelled") for way in program.ways)
    assert [*program.chooser.records][-1] == PLAIN


def test_a_run_says_what_was_chosen(model):
    from draftproof.adapters.decoding.pairs import make_pair
    from draftproof.adapters.decoding.runs import run

    sides = [model(name, Settings()) for name in ("drafter-bpe", "drafter-bytes")]
    program = RealProgram("slrs", make_pair(*sides), rule="auto")
    program.prepare()
    prompt = sides[0].tokenizer.prompt("The house of")
    found = run(program, prompt, Always(4), max_new_tokens=24, seed=1)
    ways = found.statistics.ways
    assert set(ways) == {*program.ways, PLAIN}
    assert "determined:1/cap:8" in ways
    assert sum(way["rounds"] for way in ways.values()) == found.statistics.rounds - 1

"""The bound programs are exactly lossless whatever chooses the number of drafts, and end well."""

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

from decoding_toys import due
from draftproof.adapters.decoding.lookahead import Always
from draftproof.adapters.decoding.programs import Enough, RealProgram
from draftproof.reference import EmptyIntersectionError
from draftproof.reference.enumeration import exact_law
from draftproof.reference.programs import ALGORITHMS
from draftproof.reference.rounds import generate
from draftproof.reference.stop_rules import Fixed
from draftproof.toymodels.gallery import gallery, gallery_pair

LENGTH = 3
PAIRS = ("base", "retokenized", "many-to-one", "composition")


class Whimsical:
    """A lookahead that depends on the last round in an odd way."""

    def __init__(self):
        self.last = 1

    def drafts(self):
        return self.last

    def saw(self, block):
        self.last = (len(block.emitted) + block.accepted) % 3


def law_of(program, pair, prompt, lookahead):
    def once(chance):
        chooser = lookahead()

        def wanted(context):
            return LENGTH - (len(context) - len(prompt))

        run_round = program.rounds(chooser, wanted)

        def watched(pair, context, chance, state):
            block = run_round(pair, context, chance, state)
            chooser.saw(block)
            return block

        return generate(watched, pair, prompt, chance, LENGTH).ids

    return exact_law(once)


@pytest.mark.parametrize("lookahead", [Whimsical, lambda: Always(2)], ids=["whimsical", "two"])
@pytest.mark.parametrize("name", [*ALGORITHMS, "slrs spelled/block", "slrs fixed:2"])
def test_whole_runs_have_the_targets_law(name, lookahead):
    name, _, rule = name.partition(" ")
    compared = 0
    for each in map(gallery_pair, PAIRS):
        if name == "tli" and not each.pair.intersection:
            continue
        program = RealProgram(name, each.pair, rule=rule or "spelled")
        found = law_of(program, each.pair, each.prompt, lookahead)
        assert found == due(each.pair, each.prompt, LENGTH)
        compared += 1
    assert compared >= 3


def test_a_lookahead_that_knows_what_the_round_gives_is_noticed():
    """Planted: drafts are taken back where none was kept, which is no choice of the past."""
    each = gallery_pair("base")
    program = RealProgram("union", each.pair)
    drafting, plain = (
        program.rounds(Always(1), lambda _, wanted=wanted: wanted) for wanted in (LENGTH, 1)
    )

    def peeking(pair, context, chance, state):
        block = drafting(pair, context, chance, state)
        return block if block.accepted else plain(pair, context, chance, state)

    found = exact_law(lambda chance: generate(peeking, each.pair, each.prompt, chance, LENGTH).ids)
    assert found != due(each.pair, each.prompt, LENGTH)


def test_nothing_is_drafted_for_the_last_token():
    asked = []
    each = gallery_pair("base")

    class Counted:
        size = each.pair.drafter.size

        def distributions(self, context, continuation=()):
            asked.append(context)
            return each.pair.drafter.distributions(context, continuation)

    from draftproof.reference.chance import Sampler

    pair = replace(each.pair, drafter=Counted())
    for name in ALGORITHMS:
        round_of = RealProgram(name, pair).rounds(Always(3), lambda _: 1)
        assert len(round_of(pair, each.prompt, Sampler(1), None).emitted) == 1
        assert asked == []
    RealProgram("union", pair).rounds(Always(3), lambda _: 3)(pair, each.prompt, Sampler(1), None)
    assert 1 <= len(asked) <= 2


def test_enough_stops_when_the_text_makes_the_tokens_wanted():
    tokenizer = gallery_pair("base").pair.target_tokenizer
    spelled = [s.decode() for s in tokenizer.vocabulary if s]
    text = spelled[0] + spelled[0]
    wanted = len(tokenizer.encode(text))
    rule = Enough(Fixed(9), tokenizer, wanted)
    assert rule.done((0, 0), text)
    assert not Enough(Fixed(9), tokenizer, wanted + 1).done((0, 0), text)
    assert rule.done((0,) * 9, "")
    assert (rule.slug, rule.cap) == ("fixed:9", 9)


def test_what_is_refused():
    pair = gallery_pair("base").pair
    with pytest.raises(ValueError, match="no algorithm is called 'fast'"):
        RealProgram("fast", pair)
    with pytest.raises(ValueError, match="no rule 'nonsense' here; there are auto, spelled"):
        RealProgram("slrs", pair, rule="nonsense")
    with pytest.raises(ValueError, match="look-behind is slem's"):
        RealProgram("tli", pair, 3)
    empty = next(each.pair for each in gallery() if not each.pair.intersection)
    with pytest.raises(EmptyIntersectionError, match="share no token"):
        RealProgram("tli", empty).prepare()


class Narrow:
    """A model with a context window, which refuses to read beyond it."""

    def __init__(self, model, window):
        self.model, self.size, self.window = model, model.size, window

    def distributions(self, context, continuation=()):
        assert len(context) + len(continuation) <= self.window
        return self.model.distributions(context, continuation)


@pytest.mark.parametrize("name", [*ALGORITHMS, "slrs spelled/block"])
def test_no_run_ends_at_a_window_that_plain_decoding_fits_in(name):
    """The drafter's ends after 0, 1 or 2 of the tokens; the target's holds all but the last."""
    name, _, rule = name.partition(" ")
    for each in map(gallery_pair, PAIRS):
        if name == "tli" and not each.pair.intersection:
            continue
        read = each.pair.drafter_context(each.prompt)
        for beyond in range(3):
            pair = replace(
                each.pair,
                target=Narrow(each.pair.target, len(each.prompt) + LENGTH - 1),
                drafter=Narrow(each.pair.drafter, len(read) + beyond),
            )
            program = RealProgram(name, pair, rule=rule or "spelled")
            found = law_of(program, pair, each.prompt, lambda: Always(2))
            assert found == due(each.pair, each.prompt, LENGTH)

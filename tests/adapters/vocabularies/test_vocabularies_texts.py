"""Round trips, canonical ids, revisions and maps by strings, against slow and obvious definitions.

Each check is a function that raises; for each a planted fault shows that it does.
"""

from __future__ import annotations

import random
from itertools import product

import pytest
from draftproof.adapters.vocabularies import Passage, Side, canonical, roundtrips, spellings
from draftproof.adapters.vocabularies.canonical import canonical as canonical_ids
from draftproof.adapters.vocabularies.probes import LOOK_ALIKES, characters, combinations
from draftproof.adapters.vocabularies.revisions import revisions
from draftproof.adapters.vocabularies.roundtrips import kind_of, round_trips, shrunk
from draftproof.adapters.vocabularies.spellings import spelling_maps
from draftproof.reference import EncodeError, TokenizerLaws, map_tokens
from draftproof.toymodels.quirks import QUIRKS
from draftproof.toymodels.tokenizers import greedy

ACUTE = "\N{COMBINING ACUTE ACCENT}"


class Changing:
    """Characters as ids, a change made to the text first; what it does not know is unknown."""

    laws = TokenizerLaws(False, False, False, False, False)
    end_of_sequence = None

    def __init__(self, change=str, letters="abAB .é▁", unknown=None):
        self.change = change
        self.letters = letters
        self.unknown = unknown
        self.vocabulary = (*(letter.encode() for letter in letters), None)

    def encode(self, text):
        ids = [self.letters.find(letter) for letter in self.change(text)]
        if -1 in ids:
            if self.unknown is None:
                raise EncodeError("no token")
            ids = [self.unknown if each == -1 else each for each in ids]
        return tuple(ids)

    def decode(self, ids):
        return "".join((*self.letters, "??")[token] for token in ids)


def quirk(name):
    return Side(QUIRKS[name](), name)


def texts_over(letters, longest):
    return ["".join(each) for n in range(1, longest + 1) for each in product(letters, repeat=n)]


# Round trips.


def check_round_trips(side, texts):
    """Failures of the passages are those that the definition finds, and examples do fail."""
    found = round_trips(side, [Passage("x", text) for text in texts], quick=True)
    failing = 0
    for text in texts:
        ids = side.encode(text)
        failing += ids is None or side.decode(ids) != text
    assert found.failed_passages == failing
    assert found.passages == len(texts)
    for kind in found.kinds:
        ids = side.encode(kind.example.text)
        assert ids == kind.example.ids
        assert (side.decode(ids) if ids is not None else None) == kind.example.back
        assert kind.example.back != kind.example.text
    return found


@pytest.mark.parametrize("name", QUIRKS)
def test_quirks_fail_where_the_definition_says(name):
    side = quirk(name)
    letters = {c for text in side.vocabulary for c in (text or b"").decode(errors="ignore")}
    found = check_round_trips(side, texts_over(sorted(letters), 4) if letters else ["a"])
    if side.tokenizer.laws.round_trips:
        assert {kind.kind for kind in found.kinds} <= {"no encoding"}


@pytest.mark.parametrize(
    ("name", "kind", "text", "back"),
    [
        ("lower_casing", "case", "A", "a"),
        ("composing", "normalisation", f"e{ACUTE}", "é"),
        ("space_stripping", "white space", " ", ""),
        ("space_collapsing", "white space", "  ", " "),
        ("prefix_space", "dummy prefix", "a", " a"),
        ("cleaned_spaces", "white space", " .", "."),
    ],
)
def test_the_kind_and_the_smallest_example(name, kind, text, back):
    found = round_trips(quirk(name), [], quick=True)
    example = next(each.example for each in found.kinds if each.kind == kind)
    assert (example.text, example.back) == (text, back)
    assert {each.kind for each in found.kinds} <= {kind, "no encoding"}


@pytest.mark.parametrize(
    ("change", "text", "kind"),
    [
        (str, "ab", None),
        (str, "xb", "no encoding"),
        (str.lower, "Ab", "case"),
        (lambda text: text.replace("▁", " "), "a▁b", "space mark"),
        (lambda text: text.replace(" ", ""), "a b", "white space"),
        (lambda text: text.replace(f"e{ACUTE}", "é"), f"ae{ACUTE}", "normalisation"),
        (lambda text: text.replace("é", "a"), "éb", "other change"),
        (lambda text: text.replace("é", ""), "éb", "lost text"),
        (lambda text: text.replace("\x1d", ""), "\x1db", "lost text"),
        (lambda text: text.replace("\u200b", " "), "a\u200bb", "white space"),
        (lambda text: text.replace("<a>", ""), "b<a>", "special look-alike"),
        (lambda text: f" {text}", "ab", "dummy prefix"),
        (lambda text: text.lower().replace("é", "e"), "Aé", "several of these"),
        (lambda text: text.replace("é", "e"), "aé", "accents"),
    ],
)
def test_a_change_is_named_by_what_explains_it(change, text, kind):
    side = Side(Changing(change, "abeAB .é▁<>"), "changing")
    assert kind_of(side, text, side.encode(text), frozenset({"<a>"})) == kind


def test_what_becomes_the_unknown_token_is_named_so():
    side = Side(Changing(letters="ab", unknown=2), "unknown")
    assert kind_of(side, "ac", side.encode("ac"), frozenset()) == "unknown token"
    found = round_trips(side, [], quick=True)
    (kind,) = found.kinds
    assert kind.kind == "unknown token"
    assert (kind.characters, found.failed_characters) == (found.characters - 2,) * 2
    assert kind.example.text == "\0"


def test_failures_are_made_smaller_and_stay_of_their_kind():
    side = Side(Changing(lambda text: text.replace("aéa", "ab")), "changing")
    passage = "ab aéa b" * 3
    assert kind_of(side, passage, side.encode(passage), frozenset()) == "other change"
    assert shrunk(side, passage, "other change", frozenset()) == "aéa"
    # Of small vocabularies all combinations are tried, so the smallest needs no shrinking.
    (kind,) = (k for k in round_trips(side, []).kinds if k.kind == "other change")
    assert (kind.characters, kind.combinations, kind.example.text) == (0, 1, "aéa")


def test_special_names_of_the_vocabulary_are_tried():
    side = Side(
        Changing(lambda text: text.replace("<a>", ""), "ab<>"), "x", ["a", "b", "<", ">", "<a>"]
    )
    (kind,) = (k for k in round_trips(side, []).kinds if k.kind == "special look-alike")
    assert kind.example.text == "<a>"


def test_the_probes_are_what_they_are_said_to_be():
    every = characters(quick=False)
    assert every[:3] == ("\0", "\x01", "\x02")
    assert len(set(every)) == len(every) > 25_000
    assert {"é", "\u3400", "🙂", "가", "\u200d"} <= set(every)
    assert not any("\ud800" <= c <= "\udfff" for c in every)
    assert set(characters(quick=True)) < set(every)
    assert [*combinations(("a", "b"))] == texts_over("ab", 3)[2:]
    assert "<s>" in LOOK_ALIKES


def test_planted_faults_in_round_trips_are_seen(monkeypatch):
    side, texts = quirk("lower_casing"), texts_over("Aab", 3)
    check_round_trips(side, texts)
    monkeypatch.setattr(
        roundtrips, "kind_of", lambda side, text, ids, special: "case" if "Aa" in text else None
    )
    with pytest.raises(AssertionError):
        check_round_trips(side, texts)


# Canonical ids.


def check_canonical(side):
    found = canonical_ids(side, 10_000, random.Random(0))
    ids = [token for token, text in enumerate(side.vocabulary) if text]

    def fails(sequence):
        return side.encode(side.decode(sequence)) != sequence

    singles = [(token,) for token in ids]
    pairs = [(a, b) for a in ids for b in ids]
    assert found.singles.exhaustive and found.pairs.exhaustive
    assert (found.singles.tried, found.pairs.tried) == (len(singles), len(pairs))
    assert found.singles.failed == sum(map(fails, singles))
    assert found.pairs.failed == sum(map(fails, pairs))

    def size(pair):
        return sum(len(side.vocabulary[token]) for token in pair)

    smallest = min(map(size, filter(fails, pairs)), default=None)
    if smallest is None:
        assert found.example is None
    else:
        assert found.example is not None and fails(found.example.ids)
        assert found.example.text == side.decode(found.example.ids)
        assert found.example.encoded == side.encode(found.example.text)
        if not found.pairs.cut_characters:
            assert size(found.example.ids) == smallest


@pytest.mark.parametrize("name", QUIRKS)
def test_canonical_ids_of_quirks(name):
    check_canonical(quirk(name))


def test_samples_are_seeded_and_no_larger_than_asked():
    side = Side(greedy([*"abcdefghij", "ab"]), "T")
    first, again = (canonical_ids(side, 8, random.Random(1)) for _ in range(2))
    assert first == again
    assert (first.singles.tried, first.pairs.tried) == (8, 8)
    assert not first.singles.exhaustive and not first.pairs.exhaustive
    assert first.example is not None and first.example.ids == (0, 1)


def test_a_planted_fault_in_canonical_ids_is_seen(monkeypatch):
    side = quirk("longest_match")
    check_canonical(side)
    monkeypatch.setattr(canonical, "_failed", lambda side, sequences: [])
    with pytest.raises(AssertionError):
        check_canonical(side)


# Revisions.


def check_revisions(side, texts):
    found = revisions(side, [Passage("x", text) for text in texts], 10**6, random.Random(0))
    back = []
    for text in texts:
        full = side.encode(text)
        for cut in range(1, len(text)):
            part = side.encode(text[:cut])
            if part is None or full is None:
                continue
            same = 0
            while part[: same + 1] == full[: same + 1] and same < len(part):
                same += 1
            back.append(len(part) - same)
    assert found.exhaustive
    assert found.cuts == len(back)
    assert found.revised == sum(map(bool, back))
    assert found.tokens_back == tuple((n, back.count(n)) for n in sorted(set(back)))
    assert (found.deepest.revised if found.deepest else 0) == max(back, default=0)
    assert found.unreadable == sum(len(text) - 1 for text in texts) - len(back)


@pytest.mark.parametrize("name", QUIRKS)
def test_revisions_of_quirks(name):
    side = quirk(name)
    letters = {c for text in side.vocabulary for c in (text or b"").decode(errors="ignore")}
    check_revisions(side, texts_over(sorted(letters), 5))


def test_revisions_by_hand():
    side = Side(greedy([*"abc", "ab", "abcabc"]), "T")
    # a|bcabc: (a) against (abcabc). ab, abc: (ab c), abca, abcab: (ab c ab): three are revised.
    found = revisions(side, [Passage("x", "abcabc")], 100, random.Random(0))
    assert found.tokens_back == ((1, 2), (2, 1), (3, 2))
    assert found.revised_share == 1.0
    assert found.deepest is not None
    assert (found.deepest.before, found.deepest.after) == ("abca", "bc")


def test_cuts_are_seeded_and_no_more_than_asked():
    side, corpus = Side(greedy([*"ab", "ab"]), "T"), [Passage("x", "abba" * 20)]
    first, again, other = (revisions(side, corpus, 9, random.Random(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first.cuts == other.cuts == 9 and not first.exhaustive


def test_a_planted_fault_in_revisions_is_seen(monkeypatch):
    side = quirk("longest_match")
    check_revisions(side, ["aab", "abab"])
    real = side.encode_many
    # As if the last token of what is appended did not count: prefixes are compared with themselves.
    monkeypatch.setattr(side, "encode_many", lambda texts: real([t[:1] for t in texts]))
    with pytest.raises(AssertionError):
        check_revisions(side, ["aab", "abab"])


# Maps by strings.


def check_maps(target, drafter):
    image = map_tokens(drafter.tokenizer, target.tokenizer)
    plain = spelling_maps(target, drafter, image)[0]
    right = wrong = named = missed = 0
    for token, spelling in enumerate(drafter.spellings):
        to = target.spellings.index(spelling) if spelling in target.spellings else None
        if spelling is None or to is None:
            missed += image[token] is not None
            continue
        ours, theirs = drafter.vocabulary[token], target.vocabulary[to]
        if ours is None and theirs is None:
            named += 1
        elif ours == theirs:
            right += 1
        else:
            wrong += 1
    assert (plain.right, plain.wrong, plain.named, plain.missed) == (right, wrong, named, missed)
    assert plain.matched == right + wrong + named


MARKED = Side(greedy(["a", " ", " a", "é", None, "<"]), "▁", ["a", "▁", "▁a", "é", "<s>", "<"])
BYTES = Side(greedy([" ", " a", b"\xe9", "é", "a", None]), "Ġ", ["Ġ", "Ġa", "é", "Ã©", "a", "<s>"])


def test_maps_by_hand():
    image = map_tokens(MARKED.tokenizer, BYTES.tokenizer)
    assert image == (4, 0, 1, 3, None, None)
    plain, exchanged = spelling_maps(BYTES, MARKED, image)
    # As listed: a is right; é is listed by both and means other bytes; <s> is a name.
    assert (plain.name, plain.matched, plain.right, plain.wrong) == ("as listed", 3, 1, 1)
    assert (plain.named, plain.missed) == (1, 2)
    (example,) = plain.wrong_examples
    assert (example.drafter.id, example.spelling) == (3, "é")
    assert example.by_string is not None and example.by_string.hex == "e9"
    assert example.by_bytes is not None and example.by_bytes.hex == "c3a9"
    assert [each.drafter.text for each in plain.missed_examples] == [" ", " a"]
    # With the space mark exchanged, both are found; é is wrong still.
    assert (exchanged.right, exchanged.wrong, exchanged.missed) == (3, 1, 0)
    check_maps(BYTES, MARKED)


def test_a_map_that_knows_bytes_has_nothing_wrong():
    (found,) = spelling_maps(BYTES, BYTES, map_tokens(BYTES.tokenizer, BYTES.tokenizer))
    assert (found.right, found.wrong, found.named, found.missed) == (5, 0, 1, 0)


def test_maps_need_the_strings():
    silent = Side(Changing(), "T")
    assert spelling_maps(silent, MARKED, map_tokens(MARKED.tokenizer, silent.tokenizer)) == ()


def test_a_planted_fault_in_maps_is_seen(monkeypatch):
    check_maps(BYTES, MARKED)
    real = spellings._mapped
    monkeypatch.setattr(
        spellings, "_mapped", lambda listed, by: {t: to for t, to in real(listed, by).items() if t}
    )
    with pytest.raises(AssertionError):
        check_maps(BYTES, MARKED)

"""SLEM, psi, psi_k, TLI and tokenizer vectors, found again from the files by brute force."""

from fractions import Fraction

import pytest
from vector_models import exact, law_of, load, model_law
from vector_tokenizers import Described, proposals


def both(given):
    return Described(given["target_tokenizer"]), Described(given["drafter_tokenizer"])


def test_slem_vectors():
    for vector in load("slem"):
        given, expect = vector["given"], vector["expect"]
        target, drafter = both(given)
        text = target.decode(given["context"])
        read = drafter.encode(text)
        drafts = given["drafts"]
        ended = drafter.end is not None and drafts[-1:] == [drafter.end]
        drafted = drafter.decode(drafts[:-1] if ended else drafts) if read is not None else ""
        candidates = (target.encode(drafted) or ()) if drafted else ()
        encoded = not drafted or target.encode(drafted) is not None
        if ended and encoded and target.end is not None:
            candidates = (*candidates, target.end)
        assert expect == {
            "context_text": text,
            "drafter_context": None if read is None else list(read),
            "draft_text": drafted,
            "candidates": list(candidates),
        }, vector["id"]


def candidate_law(given):
    """The law of the candidates; all of it on none when the context cannot be read."""
    target, drafter = both(given)
    read = drafter.encode(target.decode(given["context"]))
    assert given["drafter_context"] == (None if read is None else list(read))
    if read is None:
        return {(): Fraction(1)}
    return proposals(
        given, target, drafter, lambda drafts: model_law(given["drafter"], (*read, *drafts))
    )


def next_law(law, accepted, size):
    mass = sum(value for ids, value in law.items() if ids[: len(accepted)] == accepted)
    psi = [Fraction(0)] * size
    for ids, value in law.items():
        if ids[: len(accepted)] == accepted and len(ids) > len(accepted):
            psi[ids[len(accepted)]] += value / mass
    return psi


@pytest.mark.parametrize("kind", ["psi", "psi_k"])
def test_psi_vectors(kind):
    laws = {}
    for vector in load(kind):
        given, expect = vector["given"], vector["expect"]
        key = str({name: value for name, value in given.items() if name != "accepted"})
        if key not in laws:
            laws[key] = candidate_law(given)
        law, size = laws[key], len(given["target_tokenizer"]["vocabulary"])
        psi = next_law(law, tuple(given.get("accepted", ())), size)
        assert exact(expect["psi"]) == psi, vector["id"]
        assert Fraction(expect["no_proposal"]["exact"]) == 1 - sum(psi)
        if kind == "psi":
            assert law_of(expect["candidates"]) == {k: v for k, v in law.items() if v}, vector["id"]
        for mistake in expect["not"]:
            assert exact(mistake["psi"]) != psi
            if mistake["mistake"].startswith("psi, not given"):
                assert exact(mistake["psi"]) == next_law(law, (), size)
            elif mistake["mistake"] == "psi of one draft":
                shorter = candidate_law(given | {"stop_rule": "fixed:1"})
                assert exact(mistake["psi"]) == next_law(shorter, (), size)
            else:
                assert exact(mistake["psi"]) == begins(given, size)


def begins(given, size):
    """How likely the draft's text begins with each token's text."""
    _, drafter = both(given)
    cap = int(given["stop_rule"].removeprefix("fixed:"))
    drafts = {(): Fraction(1)}
    for _ in range(cap):
        drafts = {
            (*ids, x): mass * value
            for ids, mass in drafts.items()
            for x, value in enumerate(
                model_law(given["drafter"], (*given["drafter_context"], *ids))
            )
        }
    found = [Fraction(0)] * size
    for piece, token in enumerate(given["target_tokenizer"]["vocabulary"]):
        for ids, mass in drafts.items():
            if token and drafter.decode(ids).startswith(token):
                found[piece] += mass
    return found


def test_the_composition_count_is_no_law():
    """Target a, b, ab and drafter a, b, two drafts: 1/2, 1/2, 1/4, where 1/4, 1/2, 1/4 is due."""
    (vector,) = (v for v in load("psi") if v["id"] == "psi-composition-fixed-2")
    assert exact(vector["expect"]["psi"]) == [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]
    wrong = {m["mistake"]: exact(m["psi"]) for m in vector["expect"]["not"]}
    assert sum(wrong["drafts whose text begins with the token's text"]) == Fraction(5, 4)


def test_tokenizer_vectors():
    kinds = set()
    for vector in load("tokenizer"):
        given, expect = vector["given"], vector["expect"]
        tokenizer = Described(given["tokenizer"])
        if "text" in given:
            ids = tokenizer.encode(given["text"])
            if ids is None:
                assert (vector["result"], expect) == ("invalid", {"refused": "no encoding"})
                continue
            back = tokenizer.decode(ids)
            assert expect == {"ids": list(ids), "text": back}, vector["id"]
            holds = back == given["text"]
        else:
            text = tokenizer.decode(given["ids"])
            ids = tokenizer.encode(text)
            assert expect == {"text": text, "ids": None if ids is None else list(ids)}, vector["id"]
            holds = ids == tuple(given["ids"])
        kinds.add(("text" in given, holds))
        assert (vector["result"] == "valid") == holds
        assert ("known-not-to-hold" in vector["flags"]) == (not holds)
    assert len(kinds) == 4


def test_tli_vectors():
    for vector in load("tli"):
        given, expect = vector["given"], vector["expect"]
        target, drafter = given["target_vocabulary"], given["drafter_vocabulary"]
        image = [
            target.index(piece) if piece is not None and piece in target else None
            for piece in drafter
        ]
        if given["drafter_end_of_sequence"] is not None:
            image[given["drafter_end_of_sequence"]] = given["target_end_of_sequence"]
        if vector["result"] == "invalid":
            assert all(token is None for token in image)
            continue
        q = filtered(exact(given["drafter_row"]), given["request"])
        p = exact(given["target_row"])
        masked = [0 if token is None else value for value, token in zip(q, image, strict=True)]
        pushed = [sum(v for v, t in zip(q, image, strict=True) if t == y) for y in range(len(p))]
        assert expect["map"] == image
        union = sum(map(min, p, pushed))
        assert Fraction(expect["union_acceptance"]["exact"]) == union
        acceptance = Fraction(expect["acceptance"]["exact"])
        if not any(masked):
            assert (expect["q_prime"], expect["scores"], acceptance) == (None, None, 0)
            continue
        assert exact(expect["q_prime"]) == [value / sum(masked) for value in masked]
        scores = [value / sum(masked) for value in pushed]
        assert exact(expect["scores"]) == scores
        assert acceptance == sum(map(min, p, scores)) >= union, vector["id"]
        assert all(exact(mistake["scores"]) != scores for mistake in expect["not"])


def filtered(law, request):
    """Temperature, top-k and top-p, for laws without ties at the cut."""
    if temperature := request.get("temperature"):
        law = [value ** int(1 / Fraction(temperature["exact"])) for value in law]
        law = [value / sum(law) for value in law]
    order = sorted(range(len(law)), key=lambda x: -law[x])
    if "top_k" in request:
        order = order[: request["top_k"]]
    if "top_p" in request:
        least = Fraction(request["top_p"]["exact"])
        order = [x for k, x in enumerate(order) if sum(law[y] for y in order[:k]) < least]
    kept = sum(law[x] for x in order)
    return [value / kept if x in order else Fraction(0) for x, value in enumerate(law)]

"""For each named tokenizer: ids that are known, and the smallest failure of each law it lacks."""

from __future__ import annotations

from dataclasses import dataclass

Ids = tuple[int, ...]

E_ACUTE = "\N{LATIN SMALL LETTER E WITH ACUTE}"


@dataclass(frozen=True)
class Case:
    """What is asserted exactly of one tokenizer.

    Attributes:
        hello: the ids of "Hello world".
        other: ids that decode to "the", which encoding does not give.
        the: the ids that encoding gives.
        apart: two ids, what each decodes to, and what they decode to together.
        merged: two texts with one encoding, its ids, and its text; None where there are none.
    """

    hello: Ids
    other: Ids
    the: Ids
    apart: tuple[int, int, str, str, str]
    merged: tuple[str, str, Ids, str] | None = None


def halves(first: int, second: int) -> tuple[int, int, str, str, str]:
    """The two bytes of one letter."""
    return first, second, "\ufffd", "\ufffd", E_ACUTE


def composed(token: int) -> tuple[str, str, Ids, str]:
    """A letter and its accent are read as one character."""
    return "e\u0301", E_ACUTE, (token,), E_ACUTE


def marked(token: int) -> tuple[str, str, Ids, str]:
    """The mark of a space is read as a space."""
    return "\u2581", " ", (token,), " "


CASES: dict[str, Case] = {
    "gpt2": Case((15496, 995), (83, 258), (1169,), halves(127, 102)),
    "smollm2": Case(
        (19556, 905), (100, 255), (1195,), halves(142, 119), ("a\x04", "a", (81,), "a")
    ),
    "llama3": Case((9906, 1917), (83, 383), (1820,), halves(127, 102)),
    "deepseek": Case((19923, 2058), (86, 263), (1805,), halves(130, 105)),
    "qwen3": Case((9707, 1879), (83, 383), (1782,), halves(127, 102), composed(963)),
    "gemma3": Case((9259, 1902), (354, 499), (1437,), halves(433, 407), marked(236743)),
    "t5": Case(
        (8774, 296),
        (17, 88),
        (8,),
        (8, 11, "the", "and", "the and"),
        ("e\u0301", E_ACUTE, (3, 154), E_ACUTE),
    ),
    "qwen": Case((9707, 1879), (83, 383), (1782,), halves(127, 102), composed(963)),
    "o200k": Case((13225, 2375), (83, 273), (3086,), halves(127, 102)),
    "tekken": Case((22177, 4304), (1116, 1268), (3265,), halves(1195, 1169)),
    "claude": Case((10002, 2253), (88, 273), (1264,), halves(132, 107), composed(1222)),
    "mistral-v1": Case((22557, 1526), (119, 265), (272,), halves(198, 172), marked(259)),
    "mistral-v3": Case((23325, 2294), (887, 1033), (1040,), halves(966, 940), marked(1027)),
    "j2": Case((54723, 1754), (1124, 3869), (1669,), halves(1203, 1177), composed(4307)),
    "clip": Case(
        (3306, 1002), (83, 651), (518,), halves(127, 102), ("e\u0301", E_ACUTE, (4166,), "\xe9 ")
    ),
    "rwkv": Case((33155, 40213), (117, 1918), (8801,), halves(196, 170)),
    "bert": Case(
        (7592, 2088),
        (2102, 5369),
        (1996,),
        (999, 1000, "!", '"', '! "'),
        ("e\u0301", E_ACUTE, (1041,), "e"),
    ),
    "xlm-r": Case((35378, 8999), (18, 1106), (70,), (8, 10, "de", "a", "de a"), composed(393)),
    "falcon": Case((9856, 1079), (95, 243), (1410,), halves(137, 114), ("a\x04", "a", (76,), "a")),
    "gpt-neox": Case((12092, 1533), (85, 248), (783,), halves(127, 104), composed(860)),
    "mpt": Case((12092, 1533), (85, 248), (783,), halves(127, 104), composed(860)),
    "starcoder": Case((8302, 5810), (121, 311), (1402,), halves(163, 140)),
    "refact": Case((8279, 5788), (102, 292), (1382,), halves(144, 121)),
    "command-r": Case((28339, 3845), (91, 1678), (3798,), halves(135, 110)),
    "qwen2": Case((9707, 1879), (83, 383), (1782,), halves(127, 102), composed(963)),
    "phi-3": Case((15043, 3186), (119, 354), (278,), halves(198, 172), marked(259)),
    "llama2": Case((15043, 3186), (119, 354), (278,), halves(198, 172), marked(259)),
    "gemma": Case((9259, 1902), (354, 499), (1437,), halves(433, 407), marked(236743)),
}

#: Those whose ids of "Hello world" are well known from elsewhere; the others are compared with
#: gold ids, or with an encoding of our own.
KNOWN_ELSEWHERE = (
    *("gpt2", "llama3", "qwen", "qwen2", "qwen3", "mistral-v1", "llama2", "phi-3", "t5", "bert"),
    *("xlm-r", "rwkv", "o200k", "gpt-neox", "deepseek", "clip", "gemma3", "smollm2", "starcoder"),
)

"""Pairs over one vocabulary that subjects are tried on besides the gallery's.

Each is made to show one mistake, most of them the smallest on which that mistake has a known exact
law.
"""

from __future__ import annotations

from ...reference.pair import Pair
from ...toymodels.gallery import GALLERY, GalleryPair, gallery_pair
from ...toymodels.models import NgramModel
from ...toymodels.pairs import Shelf, bigram, context_free
from .pair_building import shared, trigram
from .request_pairs import REQUESTS

CASES = Shelf()


@CASES.pair("context-dependent", "both laws depend on the last two ids and are positive everywhere")
def context_dependent() -> Pair:
    """Seeded tables of order 3 over three ids."""
    return shared(NgramModel.from_seed(3, 3, 11), NgramModel.from_seed(3, 3, 12))


@CASES.pair("two-ids", "as context-dependent, over two ids, so that runs can go further")
def two_ids() -> Pair:
    """Seeded tables of order 3 over two ids."""
    return shared(NgramModel.from_seed(2, 3, 31), NgramModel.from_seed(2, 3, 32))


@CASES.pair("four-ids", "four ids, zeros on either side, laws that depend on the last id")
def four_ids() -> Pair:
    """Seeded tables of order 2 with a quarter of the entries zero."""
    return shared(
        NgramModel.from_seed(4, 2, 21, zeros="1/4"), NgramModel.from_seed(4, 2, 22, zeros="1/4")
    )


@CASES.pair("zeros", "each side says something that the other never does")
def zeros() -> Pair:
    """Ratios of 0, residuals with an id that is never drafted."""
    return shared(
        bigram("1/2 1/2 0", "1/2 1/2 0", "0 1/3 2/3", "1/4 0 3/4"),
        bigram("0 1/2 1/2", "0 1/2 1/2", "1/2 1/2 0", "1/2 0 1/2"),
    )


@CASES.pair("two-id-residual", "a rejection leaves two ids to choose from")
def two_id_residual() -> Pair:
    """p = (2/5, 2/5, 1/5), q = (1/10, 1/10, 4/5): shows a coin that is used again."""
    return shared(context_free("2/5 2/5 1/5"), context_free("1/10 1/10 4/5"))


@CASES.pair("shared-noise", "shows noise that drafts and residual have in common")
def shared_noise() -> Pair:
    """p = (1/2, 2/5, 1/10), q = (1/10, 3/10, 3/5)."""
    return shared(context_free("1/2 2/5 1/10"), context_free("1/10 3/10 3/5"))


_SHIFTED = {
    "": "1/2 1/2",
    "00": "9/10 1/10",
    "01": "1/10 9/10",
    "10": "9/10 1/10",
    "11": "1/10 9/10",
}


@CASES.pair("shifted-rows", "every draft is accepted at first; the next law depends on it")
def shifted_rows() -> Pair:
    """p is even, then (9/10, 1/10) after 0 and (1/10, 9/10) after 1: shows a row off by one."""
    return shared(trigram(2, _SHIFTED), trigram(2, {"": "1/2 1/2"}))


@CASES.pair("certain-draft", "the draft is always 1, as from an n-gram table or a greedy drafter")
def certain_draft() -> Pair:
    """p as in shifted-rows."""
    return shared(trigram(2, _SHIFTED), trigram(2, {"": "0 1"}))


@CASES.pair("cumulative", "shows ratios that are multiplied up along the draft")
def cumulative() -> Pair:
    """p = (1/3, 2/3), q = (2/3, 1/3)."""
    return shared(context_free("1/3 2/3"), context_free("2/3 1/3"))


@CASES.pair("fair-coins", "an even target: marginals hide what positions have in common")
def fair_coins() -> Pair:
    """p = (1/2, 1/2), q = (3/4, 1/4)."""
    return shared(context_free("1/2 1/2"), context_free("3/4 1/4"))


@CASES.pair("alternating", "drafts alternate, laws look back two ids: state that a long draft left")
def alternating() -> Pair:
    """The drafter says 1 after 0 and 0 after 1; the target's laws are positive everywhere."""
    rows = {"": "1/2 1/2", "00": "3/4 1/4", "01": "1/3 2/3", "10": "1/5 4/5", "11": "1/2 1/2"}
    return shared(trigram(2, rows), bigram("0 1", "0 1", "1 0"))


@CASES.pair("rare", "probabilities of a millionth, on either side")
def rare() -> Pair:
    """What is likely for one side is a one-in-a-million event for the other."""
    return shared(
        context_free("999998/1000000 1/1000000 1/1000000"),
        context_free("1/1000000 899999/1000000 100000/1000000"),
    )


@CASES.pair("small", "small probabilities of which the drafter's are the larger ones")
def small() -> Pair:
    """Ratios of numbers below a hundredth: shows a q that is clamped from below."""
    return shared(context_free("4/1000 6/1000 990/1000"), context_free("8/1000 2/1000 990/1000"))


@CASES.pair("tiny", "as small, with probabilities below a millionth")
def tiny() -> Pair:
    """4e-7 against 8e-7: shows a clamp, or something added, of that size."""
    return shared(
        context_free("4/10000000 6/10000000 9999990/10000000"),
        context_free("8/10000000 2/10000000 9999990/10000000"),
    )


@CASES.pair("tiniest", "four ids of probability 5e-10 on both sides: a q that is clamped at 1e-9")
def tiniest() -> Pair:
    """A clamp of q at c shows where p and q are c/2, at four ids at once.

    A clamp at c changes nothing for an id that has p >= c (it is accepted anyway) or q >= c. For
    any other id it takes min(p, q) - p q / c from what is accepted, at most c / 4, at p = q =
    c / 2. A row therefore shows at most c / 4 for every id but one, and rarer contexts show less:
    beyond them is only the number of ids. With the four here that is c, and below a c of about
    5e-10, the tolerance in float64, a clamp is invisible in principle on so few ids; so are
    1e-12 and the like on any toy. More ids would take 1e-10 added to q for a fault.
    """
    return shared(
        context_free(" ".join(["1/2000000000"] * 4 + ["1/2", "499999998/1000000000"])),
        context_free(" ".join(["1/2000000000"] * 4 + ["1/4", "749999998/1000000000"])),
    )


@CASES.pair("near-ratios", "ratios of 0.99, 0.95, 0.9 and 0.85: shows what passes for accepted")
def near_ratios() -> Pair:
    """p = (198, 190, 180, 170, 262) / 1000, q even over five ids."""
    return shared(
        context_free("198/1000 190/1000 180/1000 170/1000 262/1000"),
        context_free("1/5 1/5 1/5 1/5 1/5"),
    )


@CASES.pair("six-ids", "six ids, positive everywhere; a rejection leaves four, unlike each other")
def six_ids() -> Pair:
    """Residual (7, 8, 9, 36) / 60 on the last four; the bonus can be every id."""
    return shared(
        context_free("5/100 8/100 9/100 12/100 16/100 50/100"),
        context_free("45/100 28/100 2/100 4/100 7/100 14/100"),
    )


@CASES.pair("id-order", "the gallery's contexts with ids renumbered, the end of sequence first")
def id_order() -> Pair:
    """0 ends a sequence, 1 is b, 2 is a."""
    target = trigram(
        3,
        {
            "": "1/4 1/4 1/2",
            "2": "1/6 1/3 1/2",
            "1": "0 1/4 3/4",
            "22": "0 3/4 1/4",
            "12": "1/3 0 2/3",
            "21": "0 4/5 1/5",
        },
    )
    drafter = bigram("1/3 1/3 1/3", "0 0 1", "1/4 1/2 1/4", "0 1/2 1/2")
    return shared(target, drafter, eos=0)


@CASES.pair("padding", "a vocabulary padded with two ids that neither side ever says")
def padding() -> Pair:
    """The gallery's base with ids 3 and 4 of probability zero."""
    return shared(context_free("1/2 3/10 1/5 0 0"), context_free("1/5 3/10 1/2 0 0"))


def named_pair(name: str) -> GalleryPair:
    """A pair by name: of the gallery, or of those defined here.

    Raises:
        UnknownPairError: for any other name.
    """
    for shelf in (CASES, REQUESTS):
        if name in shelf.builders and name not in GALLERY:
            return shelf.builders[name]()
    return gallery_pair(name)


def random_pair(number: int, seed: int) -> GalleryPair:
    """The ``number``-th random pair of ``seed``: two to four ids, laws of one to three ids back."""
    size = 2 + (number + seed) % 3
    base = 1_000_003 * seed + 2 * number
    order = 1 + number % 3
    zeros_ = ("0", "0", "1/4")[number // 3 % 3]
    return GalleryPair(
        f"random:{seed}:{number}",
        "drawn at random",
        shared(
            NgramModel.from_seed(size, order, base, zeros=zeros_),
            NgramModel.from_seed(size, max(order - 1, 1), base + 1, zeros=zeros_),
        ),
        (0,),
    )

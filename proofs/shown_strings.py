"""What establishes the claims on exact match, SLEM and SLRS; see `claims_strings`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..audit.examples import EXAMPLES
from ..audit.laws import Laws
from ..reference.distribution import ExactDistribution, total_variation
from ..reference.enumeration import branches
from ..reference.exact import ONE, ZERO, Rational, rational
from ..reference.exact_match import exact_match_round
from ..reference.lattice import count_segmentations, token_lattice
from ..reference.models import Ids
from ..reference.pair import Pair
from ..reference.programs import program, slrs
from ..reference.psi import psi
from ..reference.slem import slem_round
from ..reference.slrs import slrs_round
from ..reference.stop_rules import Characters, Fixed, StopRule
from ..toymodels.gallery import gallery, gallery_pair
from ..toymodels.models import NgramModel
from ..toymodels.tokenizers import greedy
from . import checks, exhaustion
from .ledger import ClaimError

_SIZES = [(total, drafts) for total in range(2, 6) for drafts in (1, 2)]


def smallest(name: str) -> Iterator[str]:
    """The smallest pair of mutually expressible vocabularies on which an example is lossy."""
    found = exhaustion.smallest(EXAMPLES[name].program, _SIZES, applies=exhaustion.expressible)
    if found is None:
        raise ClaimError(f"{name} is exact on every pair tried")
    yield f"smallest, of vocabularies that spell each other: {found}"


def retokenized() -> Iterator[str]:
    """A context rewritten as T(text), and the same pair without that."""
    home = gallery_pair("retokenized")
    laws = Laws(EXAMPLES["retokenized-context"].program(1), home.pair)
    worst = max(
        (
            (
                total_variation(
                    laws.due_law(c, laws.round_law(c).longest), laws.completed_round(c)
                ),
                c,
            )
            for c, _ in laws.contexts(home.prompt, 2)
        ),
        key=lambda each: each[0],
    )
    if not worst[0]:
        raise ClaimError("rewriting the context changed nothing")
    yield f"on retokenized, after {worst[1]}: off by {worst[0]} when ids become T(text)"
    yield from checks.lossless_on_gallery("slem", "fixed:1", 2, ("retokenized",))


def retokenized_harmless() -> Iterator[str]:
    """Where p agrees at c and at T(text of c) for every c that is reached, nothing changes."""
    agree = differ = 0
    for each in gallery():
        laws = Laws(EXAMPLES["retokenized-context"].program(1), each.pair)
        pair = each.pair
        for context, _ in laws.contexts(each.prompt, 2):
            try:
                again = pair.target_tokenizer.encode(pair.target_tokenizer.decode(context))
            except ValueError:
                again = context
            law = laws.round_law(context)
            if law.error:
                continue
            same = laws.due_law(context, law.longest) == laws.due_law(again, law.longest)
            off = total_variation(laws.due_law(context, law.longest), laws.completed_round(context))
            if same and off:
                raise ClaimError(f"{each.name} after {context}: p agrees, and yet off by {off}")
            agree, differ = agree + same, differ + (off > 0)
    yield f"p agrees at {agree} contexts of the gallery, all exact; off at {differ} of the others"


def match_symbolic() -> Iterator[str]:
    """Exact match for all positive p and q over two and three ids, and its acceptance sum p q."""
    yield from checks.symbolically_lossless("exact match", exact_match_round, [(2, 2), (3, 1)])
    yield from checks.symbolically_accepts(
        "exact match", exact_match_round, lambda p, q: p.coincidence(q), 3
    )


def composition() -> Iterator[str]:
    """T = {a, b, ab}, D = {a, b} uniform, two drafts."""
    yield from checks.exact_example(
        "composition-psi", 2, {(0,): "1/6", (1,): "1/3", (2,): "1/2"}, "1/6"
    )


def accepts_more() -> Iterator[str]:
    """SLEM accepts sum p psi, SLRS sum min(p, psi)."""
    for form in ("fixed:1", "fixed:2", "characters:2/cap:3"):
        more = 0
        for each in gallery():
            slem, slrs = (program(name, form).acceptance for name in ("slem", "slrs"))
            assert slem is not None
            assert slrs is not None
            first, second = (f(each.pair, each.prompt) for f in (slem, slrs))
            if first > second:
                raise ClaimError(f"{each.name}: SLEM accepts {first}, SLRS only {second}")
            more += second > first
        yield f"{form}: SLRS accepts at least as often on all pairs, more often on {more}"


@dataclass(frozen=True)
class UntilText:
    """Draft until the text ends with ``ending``: almost surely finite, with no bound of its own."""

    ending: str
    cap: int

    @property
    def slug(self) -> str:
        """As reports would call it."""
        return f"until:{self.ending}/cap:{self.cap}"

    def done(self, drafter_ids: Ids, text: str) -> bool:
        """Whether the text ends so, or the cap is reached."""
        return text.endswith(self.ending) or len(drafter_ids) >= self.cap


def unbounded_rule() -> Iterator[str]:
    """Drafting until b appears: exact at every cap, and psi settles as fast as the cap's mass."""
    pair = Pair(
        NgramModel.constant(["1/2", "1/4", "1/4"]),
        NgramModel.constant(["2/3", "1/3"]),
        greedy(["a", "b", "ab"]),
        greedy(["a", "b"]),
    )
    laws: dict[int, ExactDistribution[int]] = {}
    for cap in (1, 2, 3, 4, 5):
        rule = UntilText("b", cap)
        made = Laws(slrs(rule), pair)
        due = made.due_law((), made.round_law(()).longest)
        if off := total_variation(due, made.completed_round(())):
            raise ClaimError(f"cap {cap}: off by {off}")
        laws[cap] = psi(pair, (), rule)
    for cap in (1, 2, 3, 4):
        moved = total_variation(laws[cap], laws[5])
        unfinished = rational(2, 3) ** cap
        if moved > unfinished:
            raise ClaimError(f"cap {cap}: psi moves by {moved}, {unfinished} is unfinished there")
        yield f"cap {cap}: exact; psi is {moved} from that of cap 5, {unfinished} is unfinished"


def kept_draw() -> Iterator[str]:
    """Expected psi evaluations at the first position: 1 + P(proposal) wherever a rejection is."""
    for rule in (Fixed(1), Fixed(2)):
        checked = 0
        for each in gallery():
            (p,) = each.pair.target.distributions(each.prompt)
            law = psi(each.pair, each.prompt, rule)
            if p.overlap(law) == ONE or not law.mass:
                continue
            evaluations: Rational = ZERO
            for leaf in branches(
                lambda chance: slrs_round(each.pair, each.prompt, rule, chance, True)  # noqa: B023
            ):
                asked = ONE if leaf.result.candidates else ZERO
                evaluations += leaf.probability * (asked + leaf.expected_draws)
            if evaluations != 1 + law.mass:
                raise ClaimError(f"{each.name}: {evaluations} evaluations, not {1 + law.mass}")
            checked += 1
        yield f"{rule.slug}: exactly 1 + P(proposal) on {checked} pairs where one may be rejected"


def lemma() -> Iterator[str]:
    """More terms in psi(a), a token of one character, than the one that the bound allows."""
    for tokens, drafts in ((("a",), ("a", "aa")), (("a", "b"), ("a", "b", "ab"))):
        target, drafter = greedy(list(tokens)), greedy(list(drafts))
        texts = [drafter.decode((d,)) for d in range(len(drafts))]
        terms = [text for text in texts if target.encode(text)[:1] == (0,)]
        if len(terms) != 2:
            raise ClaimError(f"psi(a) has the terms {terms}")
        sums = " + ".join(f"q({text})" for text in terms)
        yield (
            f"T = {{{', '.join(tokens)}}}, D = {{{', '.join(drafts)}}}, one draft: "
            f"psi(a) = {sums}, the bound says one term"
        )
    yield "with one token a side there is one draft, and so one term: T = {a}, D = {a, aa} is least"


def true_counts() -> Iterator[str]:
    """2^(m-1) segmentations when every substring is a token, fewer otherwise."""
    for m in (1, 2, 3, 4, 5):
        text = "abcde"[:m]
        every = {text[i:j] for i in range(m) for j in range(i + 1, m + 1)}
        count = count_segmentations(token_lattice(text.encode(), greedy(sorted(every))))
        if count != 2 ** (m - 1):
            raise ClaimError(f"{m} characters: {count} segmentations")
        for left_out in sorted(every - {text}):
            fewer = greedy(sorted(every - {left_out}))
            if count_segmentations(token_lattice(text.encode(), fewer)) >= count:
                raise ClaimError(f"without {left_out} there are no fewer")
    yield "m = 1..5: 2^(m-1) segmentations with all substrings, fewer without any one of them"


def no_proposal() -> Iterator[str]:
    """Drawing from p without a proposal, and what the exact ways accept."""
    yield from checks.exact_example(
        "no-proposal-from-p", 1, {(0,): "9/20", (1,): "29/100", (2,): "13/50"}, "3/50"
    )
    p = (rational(1, 2), rational(3, 10), rational(1, 5))
    proposal = (rational(1, 10), rational(1, 10), rational(1, 2))
    residual = sum((min(a, b) for a, b in zip(p, proposal, strict=True)), ZERO)
    mass = sum(proposal, ZERO)
    conditioned = mass * sum((min(a, b / mass) for a, b in zip(p, proposal, strict=True)), ZERO)
    if (residual, conditioned) != (rational(2, 5), rational(17, 50)):
        raise ClaimError(f"acceptances {residual} and {conditioned}")
    yield f"the residual accepts {residual}; psi conditioned on a proposal only {conditioned}"


def with_every_rule(name: str) -> Iterator[str]:
    """SLEM or SLRS under four stop rules on the gallery."""
    for form in ("fixed:1", "fixed:2", "fixed:3", "characters:2/cap:3"):
        yield from checks.lossless_on_gallery(name, form, 1)


def realigned() -> Iterator[str]:
    """Realignment that is right, wrong or pointless: the law stays."""
    names = ("bpe-greedy", "merging-target", "stripping-drafter", "cleaned-context")
    for behind in (1, 2, 4):
        yield from checks.lossless_runs("slem", f"fixed:2/look-behind:{behind}", names)


def mismatch() -> Iterator[str]:
    """Two and three drafts scored by the psi of one."""
    home = gallery_pair("retokenized")
    for drafts in (2, 3):
        laws = Laws(EXAMPLES["psi-of-one-draft"].program(drafts), home.pair)
        context = home.prompt
        due = laws.due_law(context, laws.round_law(context).longest)
        off = total_variation(due, laws.completed_round(context))
        if off != rational(1, 6):
            raise ClaimError(f"{drafts} drafts: off by {off}")
        yield f"on retokenized, {drafts} drafts scored by the psi of one: off by {off}"


def unconditional() -> Iterator[str]:
    """A fresh psi for the second candidate."""
    home = gallery_pair("retokenized")
    for drafts, expected in ((2, "4/9"), (3, "17/24")):
        laws = Laws(EXAMPLES["unconditional-psi"].program(drafts), home.pair)
        worst = max(
            total_variation(laws.due_law(c, laws.round_law(c).longest), laws.completed_round(c))
            for c, _ in laws.contexts(home.prompt, 4)
        )
        if worst != rational(expected):
            raise ClaimError(f"{drafts} drafts: off by {worst}, not {expected}")
        yield f"on retokenized, {drafts} drafts: off by {worst} at the worst context"


_TEXTS: tuple[tuple[tuple[str, ...], tuple[str, ...], StopRule], ...] = (
    (("a", "b", "ab"), ("a", "b"), Fixed(2)),
    (("a", "b"), ("a", "b", "ab"), Fixed(1)),
    (("a", "b", "ab"), ("a", "b"), Characters(2, 3)),
)


def symbolic_strings(name: str, one_token: bool = False) -> Iterator[str]:
    """SLEM or SLRS over small vocabularies, for all positive p and q, psi a formula too."""
    from .symbolic import law_formulas
    from .symbolic_strings import symbolic_slrs, symbolic_text_pair

    for target, drafter, rule in _TEXTS:
        made = symbolic_text_pair(target, drafter)
        run = (
            symbolic_slrs(made, rule, one_token)
            if name == "slrs"
            else lambda pair, c, chance: slem_round(pair, c, rule, chance)  # noqa: B023
        )
        count = 0
        for found in law_formulas(made, run):
            if not found.result.is_lossless(found.case):
                raise ClaimError(f"{name}, T = {target}, D = {drafter}: not if {found.case}")
            count += 1
        yield (
            f"{name}, T = {{{', '.join(target)}}}, D = {{{', '.join(drafter)}}}, {rule.slug}: "
            f"lossless in each of {count} cases, for all positive p and q"
        )

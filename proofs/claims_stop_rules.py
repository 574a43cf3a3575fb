"""The ledger's entries on stop rules, versions of psi, and block verification of candidates."""

from __future__ import annotations

from functools import partial

from . import shown_spelled as spelled
from . import shown_stop_rules as shown
from . import shown_words as words
from .ledger import INSTANCES, PROVED, REFUTED, Check, Claim

_SCIPY = ("scipy",)
_ANY_RULE = ("StopRules.slrs_any_stop_rule_lossless", "BlockVerification.block_slrs_lossless")


def _rule(name: str, words: str, symbols: str, why: str, slug: str, *more: Check) -> Claim:
    """A stop rule: what it is, and that every string-level algorithm is lossless under it."""
    forms = "SLRS with one token, several and by blocks, and SLEM, on the gallery"
    return Claim(
        f"rule-{name}",
        "strings",
        words,
        symbols,
        "ours; Algorithm 3's lookahead indicator",
        PROVED,
        why,
        theorems=_ANY_RULE,
        answers=2,
        checks=(Check("instances", forms, partial(shown.lossless_under, slug)), *more),
    )


CLAIMS = (
    _rule(
        "characters",
        "Drafting until the text has n characters is lossless.",
        "stop when |text| >= n, or after the cap",
        "The rule looks at the draft alone; the theorem is for every such rule.",
        "characters:2/cap:3",
    ),
    _rule(
        "tokens",
        "Drafting until T(text) has n ids is lossless.",
        "stop when |T(text)| >= n, or after the cap",
        "T(text) is a function of the draft. That T may cut the text otherwise once it goes on is "
        "part of what psi is the law of.",
        "tokens:2/cap:3",
    ),
    _rule(
        "determined",
        "Drafting until the first n target tokens can no longer change is lossless; of tokenizers "
        "whose boundaries are stable, when that is so is known exactly.",
        "T(s w) begins with T(s), or with T(s[:j]) and a token across the end of s",
        "A continuation puts a boundary at the end of the text, or one token across it. Stability "
        "says how the encoding then begins, and each of these beginnings occurs.",
        "determined:1/cap:3",
        Check("instances", "what is certain, by trying continuations", shown.certain_ids),
    ),
    Claim(
        "bpe-neighbours",
        "strings",
        "Under byte-pair encoding tokens are the encoding of their text if and only if each two "
        "neighbours are the encoding of theirs, and a merge rules two neighbours out exactly if "
        "it comes before the merges that use its parts up. Not so under longest match.",
        "T(t_1 .. t_n) = t_1..t_n <=> T(t_i t_(i+1)) = t_i t_(i+1) for all i",
        "ours, for stop rules on real tokenizers; used by others in the same way",
        INSTANCES,
        "What is merged within a token does not depend on others until a merge takes place across "
        "a boundary, and the first such merge is between last and first parts of two neighbours.",
        checks=(
            Check("instances", "all lists of up to three merges of a and b", words.neighbours),
            Check("instances", "by ranks, with no encoding", words.by_ranks),
        ),
    ),
    _rule(
        "lookup",
        "Proposing the text up to the first draft boundary at which it is a token of T is "
        "lossless, whatever T would make of that text; psi(t) is then a sum over spellings of t.",
        "psi(t) = sum over spellings of t in drafts, no proper beginning in T, of prod q",
        "Which tokens are proposed is a function of the draft; the theorem is for every function. "
        "A draft proposes t first exactly if it spells t and stopped nowhere before.",
        "lookup:2/cap:3",
        Check("instances", "psi from the spellings of each token", shown.lookup_sums),
    ),
    _rule(
        "longest",
        "Proposing the longest tokens of T between draft boundaries is lossless.",
        "t_1 the last boundary at which the text is in T, t_2 from there, ..",
        "As for lookup: another function of the draft.",
        "longest:2",
    ),
    Claim(
        "slrs-spelled",
        "strings",
        "SLRS whose drafter spells target tokens is lossless, and psi of a token is one product.",
        "psi(t) = prod of the draws along the spelling of t, times the probability to stop there",
        "ours",
        INSTANCES,
        "Given all that was drafted before, each candidate was drawn from the law that scores it. "
        "A token has one spelling, so one way leads to it (two where a space may be given back).",
        checks=(
            Check("instances", "one and two tokens a round", spelled.one_by_one),
            Check("instances", "psi against the law of the program", spelled.products),
        ),
    ),
    Claim(
        "slrs-spelled-block",
        "strings",
        "SLRS whose drafter spells target tokens is lossless with block verification too, without "
        "a sum over T, and keeps no fewer tokens than one by one.",
        "pass: x from p_(i+1), kept with P_i - psi(x)/p(x); fail: 1 - P_i; h_K = P_K, then p",
        "ours; Sun et al. 2403.10444 for one vocabulary",
        INSTANCES,
        "Given all that was drafted before, each candidate was drawn from the law that scores it, "
        "which is all that claim slrs-block asks for. Behind the last of K tokens psi is 0, so "
        "that h is P_K; a spelling that comes to nothing is an outcome with p = 0.",
        checks=(
            Check("instances", "one and two tokens a round", spelled.blocks_lossless),
            Check("instances", "against token by token", spelled.blocks_keep_more),
        ),
    ),
    Claim(
        "slrs-block",
        "strings",
        "SLRS with block verification is lossless, if psi_(m+1) after the last candidate is used "
        "like every other.",
        "h_i = Z/(Z + 1 - P_i) for i = 0..m, then (P_tau p - psi_tau)+",
        "ours; Sun et al. 2403.10444 for one vocabulary",
        PROVED,
        "That the proposal ends is one more outcome, on which p is 0. Block verification's proof "
        "asks only that each candidate was drawn from the law that scores it.",
        theorems=("BlockVerification.block_slrs_lossless",),
        checks=(
            Check("instances", "eight rules on the gallery", shown.blocks_lossless),
            Check("instances", "against token by token", shown.blocks_accept_more),
        ),
    ),
    Claim(
        "slrs-block-bonus",
        "strings",
        "When all candidates are kept, the next token may be a bonus from p, as over one "
        "vocabulary.",
        "h_m = P_m, then p",
        "block verification as it stands for token-level drafts",
        REFUTED,
        "Where a proposal can also be the beginning of a longer one, that it ended says something, "
        "and what psi leaves of p is due.",
        corrected="use psi_(m+1) as everywhere: claim slrs-block; exact as written where no "
        "proposal is the beginning of another",
        checks=(Check("counterexample", "on end-in-drafter-only", shown.bonus),),
    ),
    Claim(
        "slrs-block-without-sums",
        "strings",
        "Tossing 'a draw x from p_(i+1) is kept with P_i - psi(x)/p(x)' against 'fail with 1 - "
        "P_i' until one shows decides block verification's coin i and draws its final token, with "
        "one evaluation of psi on average.",
        "Z/(Z + 1 - P) = P(pass wins); P(it comes to i) / (Z + 1 - P) = 1",
        "ours",
        INSTANCES,
        "Pass has probability Z, fail 1 - P, each time. Given t_1..t_i, tau is above i with "
        "probability P_i - Z, so that it comes to i with probability Z + 1 - P_i: the same as the "
        "chance that a toss ends. The two cancel, as for kept draws.",
        checks=(Check("instances", "six rules on the gallery", shown.without_sums),),
    ),
    Claim(
        "slrs-ceiling",
        "strings",
        "Given the candidates and one target pass over them, no lossless rule accepts more on "
        "average than SLRS with block verification.",
        "R(v x) <= min(P(c begins with v x), R(v) p(x | v))",
        "ours; Sun et al. show it for one vocabulary",
        INSTANCES,
        "What is accepted begins with v x no more often than the candidates do, nor than p allows "
        "behind v. Block verification attains both at every v, from the front on. The bound is "
        "argued on the page, and certified by rational dual values pair by pair.",
        checks=(Check("instances", "six rules on the gallery", shown.ceilings, _SCIPY),),
    ),
    Claim(
        "psi-versions",
        "strings",
        "The tree of drafts, merging drafts with one future, following one token at a time, and "
        "products for byte-level drafters give psi and every psi_k.",
        "psi_(k+1)(t | u) = M(u t) / M(u), M(u) = P(the candidates begin with u)",
        "ours",
        INSTANCES,
        "Each leaves out only what is settled: drafts that are sure to begin with u, or sure not "
        "to, or that cannot differ from another any more.",
        checks=(
            Check("instances", "six rules on the gallery", shown.versions_agree),
            Check("instances", "byte-level drafters of the gallery", shown.products_agree),
        ),
    ),
    Claim(
        "psi-bounds",
        "strings",
        "Deciding a coin as soon as bounds on psi allow gives the decision of psi itself.",
        "low <= psi <= high: u < p/high accepts, u >= p/low rejects",
        "ours",
        INSTANCES,
        "Both tests are monotonous in psi. The bounds are the mass of drafts that are settled one "
        "way, and all but that of those settled the other way.",
        checks=(Check("instances", "coins at and between all bounds", shown.decisions_agree),),
    ),
)

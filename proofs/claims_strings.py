"""The ledger's entries on exact match, SLEM and SLRS."""

from __future__ import annotations

from . import checks
from . import shown_strings as shown
from .ledger import CORRECTED, INSTANCES, PROVED, REFUTED, Check, Claim

_Z3 = ("z3",)

CLAIMS = (
    Claim(
        "exact-match",
        "strings",
        "Emitting fresh draws from p as long as they equal the candidates is lossless, whatever "
        "proposes the candidates.",
        "for every law of candidates: block, completed ~ p",
        "Algorithm 2's last step; reported as a fault of several engines, wrongly",
        PROVED,
        "Every emitted token is a fresh draw from p given the tokens emitted so far. Where to stop "
        "depends on what is already emitted and on the candidates, not on what comes.",
        theorems=(
            "ExactMatch.match_lossless",
            "ExactMatch.exact_match_lossless",
        ),
        checks=(
            Check("symbolic", "for all positive p and q", shown.match_symbolic, _Z3),
            Check(
                "instances", "on the gallery", lambda: checks.lossless_on_gallery("exact-match", 3)
            ),
        ),
    ),
    Claim(
        "slem",
        "strings",
        "SLEM is lossless for all tokenizers, injective or not, any realignment and any lookahead.",
        "for every map from text to candidates: block, completed ~ p",
        "Section 3.1; the review objects that only injective tokenizers are argued for",
        PROVED,
        "SLEM is exact match with candidates that are a function of the drafter's own randomness "
        "and of the past. Tokenizers and realignment only shape that function. Nothing that is "
        "emitted ever passes through text.",
        theorems=(
            "ExactMatch.slem_lossless",
            "ExactMatch.realigned_slem_lossless",
        ),
        answers=1,
        checks=(
            Check(
                "symbolic",
                "small vocabularies, for all positive p and q",
                lambda: shown.symbolic_strings("slem"),
                _Z3,
            ),
            Check(
                "instances",
                "on the gallery, 12 pairs of which have a non-injective tokenizer",
                lambda: shown.with_every_rule("slem"),
            ),
            Check(
                "instances",
                "realignment over windows of 1, 2 and 4 ids, whole runs",
                shown.realigned,
            ),
        ),
    ),
    Claim(
        "slem-retokenized",
        "strings",
        "SLEM stays lossless when the emitted ids are replaced by T(their text) between rounds.",
        "p(. | T(text(c))) = p(. | c)",
        "what decoders that pass text between rounds rely on",
        CORRECTED,
        "The target then answers for other ids than were emitted. That is harmless only where its "
        "law at both is the same.",
        theorems=("ExactMatch.retokenizing_breaks_exactly_when",),
        corrected="a round is exact at c if p(. | T(text(c)) x) = p(. | c x) for all continuations "
        "x of the block",
        answers=1,
        checks=(
            Check("counterexample", "on retokenized", shown.retokenized),
            Check(
                "instances", "the corrected statement, on the gallery", shown.retokenized_harmless
            ),
        ),
    ),
    Claim(
        "theorem-3.1",
        "strings",
        "SLEM accepts its first candidate with probability sum p psi; SLRS accepts at least as "
        "often, with sum min(p, psi).",
        "sum p psi <= sum min(p, psi)",
        "Theorem 3.1, in both readings (its exact wording was not found), and Table 3",
        PROVED,
        "A fresh draw from p equals the candidate t with probability p(t) psi(t), and a product of "
        "two numbers in [0, 1] is at most the smaller.",
        theorems=(
            "StringLevel.slem_acceptance",
            "StringLevel.slrs_acceptance",
            "StringLevel.slrs_accepts_at_least_slem",
        ),
        checks=(
            Check(
                "instances",
                "SLEM's formula on the gallery",
                lambda: checks.acceptance_on_gallery("slem", "fixed:2"),
            ),
            Check(
                "instances",
                "SLRS's formula on the gallery",
                lambda: checks.acceptance_on_gallery("slrs", "fixed:2"),
            ),
            Check("instances", "SLRS at least SLEM", shown.accepts_more),
        ),
    ),
    Claim(
        "slrs",
        "strings",
        "SLRS is lossless under any stop rule with a cap, if psi is the law of the first target "
        "token under that same rule.",
        "min(p, psi) + (p - psi)+ = p",
        "Theorem 3.2, stated there for a fixed number of drafts",
        PROVED,
        "psi may be any sub-stochastic law: the theorem asks only that the candidate was drawn "
        "from the psi that scores it. How long the draft was is part of what psi sums over.",
        theorems=(
            "StopRules.slrs_any_stop_rule_one_token",
            "StopRules.psi_sums_over_drafts",
        ),
        answers=2,
        checks=(
            Check(
                "symbolic",
                "small vocabularies, for all positive p and q",
                lambda: shown.symbolic_strings("slrs", one_token=True),
                _Z3,
            ),
            Check("instances", "four rules on the gallery", lambda: shown.with_every_rule("slrs")),
        ),
    ),
    Claim(
        "slrs-unbounded-rules",
        "strings",
        "A rule that almost surely ends, without a bound, leaves SLRS lossless.",
        "psi_N -> psi, |psi_N - psi| <= P(not done after N drafts)",
        "Theorem 3.2 as the algorithm runs it: it stops at a random time",
        INSTANCES,
        "Under a cap N the round is exact (claim slrs). Two caps give drafts that differ only "
        "where neither is done, so psi_N is a Cauchy sequence, its limit is the law of the first "
        "token under the rule, and the one-token identity holds for it as for any law. The limit "
        "is argued here, not machine-checked.",
        answers=2,
        checks=(Check("instances", "drafting until a character appears", shown.unbounded_rule),),
    ),
    Claim(
        "slrs-several-tokens",
        "strings",
        "Verifying t_2 against psi_2(. | t_1), t_3 against psi_3(. | t_1 t_2) and so on is "
        "lossless; 'no further token' is an outcome on which p is 0.",
        "psi_k(t | t_<k) = P(t_k = t | t_1..t_(k-1)), sub-stochastic",
        "ours; the box emits one token",
        PROVED,
        "Each position is the one-token theorem at its own context, for the law of the next "
        "candidate given those accepted.",
        theorems=(
            "StopRules.slrs_any_stop_rule_lossless",
            "StringLevel.chain_rule",
        ),
        checks=(
            Check(
                "symbolic",
                "small vocabularies, several tokens",
                lambda: shown.symbolic_strings("slrs"),
                _Z3,
            ),
            Check(
                "instances",
                "three drafts on the gallery",
                lambda: checks.lossless_on_gallery("slrs", "fixed:3", 1),
            ),
        ),
    ),
    Claim(
        "psi-by-composition",
        "strings",
        "psi(t) may be computed by summing over all ways to compose t of drafter tokens.",
        "psi(t) = sum over d_1..d_n with d_1 (+) .. (+) d_n = t of prod q",
        "Lemma 3.1 read as a recipe",
        REFUTED,
        "A draft that spells t and goes on may be cut otherwise by T, and a draft whose text only "
        "begins with t may be cut so that t comes first. The sum is no law: it can exceed one.",
        theorems=(
            "Counterexamples.composition_counts_sum_to_five_quarters",
            "Counterexamples.composition_counts_are_lossy",
        ),
        corrected="psi is the law of T(draft)'s first token under the stop rule in use",
        answers=3,
        checks=(
            Check("counterexample", "on composition", shown.composition),
            Check("minimality", "by exhaustion", lambda: shown.smallest("composition-psi")),
        ),
    ),
    Claim(
        "psi-of-another-rule",
        "strings",
        "Drafts may be scored with the psi of another number of drafts.",
        "psi of i' drafts for i drafts",
        "a reading of Theorem 3.2's fixed lookahead",
        REFUTED,
        "The q that scores is then not the q that drew.",
        theorems=("Counterexamples.mismatched_stop_rule_is_lossy",),
        corrected="psi belongs to the rule that ended the draft",
        answers=2,
        checks=(
            Check("counterexample", "on retokenized", shown.mismatch),
            Check("minimality", "by exhaustion", lambda: shown.smallest("psi-of-one-draft")),
        ),
    ),
    Claim(
        "psi-unconditional",
        "strings",
        "The second candidate may be scored by a fresh psi at the longer context.",
        "psi(. | c t_1) for psi_2(. | t_1)",
        "a natural extension of Algorithm 3 to several tokens",
        REFUTED,
        "That t_1 was the first candidate says something about the draft, and so about t_2.",
        theorems=(
            "Counterexamples.unconditional_psi_is_lossy",
            "Counterexamples.conditional_psi_is_lossless",
        ),
        corrected="psi_2 is conditional on the draft having begun with t_1",
        checks=(
            Check("counterexample", "on retokenized", shown.unconditional),
            Check("minimality", "by exhaustion", lambda: shown.smallest("unconditional-psi")),
        ),
    ),
    Claim(
        "no-proposal-from-p",
        "strings",
        "When a draft yields no candidate, the token may be drawn from p.",
        "psi unconditioned, then p",
        "the obvious fallback",
        REFUTED,
        "'No proposal' happens with probability 1 - sum psi, and what psi leaves of p is then due, "
        "not p.",
        theorems=(
            "Counterexamples.no_proposal_then_p_is_lossy",
            "Counterexamples.no_proposal_then_residual",
        ),
        corrected="draw from the residual (p - min(p, psi)) / (1 - sum min(p, psi)), as after a "
        "rejection; conditioning psi on a proposal and drawing from p is exact too, and accepts "
        "less",
        checks=(
            Check("counterexample", "on no-proposal", shown.no_proposal),
            Check("minimality", "by exhaustion", lambda: shown.smallest("no-proposal-from-p")),
        ),
    ),
    Claim(
        "kept-draw",
        "strings",
        "Drawing t from p and keeping it with probability max(0, 1 - psi(t)/p(t)), repeatedly, "
        "gives the residual; the position then costs 1 + P(proposal) evaluations of psi on "
        "average, wherever a rejection is possible.",
        "p (1 - psi/p)+ = (p - psi)+; E[evaluations] = 1 + P(proposal)",
        "ours",
        PROVED,
        "A draw is kept with probability 1 - sum min(p, psi), which is also the probability of "
        "needing one: the two cancel, whatever the size of the vocabulary. The law satisfies x = "
        "kept + (1 - kept mass) x.",
        theorems=(
            "KeptDraw.kept_mass_is_rejection",
            "KeptDraw.kept_draw_fixed_point",
            "KeptDraw.kept_draws_expected",
        ),
        checks=(Check("instances", "evaluations on the gallery", shown.kept_draw),),
    ),
    Claim(
        "lemma-3.1",
        "strings",
        "psi(t) has at most 2^(m-1) terms for a token of m characters.",
        "|{drafts counted in psi(t)}| <= 2^(m-1)",
        "Lemma 3.1",
        CORRECTED,
        "It counts the ways to compose t exactly. The box's psi counts drafts whose text T cuts "
        "with t first, and they may go on after t.",
        theorems=("Counterexamples.lemma_31_is_false_for_the_box",),
        corrected="t has at most 2^(m-1) segmentations into drafter tokens, and exactly that many "
        "when every substring is one; psi(t) has a term for every draft that T cuts with t first",
        answers=3,
        checks=(
            Check("counterexample", "two terms for one character", shown.lemma),
            Check("instances", "the true counts", shown.true_counts),
        ),
    ),
)

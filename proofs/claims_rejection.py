"""Claims about standard speculative decoding, block verification, and runs of rounds."""

from __future__ import annotations

from ..reference.block_verification import block_round
from ..reference.standard import standard_round
from . import checks
from . import shown_rejection as shown
from .ledger import CORRECTED, PROVED, REFUTED, Check, Claim

_Z3 = ("z3",)
_LEVIATHAN = "Algorithm 5; Leviathan et al. 2211.17192, Chen et al. 2302.01318"

CLAIMS = (
    Claim(
        "standard-one-token",
        "rejection",
        "One token by speculative sampling has the target's law, whatever the drafter's law is.",
        "q(x) min(1, p(x)/q(x)) + (1 - sum min(p, q)) residual(x) = p(x)",
        _LEVIATHAN,
        PROVED,
        "A draft x survives with probability min(p(x), q(x)). What is rejected in all is 1 - sum "
        "min(p, q), exactly the mass of p that min(p, q) leaves over, and the residual is that "
        "left-over law: the two add up to p.",
        theorems=(
            "StandardRule.standard_token_lossless",
            "StandardRule.residual_well_defined",
        ),
        checks=(
            Check(
                "symbolic",
                "for all positive p and q over two, three ids",
                lambda: checks.symbolically_lossless("standard", standard_round, [(2, 1), (3, 1)]),
                _Z3,
            ),
            Check("instances", "on the gallery", lambda: checks.lossless_on_gallery("standard", 1)),
        ),
    ),
    Claim(
        "standard-block",
        "rejection",
        "A block of drafts, each tested in turn, completed by the target, has the target's joint "
        "law; p, q and the number of drafts may depend on the context.",
        "P(block, completed) = prod p(. | prefix)",
        _LEVIATHAN,
        PROVED,
        "Take any function of the finished string whose expectation under the target does not "
        "change when one more token is drawn. One tested draft keeps that expectation, by the "
        "one-token theorem at its own context; so does every further one, by induction.",
        theorems=("Block.standard_block_lossless",),
        checks=(
            Check(
                "symbolic",
                "for all positive, context-dependent p and q, two ids, two drafts",
                lambda: checks.symbolically_lossless("standard", standard_round, [(2, 2)]),
                _Z3,
            ),
            Check("instances", "on the gallery", lambda: checks.lossless_on_gallery("standard", 3)),
        ),
    ),
    Claim(
        "rounds-to-runs",
        "rejection",
        "If a round is lossless at every context, never empty and without carried state, a run of "
        "any number of rounds is lossless.",
        "(for all c: round at c ~ p) => run ~ p^n",
        "design of this audit; used for Algorithms 1 to 5",
        PROVED,
        "Induction over rounds: what a round leaves to be drawn is drawn by rounds that are "
        "lossless at the longer context.",
        theorems=(
            "Run.run_lossless",
            "Run.stopping_run_lossless",
            "Run.standard_run_lossless",
        ),
        checks=(
            Check(
                "instances",
                "runs on the gallery, and a wrong round",
                shown.one_round_suffices,
            ),
        ),
    ),
    Claim(
        "standard-acceptance",
        "rejection",
        "The first draft is accepted with probability sum min(p, q).",
        "P(accept) = sum_x min(p(x), q(x))",
        "Table 3; Leviathan et al.",
        PROVED,
        "The draft x is drawn and accepted with probability q(x) min(1, p(x)/q(x)) = min(p, q)(x).",
        theorems=("StandardRule.standard_token_acceptance",),
        checks=(
            Check(
                "symbolic",
                "for all positive p and q over three ids",
                lambda: checks.symbolically_accepts(
                    "standard", standard_round, lambda p, q: p.overlap(q), 3
                ),
                _Z3,
            ),
            Check(
                "instances", "on the gallery", lambda: checks.acceptance_on_gallery("standard", 2)
            ),
        ),
    ),
    Claim(
        "expected-tokens",
        "rejection",
        "A round of k drafts gives (1 - a^(k+1)) / (1 - a) tokens on average, a being the "
        "acceptance rate.",
        "E[tokens] = (1 - a^(k+1)) / (1 - a)",
        "Leviathan et al., under independent and identical acceptances",
        CORRECTED,
        "The formula sums a^j, the probability that j independent drafts are all accepted. Where "
        "what follows depends on what was drafted, that is another number.",
        theorems=(
            "AcceptedTokens.expected_tokens_with_equal_acceptance",
            "AcceptedTokens.expected_tokens_closed_form",
        ),
        corrected="E[tokens] = sum_{j=0..k} P(the first j drafts are accepted); it is the formula "
        "exactly when these probabilities are a^j",
        checks=(
            Check(
                "counterexample",
                "acceptances that depend on each other",
                shown.expected_tokens,
            ),
            Check("instances", "the corrected sum, on the gallery", shown.tokens_by_survival),
        ),
    ),
    Claim(
        "coupling-bound",
        "rejection",
        "No lossless rule that emits one token accepts its proposal more often than sum min(p, "
        "law of the proposal); the standard rule attains it.",
        "P(emitted = proposed) <= sum_x min(p(x), psi(x))",
        "known (maximal coupling); stated here for sub-stochastic proposals",
        PROVED,
        "For each x, emitting x because x was proposed has at most the probability of proposing x, "
        "and at most that of emitting x.",
        theorems=(
            "CouplingBound.coupling_bound",
            "CouplingBound.coupling_bound_attained",
            "CouplingBound.standard_rule_attains_the_bound",
        ),
        checks=(
            Check(
                "symbolic",
                "the standard rule attains it, exact match does not",
                shown.who_attains_the_bound,
                _Z3,
            ),
        ),
    ),
    Claim(
        "resample-from-p",
        "rejection",
        "After a rejection the token may be drawn from p itself.",
        "min(p, q) + (1 - sum min(p, q)) p = p",
        "seen in several implementations (docs/faults.md, T1)",
        REFUTED,
        "What was accepted already favours tokens that q favours; only the residual makes up for "
        "it.",
        corrected="the residual (p - min(p, q)) / (1 - sum min(p, q)) is the only law that does",
        checks=(
            Check(
                "counterexample",
                "on base",
                lambda: checks.exact_example(
                    "resample-from-p", 1, {(0,): "7/20", (1,): "39/100", (2,): "13/50"}, "3/20"
                ),
            ),
            Check(
                "minimality",
                "two ids and one draft are needed, and found by z3",
                lambda: checks.needs_this_size("resample from p", shown.RESAMPLE, 2, 1),
                _Z3,
            ),
            Check(
                "minimality",
                "the smallest denominator, by enumeration",
                lambda: checks.smallest_denominator("resample from p", shown.RESAMPLE, 2, 1),
            ),
        ),
    ),
    Claim(
        "block-verification",
        "rejection",
        "Block verification is lossless.",
        "P(block, completed) = prod p(. | prefix)",
        "Sun et al. 2403.10444",
        PROVED,
        "Given x_1..x_i, at least i drafts are kept with probability P_i = min(1, P_{i-1} p/q); "
        "what follows them has the target's law whether it is a draft or drawn at the end.",
        theorems=(
            "BlockVerification.block_verification_lossless",
            "BlockVerification.block_slrs_lossless",
        ),
        checks=(
            Check(
                "symbolic",
                "for all positive, context-dependent p and q over two ids",
                lambda: checks.symbolically_lossless("block", block_round, [(2, 1), (2, 2)]),
                _Z3,
            ),
            Check("instances", "on the gallery", lambda: checks.lossless_on_gallery("block", 3)),
        ),
    ),
    Claim(
        "block-accepts-at-least",
        "rejection",
        "Block verification accepts at least as many tokens per block as token by token.",
        "E[tau_block] >= E[tau_token]",
        "Sun et al. 2403.10444",
        PROVED,
        "P_i compares the product of ratios with one, at each step cut at one: a draft that was "
        "more likely than needed early may pay for one that is less likely later.",
        theorems=("AcceptedTokens.block_never_below_token_wise",),
        checks=(
            Check("counterexample", "where the two differ", shown.block_toy),
            Check(
                "symbolic",
                "for all positive p and q over two ids, two drafts",
                shown.block_symbolic,
                _Z3,
            ),
            Check("instances", "on the gallery", shown.block_never_below),
        ),
    ),
    Claim(
        "relaxed-error",
        "rejection",
        "A rule that accepts with another probability and keeps the residual is off by at most the "
        "acceptance that it adds.",
        "TV <= sum_x q(x) |accept(x) - min(1, p(x)/q(x))|",
        "ours",
        PROVED,
        "The law is q accept + (1 - sum q accept) residual; its difference from p is q (accept - "
        "due), less its sum times the residual, and half the sum of absolute values of that is at "
        "most the sum.",
        theorems=("Relaxed.relaxed_bias_bound",),
        checks=(Check("instances", "lenient ratios, all small laws", shown.relaxed_error),),
    ),
)

"""Claims about the token-level algorithms over two vocabularies, and about their descendants."""

from __future__ import annotations

from . import checks
from . import shown_vocabularies as shown
from .ledger import CORRECTED, PROVED, REFUTED, Check, Claim

CLAIMS = (
    Claim(
        "union",
        "vocabularies",
        "Algorithm 1, standard decoding over T u D with laws extended by zero, is lossless and "
        "accepts sum over T n D of min(p, q).",
        "P(accept) = sum_(T n D) min(p, q)",
        "Algorithm 1 and Table 3",
        PROVED,
        "Extending by zero changes neither law; a draft outside T has p = 0 and is rejected.",
        theorems=(
            "TokenLevelIntersection.union_over_ids_lossless",
            "Block.union_acceptance",
        ),
        checks=(
            Check("instances", "on the gallery", lambda: checks.lossless_on_gallery("union", 3)),
            Check("instances", "the formula", lambda: checks.acceptance_on_gallery("union", 2)),
        ),
    ),
    Claim(
        "tli",
        "vocabularies",
        "TLI is lossless, and accepts sum over T n D of min(p, q').",
        "q' = q restricted to T n D, renormalised",
        "Theorem 4.1 and Table 3",
        PROVED,
        "It is Algorithm 5 with the law that the drafts are really drawn from.",
        theorems=(
            "TokenLevelIntersection.tli_lossless",
            "TokenLevelIntersection.masked_law",
        ),
        checks=(
            Check("instances", "on the gallery", lambda: checks.lossless_on_gallery("tli", 3)),
            Check("instances", "the formula", lambda: checks.acceptance_on_gallery("tli", 2)),
        ),
    ),
    Claim(
        "tli-many-to-one",
        "vocabularies",
        "Where several drafter ids mean one target token, q' sums their probabilities.",
        "q'(t) = sum over d with the meaning of t of q(d), renormalised",
        "ours; the paper takes ids and tokens to be one to one",
        PROVED,
        "The draft, as the target sees it, is the image of the drafter's draw; its law is the "
        "push-forward.",
        theorems=(
            "TokenLevelIntersection.tli_lossless",
            "Counterexamples.summed_preimages_are_lossless",
        ),
        checks=(
            Check(
                "instances",
                "pairs with several ids for one text",
                lambda: checks.lossless_on_gallery(
                    "tli", 2, 2, ("many-to-one", "two-ids-target", "padded")
                ),
            ),
        ),
    ),
    Claim(
        "one-preimage",
        "vocabularies",
        "A draft may be scored by the probability of its own drafter id.",
        "q(d) for q'(t)",
        "what a one-to-one map in a table computes",
        REFUTED,
        "The ratio is then p over a part of what the draft was drawn with, and too many drafts are "
        "accepted.",
        theorems=("Counterexamples.one_preimage_is_lossy",),
        corrected="sum over all preimages (claim tli-many-to-one)",
        checks=(
            Check(
                "counterexample",
                "on many-to-one, and the smallest",
                shown.one_preimage,
            ),
        ),
    ),
    Claim(
        "tli-at-least-union",
        "vocabularies",
        "TLI accepts at least as often as Algorithm 1.",
        "sum min(p, q') >= sum_(T n D) min(p, q)",
        "Theorem 4.1",
        CORRECTED,
        "Renormalising over T n D only raises q there. But filters such as top-p choose from what "
        "they are given: applied after the masking they keep more tokens.",
        theorems=(
            "TokenLevelIntersection.tli_accepts_at_least_union",
            "Counterexamples.filter_after_the_mask_accepts_less",
        ),
        corrected="true when temperature, top-k and top-p come before the masking",
        checks=(
            Check("instances", "on the gallery, no filters", shown.tli_at_least_union),
            Check(
                "counterexample",
                "top-p after the masking",
                shown.filters_after_masking,
            ),
            Check(
                "minimality",
                "by exhaustion over small laws",
                shown.smaller_filter_example,
            ),
        ),
    ),
    Claim(
        "redistribution",
        "vocabularies",
        "Redistributing the drafter's mass outside T over T is lossless.",
        "q* on T; drafts ~ q*, scored by q*",
        "RDK, arXiv 2506.03206; the paper itself was not read, only descriptions of it",
        CORRECTED,
        "Any law may score the drafts, if they were drawn from it.",
        corrected="lossless exactly as any other proposal: when the redistributed q is the law "
        "really drawn from",
        checks=(
            Check("counterexample", "scored with, not drawn from", shown.redistribution),
            Check("instances", "drawn from and scored with", shown.redistribution_drawn),
        ),
    ),
    Claim(
        "transferred-probabilities",
        "vocabularies",
        "Probabilities carried over to the target's tokens by aligning the two token sequences may "
        "stand in for q.",
        "min(1, p(t_j) / q(d_j))",
        "TokenTiming, arXiv 2510.15545, as described; the rule as published was not read, so the "
        "counterexample is to this reading of it",
        REFUTED,
        "The law of the candidates is psi, which sums over drafts; the probability of one drafter "
        "token is another number.",
        corrected="lossless where each candidate is one drafter token of the same text, or with "
        "psi in its place",
        checks=(Check("counterexample", "the smallest pair", shown.alignment),),
    ),
)

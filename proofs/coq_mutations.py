"""The mutations of `coq_controls`: theorem, text, and what it becomes.

`STATEMENTS` make a theorem false: a conclusion that does not follow, or a hypothesis dropped.
`DEFINITIONS` break an algorithm, each in a way that is known from real decoders.
"""

from __future__ import annotations

Mutation = tuple[str, str, str]

STATEMENTS: tuple[Mutation, ...] = (
    # Decoding, and the rule for one token.
    ("Decoding.martingale_lossless", "expect m g = g [::]", "True"),
    ("StandardRule.residual_well_defined", "overlap T p psi < 1", "overlap T p psi <= 1"),
    ("StandardRule.overlap_and_residual", "p x * F x)", "psi x * F x)"),
    ("StandardRule.standard_rule_lossless", "p y * F y", "psi y * F y"),
    ("StandardRule.standard_rule_acceptance", "= overlap T p psi", "= total T psi"),
    ("StandardRule.standard_token_lossless", "p y * F y", "q y * F y"),
    ("StandardRule.standard_token_acceptance", "= overlap T p q", "= overlap D p q"),
    ("CouplingBound.coupling_bound", "<=", "<"),
    ("CouplingBound.coupling_bound_attained", "Num.min (p x) (psi x)", "p x"),
    ("CouplingBound.standard_rule_attains_the_bound", "= overlap T p psi", "= total T psi"),
    # Blocks and runs.
    ("Block.standard_lossless", "scored_as_drawn d ->", "True ->"),
    ("Block.standard_block_lossless", "lossless T p c", "lossless T q c"),
    ("Block.union_lossless", "lossless T p c", "lossless T q c"),
    ("Block.union_rejects_foreign_drafts", "x \\notin T", "x \\notin D"),
    ("Block.union_acceptance", "x \\in D", "x \\notin D"),
    ("Run.run_lossless", "(n <= rounds)%N", "(n <= rounds.+1)%N"),
    ("Run.stopping_run_lossless", "(stopping_autoregressive n c)", "(autoregressive T p n c)"),
    ("Run.standard_run_lossless", "autoregressive T p n c", "autoregressive T p n [::]"),
    # Exact match and strings.
    (
        "ExactMatch.match_lossless",
        "match_candidates c candidates",
        "match_candidates [::] candidates",
    ),
    ("ExactMatch.exact_match_lossless", "lossless T p c", "lossless T p [::]"),
    ("ExactMatch.slem_lossless", "lossless T p c", "lossless T p [::]"),
    ("ExactMatch.realigned_slem_lossless", "lossless T p c", "lossless T p [::]"),
    ("ExactMatch.retokenizing_breaks_exactly_when", "begins p c s != 0 -> ", ""),
    ("StringLevel.slrs_one_token_lossless", "p c y * F y", "psi proposal y * F y"),
    ("StringLevel.slrs_acceptance", "overlap T (p c) (psi proposal)", "total T (psi proposal)"),
    ("StringLevel.slem_acceptance", "p c y * psi proposal y", "p c y"),
    ("StringLevel.slrs_accepts_at_least_slem", "y) <= overlap", "y) < overlap"),
    ("StringLevel.chain_rule", "size seen + k", "size seen + k.+1"),
    (
        "StringLevel.slrs_lossless",
        "always (fun ts : seq token => {subset ts <= T}) (propose c)",
        "True",
    ),
    ("StopRules.psi_sums_over_drafts", "ohead (re_tokenize drafts)", "ohead (re_tokenize [::])"),
    ("StopRules.slrs_any_stop_rule_one_token", "p c y * F y", "psi (propose c) y * F y"),
    (
        "StopRules.slrs_any_stop_rule_lossless",
        "(forall drafts, {subset re_tokenize drafts <= T})",
        "True",
    ),
    ("KeptDraw.kept_mass_is_rejection", "1 - overlap T p psi", "overlap T p psi"),
    ("KeptDraw.kept_draw_fixed_point", "(1 - kept_mass) * L x", "kept_mass * L x"),
    ("KeptDraw.kept_draw_in_tries", "^+ n", "^+ n.+1"),
    ("KeptDraw.kept_draws_expected", "(1 - overlap T p psi) * N", "overlap T p psi * N"),
    # TLI.
    ("TokenLevelIntersection.masked_law", "shared_mass q != 0", "True"),
    ("TokenLevelIntersection.tli_accepts_at_least_union", "<=", "<"),
    ("TokenLevelIntersection.union_over_ids_lossless", "lossless T p c", "lossless T p [::]"),
    ("TokenLevelIntersection.tli_lossless", "lossless T p c", "lossless T p [::]"),
    ("TokenLevelIntersection.block_tli_lossless", "lossless T p c", "lossless T p [::]"),
    # Block verification, counts, errors, the tie.
    ("BlockVerification.block_verification_lossless", "scored_as_drawn d ->", "True ->"),
    (
        "BlockVerification.block_slrs_lossless",
        "always (fun ts : seq token => {subset ts <= T}) (propose c)",
        "True",
    ),
    ("AcceptedTokens.expected_tokens_with_equal_acceptance", "j < k.+1", "j < k"),
    ("AcceptedTokens.expected_tokens_closed_form", "a ^+ k.+1", "a ^+ k"),
    ("AcceptedTokens.block_never_below_token_wise", "<=", "<"),
    (
        "Relaxed.relaxed_bias_bound",
        "psi x * `|alpha x - due x|",
        "psi x * `|alpha x - due x| / 2%:R",
    ),
    ("Tie.agreement", "agrees m rows ->", "True ->"),
)

DEFINITIONS: tuple[Mutation, ...] = (
    # Acceptance inflated.
    (
        "StandardRule.propose_and_accept",
        "Num.min 1 (ratio (p x) (psi x))",
        "Num.min 1 (2%:R * ratio (p x) (psi x))",
    ),
    # A residual without its positive part.
    ("StandardRule.residual_well_defined", "(p x - Num.min (p x) (psi x)) /", "(p x - psi x) /"),
    # The bonus token from the law of another context.
    ("Block.verify_keeps_martingales", "bonus <~ draw T (p c)", "bonus <~ draw T (p [::])"),
    # The next round at the old context.
    ("Run.run_lossless", "(n - size block) s' (c ++ block)", "(n - size block) s' c"),
    # The candidate emitted in the target's place.
    ("ExactMatch.match_keeps_martingales", "else Return [:: y]", "else Return [:: t]"),
    # A proposal mechanism that is no law.
    ("ExactMatch.exact_match_lossless", "forall s c, proper (propose s c)", "True"),
    # psi again where psi_k is due.
    (
        "StringLevel.begins_psi",
        "begin_with proposal (rcons seen t) / begin_with proposal seen",
        "begin_with proposal [:: t]",
    ),
    # A bonus token where the candidates end.
    ("StringLevel.chain_rule", "| [::] => [:: (None, psi_k seen)]", "| [::] => [::]"),
    # Keeping with the ratio upside down.
    ("KeptDraw.draw_and_keep", "1 - psi x / p x", "1 - p x / psi x"),
    # Drafts from q', scored by q.
    (
        "TokenLevelIntersection.draft_masked_scored_as_drawn",
        "(pushed_forward D meaning (q' read))",
        "(pushed_forward D meaning (q read))",
    ),
    # Coins with P_i in place of h_i.
    (
        "BlockVerification.judge_keeps_martingales",
        "then 1 else Z / (Z + 1 - P)",
        "then 1 else P",
    ),
)

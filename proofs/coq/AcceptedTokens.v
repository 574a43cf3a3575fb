(** * How many drafts are accepted

    A block has one token more than it has accepted drafts. Token by token, the expected number obeys
    a recursion: a draft counts if it is accepted, and then the rest of the drafts does. With the
    same acceptance a at every context, k drafts give 1 + a + .. + a^k tokens a round, which is
    (1 - a^(k+1)) / (1 - a); no independence is assumed. Block verification never accepts fewer
    drafts, in the mean, than token-wise verification of the same drafts. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions StandardRule Decoding Block BlockVerification.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section AcceptedTokens.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : seq token -> token -> R).
Hypotheses (T_uniq : uniq T) (p_law : forall c, law T (p c)).
Implicit Types (P : R) (psi : token -> R) (c b : seq token) (d : drafting R token).

Definition accepted b : R := (size b)%:R - 1.

Definition expected_accepted c d : R :=
  expect (drafts <~ draft d ;; verify T p c drafts) accepted.

Lemma accepted_more x b : accepted (x :: b) = accepted b + 1.
Proof. by rewrite /accepted subrK /= -addn1 natrD addrK. Qed.

Lemma accepted_none (weight : token -> R) : total T (fun y => weight y * accepted [:: y]) = 0.
Proof. by rewrite totalE big1 // => y _; rewrite /accepted subrr mulr0. Qed.

Lemma constant_martingale c k : martingale T p c (fun=> k).
Proof.
by move=> s; under eq_total do rewrite mulrC; rewrite total_scale (law_total (p_law _)) mulr1.
Qed.

Lemma expected_accepted_step (X : eqType) (xs : seq X) w prop psi next c :
    scored_as_drawn (Draft xs w prop psi next) ->
  expected_accepted c (Draft xs w prop psi next)
  = total xs (fun o => w o * (if prop o is Some x then
      accept_probability (p c) psi x * (expected_accepted (rcons c x) (next o) + 1) else 0)).
Proof.
move=> [ge0 one scored ok]; rewrite /expected_accepted expect_bind expect_first_draft.
apply: eq_total_seq => o oxs; congr (_ * _); have rest_ok := draft_proper (ok o oxs).
under eq_expect do rewrite expect_verify expect_rule /= accepted_none add0r.
case: (prop o) => [x|]; last exact: expect_const.
have one_is := verify_keeps_martingales T_uniq p_law (ok o oxs) (constant_martingale (rcons c x) 1).
rewrite -[X in _ + X]one_is -expect_add expect_bind -expect_scale; apply: eq_expect => rest.
by rewrite subr0; congr (_ * _); apply: eq_expect => b; rewrite accepted_more.
Qed.

Lemma expected_accepted_ge0 c d : scored_as_drawn d -> 0 <= expected_accepted c d.
Proof.
elim: d c => [|X xs w prop psi next IH] c scored.
  by rewrite /expected_accepted /= accepted_none.
rewrite (expected_accepted_step c scored); case: scored => ge0 one psi_is ok.
have proposal_ok: proper (o <~ draw xs w ;; Return (prop o)) by [].
apply: total_ge0 => o oxs; rewrite mulr_ge0 ?ge0 //; case: (prop o) => // x.
rewrite mulr_ge0 ?addr_ge0 ?ler01 ?IH //; last exact: ok.
exact: (accept_probability_ge0 (p_law c) (psi_ge0 proposal_ok psi_is x)).
Qed.

(** ** Table 3's number of tokens *)

Variables (D : seq token) (q : seq token -> token -> R).
Hypotheses (D_uniq : uniq D) (q_law : forall c, sub_law D (q c)).

(** If the acceptance is a at every context, then k drafts give 1 + a + .. + a^k tokens. *)
Theorem expected_tokens_with_equal_acceptance a k c :
    (forall c, overlap T (p c) (q c) = a) ->
  expected_accepted c (draft_tokens D q k c) + 1 = \sum_(j < k.+1) a ^+ j.
Proof.
move=> equal; elim: k c => [|k IH] c.
  by rewrite /expected_accepted /= accepted_none add0r big_ord_recl big_ord0 expr0 addr0.
rewrite expected_accepted_step; last exact: (@draft_tokens_scored_as_drawn _ _ D q k.+1 c).
rewrite big_ord_recl expr0 addrC; congr (_ + _).
under [RHS]eq_bigr do rewrite exprS.
rewrite -mulr_sumr; set tokens := \sum_(j < k.+1) a ^+ j; rewrite -[a](equal c).
rewrite -(standard_token_acceptance T_uniq (p_law c) D_uniq (q_law c)) mulrC -expect_scale.
rewrite [RHS]expect_bind; apply: eq_total => o; congr (_ * _); rewrite expect_rule.
rewrite [total _ _](_ : _ = 0); last by rewrite totalE big1 // => y _; rewrite !mulr0.
by case: o => [x|]; rewrite add0r // subr0 mulr1 IH.
Qed.

(** In closed form: (1 - a) E[tokens] = 1 - a^(k+1). *)
Theorem expected_tokens_closed_form a k c :
    (forall c, overlap T (p c) (q c) = a) ->
  (1 - a) * (expected_accepted c (draft_tokens D q k c) + 1) = 1 - a ^+ k.+1.
Proof.
move=> equal; rewrite (expected_tokens_with_equal_acceptance _ _ equal).
by rewrite -[1 - a]opprB mulNr -subrX1 opprB.
Qed.

(** ** Block verification never accepts fewer *)

Lemma judge_accepts_at_least d c P : scored_as_drawn d -> 0 <= P -> P <= 1 ->
  P * expected_accepted c d
  <= expect (drafts <~ draft d ;; judge T p c P drafts)
       (fun r => if r is Some b then accepted b else 0).
Proof.
elim: d c P => [|X xs w prop psi next IH] c P.
  by move=> _ P0 P1; rewrite /expected_accepted /= !accepted_none !mulr0 !addr0.
move=> scored P0 P1; rewrite (expected_accepted_step c scored); case: scored => ge0 one psi_is ok.
have proposal_ok: proper (o <~ draw xs w ;; Return (prop o)) by [].
rewrite expect_bind !expect_first_draft -total_scale; apply: total_le => o oxs.
rewrite mulrCA; apply: ler_wpmul2l; first exact: ge0.
have rest_ok := draft_proper (ok o oxs); case: (prop o) => [x|]; last first.
  rewrite mulr0 -[leLHS](expect_const 0 rest_ok) le_eqVlt; apply/orP; left; apply/eqP.
  by apply: eq_expect => rest; rewrite expect_judge accepted_none !mulr0 addr0.
set P' := keep_probability P (p c) psi x.
have P'0: 0 <= P' by apply: keep_probability_ge0 => //; exact: (psi_ge0 proposal_ok psi_is x).
have P'1: P' <= 1 by exact: keep_probability_le1.
have keeps: P * accept_probability (p c) psi x <= P'.
  rewrite /P' /keep_probability /accept_probability le_minr; apply/andP; split.
    rewrite mulr_ile1 ?accept_probability_le1 // (accept_probability_ge0 (p_law c)) //.
    exact: (psi_ge0 proposal_ok psi_is x).
  by apply: ler_wpmul2l => //; rewrite le_minl lexx orbT.
have A0 := expected_accepted_ge0 (rcons c x) (ok o oxs).
apply: (@le_trans _ _ (P' * (expected_accepted (rcons c x) (next o) + 1))).
  by rewrite mulrA ler_wpmul2r // addr_ge0 ?ler01.
have mass := judge_keeps_martingales T_uniq p_law 0 (ok o oxs)
  (constant_martingale (rcons c x) 1) P'0 P'1.
rewrite mulr0 addr0 mulr1 in mass; rewrite mulrDr mulr1 -[X in _ + X <= _]mass.
apply: le_trans (ler_add (IH o (rcons c x) P' (ok o oxs) P'0 P'1) (lexx _)) _.
rewrite -expect_add [leLHS]expect_bind le_eqVlt; apply/orP; left; apply/eqP.
apply: eq_expect => rest; rewrite expect_judge; apply: eq_expect => -[b|].
  by rewrite accepted_more.
by rewrite accepted_none !mulr0 addr0.
Qed.

Theorem block_never_below_token_wise d c : scored_as_drawn d ->
  expected_accepted c d <= expect (drafts <~ draft d ;; verify_block T p c drafts) accepted.
Proof.
move=> scored; have := judge_accepts_at_least c scored ler01 (lexx _); rewrite mul1r.
move=> /le_trans; apply.
have none := judge_keeps_martingales T_uniq p_law 1 scored (constant_martingale c 0) ler01 (lexx _).
rewrite mulr0 add0r subrr mul0r in none.
suff -> : expect (drafts <~ draft d ;; verify_block T p c drafts) accepted
    = expect (drafts <~ draft d ;; judge T p c 1 drafts)
        (fun r => if r is Some b then accepted b else 0)
      - expect (drafts <~ draft d ;; judge T p c 1 drafts) (fun r => if r is Some _ then 0 else 1).
  by rewrite none subr0.
rewrite -expect_sub !expect_bind; apply: eq_expect => drafts.
by rewrite expect_bind; apply: eq_expect => -[b|] //=; rewrite subr0.
Qed.

End AcceptedTokens.

(** * Block verification

    Sun et al. 2403.10444: the drafts are judged together. P_i = min(1, P_(i-1) p_i(x_i)/q_i(x_i)) is
    the probability that x_1..x_i are all kept; every i has a coin of its own, and the last i whose
    coin passes is where the block is cut; then one token follows, from p when all are kept and else
    from the positive part of P_i p - q, normalised. Read from the end, as here: the coins behind i
    are tossed first, and that of i only when none of them passes. The block is lossless, for the
    same drafting trees as in Block.v ("no proposal" included, so it applies to TLI and to SLRS).
    That it never accepts fewer drafts than token-wise verification is in AcceptedTokens.v. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions StandardRule Decoding Block StringLevel.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Box.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : seq token -> token -> R).
Implicit Types (P : R) (psi : token -> R).

(** P_i from P_(i-1), where the draft is x. *)
Definition keep_probability P (p psi : token -> R) x : R := Num.min 1 (P * ratio (p x) (psi x)).

(** Z: the sum of the positive part of P p - q. *)
Definition excess P (p psi : token -> R) : R := total T (fun x => Num.max 0 (P * p x - psi x)).

(** h = Z / (Z + 1 - P), and 1 where that is 0/0. *)
Definition pass_probability P (Z : R) : R := if Z + 1 - P == 0 then 1 else Z / (Z + 1 - P).

Definition block_residual P (p psi : token -> R) x : R :=
  Num.max 0 (P * p x - psi x) / excess P p psi.

(** What follows the context, if some coin passes, its own (with [P]) or one behind it. *)
Fixpoint judge (c : seq token) P (drafts : seq (drafted R token)) : program R (option (seq token)) :=
  match drafts with
  | [::] =>
      kept <~ accept P ;;
      if kept then bonus <~ draw T (p c) ;; Return (Some [:: bonus]) else Return None
  | (o, psi) :: rest =>
      behind <~ (if o is Some x then judge (rcons c x) (keep_probability P (p c) psi x) rest
                 else Return None) ;;
      match o, behind with
      | Some x, Some block => Return (Some (x :: block))
      | _, _ =>
          kept <~ accept (pass_probability P (excess P (p c) psi)) ;;
          if kept then y <~ draw T (block_residual P (p c) psi) ;; Return (Some [:: y])
          else Return None
      end
  end.

Definition verify_block (c : seq token) (drafts : seq (drafted R token)) : program R (seq token) :=
  judged <~ judge c 1 drafts ;; Return (odflt [::] judged).

End Box.

Section Lossless.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : seq token -> token -> R).
Hypotheses (T_uniq : uniq T) (p_law : forall c, law T (p c)).
Implicit Types (P : R) (psi : token -> R).

Lemma keep_probability_le1 P (p1 psi : token -> R) x : keep_probability P p1 psi x <= 1.
Proof. by rewrite le_minl lexx. Qed.

Lemma ratio_ge0 (a b : R) : 0 <= a -> 0 <= b -> 0 <= ratio a b.
Proof.
by move=> a0 b0; rewrite /ratio; case: ifP => _; [case: ifP => _; rewrite ?ler01|rewrite divr_ge0].
Qed.

Lemma keep_probability_ge0 P c psi x : 0 <= P -> 0 <= psi x -> 0 <= keep_probability P (p c) psi x.
Proof.
move=> P0 psi0; rewrite le_minr ler01 mulr_ge0 //; apply: ratio_ge0 => //.
exact: law_ge0 (p_law c) x.
Qed.

Lemma keep_probability_off P c psi x : x \notin T -> keep_probability P (p c) psi x = 0.
Proof.
move=> xT; rewrite /keep_probability /ratio (law_off (p_law c) xT) mul0r ltxx /= if_same mulr0.
by rewrite min_r ?ler01.
Qed.

(** To be proposed and kept: psi min(1, P p/psi) = min(P p, psi). *)
Lemma propose_and_keep P c psi x : 0 <= P -> 0 <= psi x ->
  psi x * keep_probability P (p c) psi x = Num.min (P * p c x) (psi x).
Proof.
move=> P0; rewrite le0r /keep_probability /ratio => /orP[/eqP->|psi_gt0].
  by rewrite eqxx mul0r min_r // mulr_ge0 // (law_ge0 (p_law c)).
by rewrite gt_eqF // minr_pmulr ?ltW // mulr1 mulrCA [psi x * _]mulrCA divff ?gt_eqF // mulr1 minC.
Qed.

Lemma min_and_excess (a b : R) : Num.min a b + Num.max 0 (a - b) = a.
Proof.
by have [ab|ba] := leP a b; [rewrite max_l ?addr0 // subr_le0|rewrite max_r ?subr_ge0 ?ltW // addrC subrK].
Qed.

Lemma excess_ge0 P c psi : 0 <= excess T P (p c) psi.
Proof. by apply: total_ge0 => x _; rewrite le_maxr lexx. Qed.

Lemma excess_and_overlap P c psi :
  total T (fun x => Num.min (P * p c x) (psi x)) = P - excess T P (p c) psi.
Proof.
apply/eqP; rewrite eq_sym subr_eq -total_add eq_sym; apply/eqP.
by under eq_total do rewrite min_and_excess; rewrite total_scale (law_total (p_law c)) mulr1.
Qed.

Lemma excess_residual P c psi x : x \in T ->
  excess T P (p c) psi * block_residual T P (p c) psi x = Num.max 0 (P * p c x - psi x).
Proof.
move=> xT; rewrite /block_residual mulrCA.
have [none|some] := eqVneq (excess T P (p c) psi) 0; last by rewrite divff ?mulr1.
have := none; rewrite /excess totalE => /eqP; rewrite psumr_eq0 => [/allP/(_ x xT)/eqP->|y _].
  by rewrite mul0r.
by rewrite le_maxr lexx.
Qed.

Lemma expect_judge c P o psi rest f :
  let h := pass_probability P (excess T P (p c) psi) in
  let own_coin := h * total T (fun y => block_residual T P (p c) psi y * f (Some [:: y]))
                  + (1 - h) * f None in
  expect (judge T p c P ((o, psi) :: rest)) f
  = if o is Some x then
      expect (judge T p (rcons c x) (keep_probability P (p c) psi x) rest)
        (fun r => if r is Some b then f (Some (x :: b)) else own_coin)
    else own_coin.
Proof.
case: o => [x|] /=; last by rewrite addr0.
by rewrite expect_bind; apply: eq_expect => -[b|] //=; rewrite addr0.
Qed.

(** Given x_1..x_i, a coin at i or behind it passes with probability P_i, and what then follows has
    the target's law. [K] is the value where none passes. *)
Lemma judge_keeps_martingales d c P K g : scored_as_drawn d -> martingale T p c g ->
    0 <= P -> P <= 1 ->
  expect (drafts <~ draft d ;; judge T p c P drafts) (fun r => if r is Some b then g b else K)
  = P * g [::] + (1 - P) * K.
Proof.
elim: d c P K g => [|X xs w prop psi next IH] c P K g.
  by move=> _ mart _ _; rewrite -(martingale_start mart) /= addr0.
move=> [ge0 one scored ok] mart P0 P1.
set Z := excess T P (p c) psi; set h := pass_probability P Z.
set M := h * total T (fun y => block_residual T P (p c) psi y * g [:: y]) + (1 - h) * K.
pose F x := keep_probability P (p c) psi x * (g [:: x] - M).
have proposal_ok: proper (o <~ draw xs w ;; Return (prop o)) by [].
have psi0 x : 0 <= psi x := psi_ge0 proposal_ok scored x.
transitivity (expect (o <~ draw xs w ;; Return (prop o))
    (fun o => M + (if o is Some x then F x else 0))).
  rewrite expect_bind expect_first_draft [RHS]expect_bind; apply: eq_total_seq => o oxs.
  congr (_ * _); rewrite [RHS]/=; case: (prop o) => [x|]; last first.
    rewrite addr0 -[RHS](expect_const _ (draft_proper (ok o oxs))).
    by apply: eq_expect => rest; rewrite expect_judge.
  under [LHS]eq_expect do rewrite expect_judge.
  rewrite -[LHS]expect_bind IH ?keep_probability_ge0 ?keep_probability_le1 //;
    [|exact: ok|exact: martingale_after].
  by rewrite /F mulrBr addrCA mulrBl mul1r.
rewrite expect_add (expect_const _ proposal_ok) (expect_by_token T_uniq) => [|x xT]; last first.
  by rewrite /F keep_probability_off // mul0r.
have -> : total T (fun x => law_of_proposal (o <~ draw xs w ;; Return (prop o)) x * F x)
    = total T (fun x => Num.min (P * p c x) (psi x) * g [:: x]) - M * (P - Z).
  rewrite -excess_and_overlap -total_scale -total_sub; apply: eq_total => x.
  by rewrite -scored /F mulrA propose_and_keep // mulrBr [M * _]mulrC.
have coin: (1 - (P - Z)) * h = Z.
  have -> : 1 - (P - Z) = Z + 1 - P by rewrite opprB addrCA addrA.
  rewrite /h /pass_probability; have [zero|some] := eqVneq (Z + 1 - P) 0; last by rewrite mulrC divfK.
  have: Z + (1 - P) == 0 by rewrite addrA zero.
  by rewrite mulr1 zero paddr_eq0 ?excess_ge0 ?subr_ge0 // => /andP[/eqP-> _].
have -> : forall S, M + (S - M * (P - Z)) = S + (1 - (P - Z)) * M.
  by move=> S; rewrite mulrBl mul1r addrCA [M * _]mulrC.
have no_coin: (1 - (P - Z)) * (1 - h) = 1 - P.
  by rewrite mulrBr mulr1 coin opprB addrCA [Z + _]addrC addrK.
rewrite /M mulrDr !mulrA coin no_coin addrA -[Z * _]total_scale.
rewrite -total_add -(martingale_start mart) -[P * _]total_scale; congr (_ + _).
apply: eq_total_seq => x xT; rewrite [Z * _]mulrA [P * (_ * _)]mulrA excess_residual // -mulrDl.
by rewrite min_and_excess.
Qed.

(** Block verification is lossless, however the drafts are drawn. *)
Theorem block_verification_lossless d c : scored_as_drawn d ->
  lossless T p c (drafts <~ draft d ;; verify_block T p c drafts).
Proof.
move=> scored; apply: martingale_lossless => // g mart.
have := @judge_keeps_martingales d c 1 (g [::]) g scored mart ler01 (lexx _).
rewrite subrr mul0r addr0 mul1r => <-; rewrite !expect_bind; apply: eq_expect => drafts.
by rewrite expect_bind; apply: eq_expect => -[].
Qed.

(** For candidates from a string, with psi_k: the end of the candidates is a draft, too. *)
Theorem block_slrs_lossless (propose : seq token -> program R (seq token)) c :
    proper (propose c) -> always (fun ts : seq token => {subset ts <= T}) (propose c) ->
  lossless T p c
    (ts <~ propose c ;; verify_block T p c (score_candidates (psi_after (propose c)) [::] ts)).
Proof.
move=> ok in_T; have [d [scored same]] := proposal_is_drafting T_uniq ok in_T (verify_block T p c).
move=> n f; rewrite -(block_verification_lossless c scored n f) expect_bind [RHS]expect_bind.
exact: same.
Qed.

End Lossless.

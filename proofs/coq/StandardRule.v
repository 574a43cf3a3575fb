(** * The standard rule, for one token

    Algorithm 5 of the paper (Leviathan et al. 2211.17192, Chen et al. 2302.01318) at one position:
    a token x, proposed with probability psi(x), is accepted with probability min(1, p(x)/psi(x));
    otherwise the token comes from the residual (p - min(p, psi)) / (1 - sum min(p, psi)). The
    emitted token has the law p, whatever psi is, also when psi sums to less than one ("no
    proposal"). Acceptance is sum min(p, psi), and no lossless rule accepts more: the coupling bound.
    The proposal may be any draw of which only a token, or nothing, is shown to the target; that
    covers two vocabularies, token maps and strings. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** The rule *)

Section Rule.
Variables (R : realFieldType) (token : eqType).
Implicit Types (T : seq token) (p psi : token -> R).

(** p/q; where a token was drawn although it is scored 0, that is 1 if p > 0, else 0. *)
Definition ratio (p q : R) : R := if q == 0 then (if 0 < p then 1 else 0) else p / q.

Definition accept_probability p psi x : R := Num.min 1 (ratio (p x) (psi x)).

(** sum min(p, psi) *)
Definition overlap T p psi : R := total T (fun x => Num.min (p x) (psi x)).

Definition residual T p psi x : R := (p x - Num.min (p x) (psi x)) / (1 - overlap T p psi).

(** One token for the proposal [o], and whether the proposal was accepted. *)
Definition standard_rule T p psi (o : option token) : program R (bool * token) :=
  accepted <~ (if o is Some x then accept (accept_probability p psi x) else Return false) ;;
  match accepted, o with
  | true, Some x => Return (true, x)
  | _, _ => y <~ draw T (residual T p psi) ;; Return (false, y)
  end.

(** The law of the token that a program proposes; a program may also propose nothing. *)
Definition law_of_proposal (proposal : program R (option token)) (x : token) : R :=
  probability proposal (Some x).

(** One token from p with a proposal from q; q may be a sub-law, over another vocabulary. *)
Definition standard_token T D p q : program R (bool * token) :=
  o <~ draw_or_nothing D q ;; standard_rule T p q o.

End Rule.

(** ** Lemmas *)

Section Lemmas.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : token -> R).
Hypotheses (T_uniq : uniq T) (p_law : law T p).
Implicit Types (psi : token -> R) (F : token -> R).

Let p_ge0 := law_ge0 p_law.
Let p_off := law_off p_law.

(** To be proposed and accepted: psi min(1, p/psi) = min(p, psi). *)
Lemma propose_and_accept psi x : 0 <= psi x ->
  psi x * accept_probability p psi x = Num.min (p x) (psi x).
Proof.
rewrite le0r /accept_probability /ratio => /orP[/eqP->|psi_gt0].
  by rewrite eqxx mul0r min_r.
by rewrite gt_eqF // minr_pmulr ?ltW // mulr1 mulrCA divff ?gt_eqF // mulr1 minC.
Qed.

Lemma accept_probability_off psi x : x \notin T -> accept_probability p psi x = 0.
Proof.
by move=> xT; rewrite /accept_probability /ratio p_off // mul0r ltxx /= if_same min_r ?ler01.
Qed.

Lemma accept_probability_ge0 psi x : 0 <= psi x -> 0 <= accept_probability p psi x.
Proof.
move=> ge0; rewrite /accept_probability /ratio le_minr ler01 /=.
by case: ifP => _; [case: ifP => _; rewrite ?ler01|rewrite divr_ge0].
Qed.

Lemma accept_probability_le1 psi x : accept_probability p psi x <= 1.
Proof. by rewrite le_minl lexx. Qed.

Lemma overlap_le1 psi : overlap T p psi <= 1.
Proof. by rewrite -(law_total p_law); apply: total_le => x _; rewrite le_minl lexx. Qed.

(** Where the overlap is one, psi covers p and nothing is left for the residual. *)
Lemma covered psi : overlap T p psi = 1 -> forall x, x \in T -> p x - Num.min (p x) (psi x) = 0.
Proof.
move=> one x xT; have: total T (fun x => p x - Num.min (p x) (psi x)) = 0.
  by rewrite total_sub (law_total p_law) -[1]one subrr.
rewrite totalE => /eqP; rewrite psumr_eq0 => [/allP/(_ x xT)/eqP//|y _].
by rewrite subr_ge0 le_minl lexx.
Qed.

(** The residual is a law wherever a rejection is possible. *)
Theorem residual_well_defined psi : (forall x, 0 <= psi x) -> overlap T p psi < 1 ->
  law T (residual T p psi).
Proof.
move=> psi_ge0 lt1; split=> [x|x xT|].
- by apply: divr_ge0; rewrite subr_ge0; [rewrite le_minl lexx|exact: ltW].
- by rewrite /residual p_off // min_l // subrr mul0r.
transitivity (total T (fun x => (1 - overlap T p psi)^-1 * (p x - Num.min (p x) (psi x)))).
  by apply: eq_total => x; rewrite mulrC.
by rewrite total_scale total_sub (law_total p_law) mulVf // subr_eq0 gt_eqF.
Qed.

(** min(p, psi) + (1 - sum min(p, psi)) residual = p, tested with any F. *)
Theorem overlap_and_residual psi F :
  total T (fun x => Num.min (p x) (psi x) * F x)
  + (1 - overlap T p psi) * total T (fun x => residual T p psi x * F x)
  = total T (fun x => p x * F x).
Proof.
rewrite -total_scale -total_add; apply: eq_total_seq => x xT; rewrite /residual.
have [one|not1] := eqVneq (overlap T p psi) 1.
  by rewrite one subrr mul0r addr0 -[in RHS](subrK (Num.min (p x) (psi x)) (p x)) covered // add0r.
by rewrite mulrA [_ * (_ / _)]mulrCA divff ?subr_eq0 1?eq_sym // mulr1 -mulrDl addrC subrK.
Qed.

(** The mean over proposals is a sum over the tokens proposed. *)
Lemma expect_by_token (proposal : program R (option token)) F :
    (forall x, x \notin T -> F x = 0) ->
  expect proposal (fun o => if o is Some x then F x else 0)
  = total T (fun x => law_of_proposal proposal x * F x).
Proof.
move=> F_off; transitivity (expect proposal (fun o => total T (fun x => F x * (o == Some x)%:R))).
  apply: eq_expect => -[x|]; last by rewrite totalE big1 // => x _; rewrite mulr0.
  have [xT|xT] := boolP (x \in T); last first.
    rewrite F_off // totalE big1_seq // => y /andP[_ yT].
    by case: eqP xT => [[->]|]; rewrite ?yT ?mulr0.
  rewrite -(total_pick F T_uniq xT); apply: eq_total => y.
  by rewrite eq_sym -[Some x == _]/(x == y) eq_sym; case: eqP; rewrite ?mulr1 ?mulr0.
by rewrite expect_total; apply: eq_total => x; rewrite expect_scale mulrC.
Qed.

Lemma expect_rule psi o (F : bool * token -> R) :
  expect (standard_rule T p psi o) F
  = total T (fun y => residual T p psi y * F (false, y))
    + (if o is Some x then accept_probability p psi x
         * (F (true, x) - total T (fun y => residual T p psi y * F (false, y))) else 0).
Proof.
rewrite expect_bind; case: o => [x|] /=; last by rewrite addr0.
by rewrite addr0 mulrBr mulrBl mul1r addrCA.
Qed.

End Lemmas.

(** ** Theorems *)

Section Theorems.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : token -> R).
Hypotheses (T_uniq : uniq T) (p_law : law T p).

(** The proposal comes from any program, and is scored by the law of the proposed token. *)
Variable proposal : program R (option token).
Hypothesis proposal_proper : proper proposal.
Variable psi : token -> R.
Hypothesis psi_is : psi =1 law_of_proposal proposal.

Lemma psi_ge0 x : 0 <= psi x.
Proof. by rewrite psi_is; apply: expect_ge0 => // o; rewrite ler0n. Qed.

(** The rule is lossless: the emitted token has the law p. *)
Theorem standard_rule_lossless (F : token -> R) :
  expect (o <~ proposal ;; standard_rule T p psi o) (fun r => F r.2)
  = total T (fun y => p y * F y).
Proof.
rewrite expect_bind; set K := total T (fun y => residual T p psi y * F y).
transitivity (K + expect proposal (fun o =>
    if o is Some x then accept_probability p psi x * (F x - K) else 0)).
  rewrite -{1}(expect_const K proposal_proper) -expect_add.
  by apply: eq_expect => o; rewrite expect_rule.
rewrite (expect_by_token T_uniq) => [|x xT]; last by rewrite (accept_probability_off p_law) // mul0r.
transitivity (K + (total T (fun x => Num.min (p x) (psi x) * F x) - K * overlap T p psi)).
  congr (_ + _); rewrite -total_scale -total_sub; apply: eq_total => x.
  by rewrite mulrA -psi_is (propose_and_accept p_law) ?psi_ge0 // mulrBr [K * _]mulrC.
by rewrite -(overlap_and_residual p_law psi F) -/K mulrBl mul1r addrCA [K * _]mulrC.
Qed.

(** Expected acceptance: sum min(p, psi). *)
Theorem standard_rule_acceptance :
  expect (o <~ proposal ;; standard_rule T p psi o) (fun r => r.1%:R) = overlap T p psi.
Proof.
rewrite expect_bind; transitivity (expect proposal (fun o =>
    if o is Some x then accept_probability p psi x else 0)).
  apply: eq_expect => o; rewrite expect_rule /= (_ : total T _ = 0) ?add0r.
    by case: o => // x; rewrite subr0 mulr1.
  by rewrite totalE big1 // => y _; rewrite mulr0.
rewrite (expect_by_token T_uniq) => [|x xT]; last exact: (accept_probability_off p_law).
by apply: eq_total => x; rewrite -psi_is (propose_and_accept p_law) ?psi_ge0.
Qed.

End Theorems.

(** The box itself, with q over any vocabulary D; p and q need not share a token. *)
Section Box.
Variables (R : realFieldType) (token : eqType) (T D : seq token) (p q : token -> R).
Hypotheses (T_uniq : uniq T) (p_law : law T p) (D_uniq : uniq D) (q_law : sub_law D q).

Lemma law_of_proposal_drawn : q =1 law_of_proposal (draw_or_nothing D q).
Proof.
move=> x; rewrite /law_of_proposal /probability expect_draw_or_nothing mulr0 add0r.
have [xD|xD] := boolP (x \in D).
  rewrite -[LHS](total_pick q D_uniq xD); apply: eq_total => y.
  by rewrite -[Some y == _]/(y == x); case: eqP; rewrite ?mulr1 ?mulr0.
rewrite (sub_law_off q_law xD) totalE big1_seq // => y /andP[_ yD].
by case: eqP xD => [[<-]|]; rewrite ?yD ?mulr0.
Qed.

Lemma draw_or_nothing_proper : proper (draw_or_nothing D q).
Proof.
split=> // [o|].
  by case: o => [x|] _; rewrite ?(sub_law_ge0 q_law) // subr_ge0 (sub_law_total q_law).
by rewrite /= [total [seq _ | _ <- _] _]totalE big_map -totalE subrK.
Qed.

(** Standard speculative decoding is lossless: one token, any sub-law q. *)
Theorem standard_token_lossless (F : token -> R) :
  expect (standard_token T D p q) (fun r => F r.2) = total T (fun y => p y * F y).
Proof.
exact: (standard_rule_lossless T_uniq p_law draw_or_nothing_proper law_of_proposal_drawn).
Qed.

(** Its acceptance is sum min(p, q). *)
Theorem standard_token_acceptance :
  expect (standard_token T D p q) (fun r => r.1%:R) = overlap T p q.
Proof.
exact: (standard_rule_acceptance T_uniq p_law draw_or_nothing_proper law_of_proposal_drawn).
Qed.

End Box.

(** * The residual by kept draws

    Algorithm 3 asks for one draw from (p - min(p, psi)) / (1 - sum min(p, psi)), whose normaliser is
    a sum over the whole vocabulary. Drawing t from p, keeping it with probability
    max(0, 1 - psi(t)/p(t)), and trying again otherwise, needs psi only at the tokens drawn. The law
    of that loop is a solution of a fixed-point equation, which has only one, the residual. The loop
    cut after n tries says the same without a limit: what it returns has the residual's law, up to a
    factor that tends to one geometrically. A try succeeds with probability 1 - sum min(p, psi), just
    the probability that a residual is needed; so one try per position is expected, and psi is
    evaluated once more than a proposal is made. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions StandardRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section KeptDraw.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p psi : token -> R).
Hypotheses (T_uniq : uniq T) (p_law : law T p) (psi_ge0 : forall x, 0 <= psi x).

Definition keep (x : token) : R := Num.max 0 (1 - psi x / p x).

Fixpoint kept_draw (tries : nat) : program R (option token) :=
  if tries is tries'.+1 then
    x <~ draw T p ;;
    kept <~ accept (keep x) ;;
    if kept then Return (Some x) else kept_draw tries'
  else Return None.

(** The probability that a try succeeds. *)
Definition kept_mass : R := total T (fun x => p x * keep x).

(** p max(0, 1 - psi/p) = p - min(p, psi) *)
Lemma draw_and_keep x : p x * keep x = p x - Num.min (p x) (psi x).
Proof.
have := law_ge0 p_law x; rewrite /keep le0r => /orP[/eqP->|p_gt0].
  by rewrite mul0r min_l ?subrr.
rewrite maxr_pmulr ?ltW // mulr0 mulrBr mulr1 mulrCA divff ?gt_eqF // mulr1.
by have [le|lt] := leP (p x) (psi x); [rewrite max_l ?subrr // subr_le0|rewrite max_r // subr_ge0 ltW].
Qed.

(** It is the probability that a residual is needed. *)
Theorem kept_mass_is_rejection : kept_mass = 1 - overlap T p psi.
Proof.
rewrite /kept_mass; under eq_total do rewrite draw_and_keep.
by rewrite total_sub (law_total p_law).
Qed.

Lemma keep_le1 x : keep x <= 1.
Proof. by rewrite le_maxl ler01 ler_subl_addr ler_addl divr_ge0 // (law_ge0 p_law). Qed.

Hypothesis rejection_possible : kept_mass != 0.

Lemma kept_is_residual x : p x * keep x = kept_mass * residual T p psi x.
Proof.
by rewrite draw_and_keep /residual -kept_mass_is_rejection mulrC divfK.
Qed.

(** The loop's law L: kept at once, or rejected and then L again. Only the residual solves it. *)
Theorem kept_draw_fixed_point (L : token -> R) :
  (forall x, L x = p x * keep x + (1 - kept_mass) * L x) <-> L =1 residual T p psi.
Proof.
split=> [loop x|same x]; last by rewrite kept_is_residual same mulrBl mul1r addrC subrK.
apply: (mulfI rejection_possible); rewrite -kept_is_residual.
have := loop x; rewrite mulrBl mul1r addrCA => /eqP; rewrite -[X in X == _]addr0.
by rewrite (inj_eq (addrI _)) eq_sym subr_eq0 => /eqP->.
Qed.

(** Within n tries: the residual's law, times the probability that one of them succeeds. *)
Theorem kept_draw_in_tries n x : x \in T ->
  probability (kept_draw n) (Some x) = (1 - (1 - kept_mass) ^+ n) * residual T p psi x.
Proof.
move=> xT; elim: n => [|n IH]; first by rewrite expr0 subrr mul0r.
transitivity (p x * keep x + (1 - kept_mass) * probability (kept_draw n) (Some x)).
  rewrite /probability /=.
  transitivity (total T (fun y => p y * (keep y * (y == x)%:R)
      + (1 - keep y) * p y * probability (kept_draw n) (Some x))).
    by apply: eq_total => y; rewrite addr0 mulrDr !mulrA [_ * p y]mulrC.
  rewrite total_add; congr (_ + _).
    rewrite -(total_pick (fun y => p y * keep y) T_uniq xT); apply: eq_total => y.
    by case: eqP => _; rewrite ?mulr1 ?mulr0.
  transitivity (total T (fun y => probability (kept_draw n) (Some x) * (p y - p y * keep y))).
    by apply: eq_total => y; rewrite mulrBl mul1r mulrC [keep y * _]mulrC.
  by rewrite total_scale total_sub (law_total p_law) mulrC.
rewrite IH kept_is_residual mulrA -mulrDl; congr (_ * _).
by rewrite mulrBr mulr1 -exprS addrA [_ + (1 - _)]addrC subrK.
Qed.

(** The expected number N of draws obeys N = 1 + (1 - m) N, so N = 1/m; they are needed with
    probability m: one draw per position is expected where a rejection is possible at all. *)
Theorem kept_draws_expected (N : R) : N = 1 + (1 - kept_mass) * N -> (1 - overlap T p psi) * N = 1.
Proof.
rewrite -kept_mass_is_rejection mulrBl mul1r addrCA => /eqP.
by rewrite -[X in X == _]addr0 (inj_eq (addrI _)) eq_sym subr_eq0 => /eqP.
Qed.

End KeptDraw.

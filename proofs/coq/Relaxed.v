(** * Relaxed rules: the size of the error

    A rule that accepts with another probability alpha(x) than min(1, p(x)/psi(x)), and else draws
    from the same residual, emits another law than p. The distance is at most the probability with
    which the two decide otherwise about a draft: sum psi |alpha - min(1, p/psi)|. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions StandardRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Relaxed.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p psi alpha : token -> R).
Hypotheses (p_law : law T p) (psi_law : sub_law T psi).

(** The law of the token that a rule with acceptance [alpha] emits. *)
Definition emitted_law (alpha : token -> R) (y : token) : R :=
  psi y * alpha y + (1 - total T (fun x => psi x * alpha x)) * residual T p psi y.

Let due := accept_probability p psi.

Lemma due_is_lossless y : y \in T -> emitted_law due y = p y.
Proof.
move=> yT; rewrite /emitted_law (propose_and_accept p_law) ?(sub_law_ge0 psi_law) //.
have -> : total T (fun x => psi x * due x) = overlap T p psi.
  by apply: eq_total => x; rewrite (propose_and_accept p_law) ?(sub_law_ge0 psi_law).
have [one|not1] := eqVneq (overlap T p psi) 1.
  by rewrite one subrr mul0r addr0 -[RHS](subrK (Num.min (p y) (psi y))) (covered p_law) ?add0r.
by rewrite /residual mulrC divfK ?subr_eq0 1?eq_sym // addrC subrK.
Qed.

(** The error of a relaxed rule is at most how often it decides otherwise. *)
Theorem relaxed_bias_bound :
  total_variation T (emitted_law alpha) p <= total T (fun x => psi x * `|alpha x - due x|).
Proof.
set wrong := total T _.
have residual_ge0 x : 0 <= residual T p psi x.
  by rewrite divr_ge0 // subr_ge0 ?(overlap_le1 p_law) // le_minl lexx.
have residual_le1: total T (residual T p psi) <= 1.
  have [one|not1] := eqVneq (overlap T p psi) 1.
    by rewrite totalE big1 ?ler01 // => x _; rewrite /residual one subrr invr0 mulr0.
  rewrite (law_total (residual_well_defined p_law (sub_law_ge0 psi_law) _)) //.
  by rewrite lt_def eq_sym not1 (overlap_le1 p_law).
pose shift := total T (fun x => psi x * (alpha x - due x)).
have difference y : y \in T ->
    emitted_law alpha y - p y = psi y * (alpha y - due y) - shift * residual T p psi y.
  move=> yT; rewrite -(due_is_lossless yT) /emitted_law /shift.
  have -> : total T (fun x => psi x * (alpha x - due x))
      = total T (fun x => psi x * alpha x) - total T (fun x => psi x * due x).
    by rewrite -total_sub; apply: eq_total => x; rewrite mulrBr.
  rewrite opprD addrACA -mulrBr -mulrBl; congr (_ + _); rewrite -mulNr; congr (_ * _).
  by rewrite !opprB addrCA [1 - _]addrC addrK.
have shift_le: `|shift| <= wrong.
  rewrite /shift /wrong !totalE; apply: le_trans (ler_norm_sum _ _ _) _.
  by apply: ler_sum => x _; rewrite normrM ger0_norm ?(sub_law_ge0 psi_law).
rewrite /total_variation ler_pdivr_mulr ?ltr0n // mulr_natr mulr2n.
apply: (@le_trans _ _ (total T (fun x => psi x * `|alpha x - due x| + `|shift| * residual T p psi x))).
  apply: total_le => y yT; rewrite difference //; apply: le_trans (ler_norm_sub _ _) _.
  by rewrite normrM [`|shift * _|]normrM (ger0_norm (residual_ge0 y)) ger0_norm ?(sub_law_ge0 psi_law).
rewrite total_add ler_add2l total_scale; apply: le_trans shift_le.
by rewrite ler_pimulr.
Qed.

End Relaxed.

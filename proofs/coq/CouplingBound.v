(** * The coupling bound

    A one-token rule sees a proposal, emits a token, and says whether it accepted; accepting means
    emitting what was proposed. If the emitted token has the law p, then acceptance is at most
    sum min(p, psi), psi being the law of the proposed token: being emitted has probability p(x),
    being proposed psi(x), and both happen at most as often as the rarer of the two. A rule attains
    the bound exactly if it accepts each x with total probability min(p(x), psi(x)); the standard
    rule does, for every p and psi. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions StandardRule.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Bound.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : token -> R).
Hypotheses (T_uniq : uniq T) (p_law : law T p).

(** Any one-token rule, as the joint law of what is proposed and what comes of it: it may toss coins,
    draw, and know more of the drafter than the token. *)
Variable round : program R (option token * (bool * token)).
Let proposed (r : option token * (bool * token)) := r.1.
Let accepted (r : option token * (bool * token)) := r.2.1.
Let emitted (r : option token * (bool * token)) := r.2.2.

Hypothesis round_proper : proper round.
Hypothesis accepts_the_proposal :
  always (fun r => accepted r -> proposed r = Some (emitted r)) round.
Hypothesis lossless : forall F, expect round (fun r => F (emitted r)) = total T (fun y => p y * F y).

Let psi := law_of_proposal (r <~ round ;; Return (proposed r)).

Definition accepts_as (x : token) : R := expect round (fun r => (accepted r && (emitted r == x))%:R).
Definition acceptance : R := expect round (fun r => (accepted r)%:R).

Lemma accepts_as_at_most x : x \in T -> accepts_as x <= Num.min (p x) (psi x).
Proof.
move=> xT; rewrite le_minr; apply/andP; split.
  have -> : p x = expect round (fun r => (emitted r == x)%:R).
    rewrite (lossless (fun y => (y == x)%:R)) -[LHS](total_pick p T_uniq xT).
    by apply: eq_total => y; case: eqP; rewrite ?mulr1 ?mulr0.
  by apply: expect_le => // r; rewrite ler_nat; case: (accepted r) => //=; rewrite leq0n.
rewrite /psi /law_of_proposal /probability expect_bind.
apply: (expect_le_always round_proper accepts_the_proposal) => -[o [acc y]] yes.
by move: yes; rewrite /accepted /proposed /emitted ler_nat /=; case: acc => // /(_ isT) ->.
Qed.

Lemma acceptance_by_token : acceptance = total T accepts_as.
Proof.
rewrite /acceptance -expect_total.
have inside: expect round (fun r => (emitted r \notin T)%:R) = 0.
  rewrite (lossless (fun y => (y \notin T)%:R)) totalE big1_seq // => y /andP[_ ->].
  by rewrite mulr0.
have by_token r : total T (fun x => (accepted r && (emitted r == x))%:R : R)
    = (accepted r && (emitted r \in T))%:R.
  case: (accepted r) => /=; last by rewrite totalE big1.
  have [yT|yT] := boolP (emitted r \in T); last first.
    by rewrite totalE big1_seq // => x /andP[_ xT]; case: eqP yT => // ->; rewrite xT.
  transitivity (total T (fun x => if x == emitted r then 1 else 0 : R)).
    by apply: eq_total => x; rewrite [x == _]eq_sym; case: (_ == x).
  exact: (total_pick (fun=> 1) T_uniq yT).
apply/eqP; rewrite eq_le; apply/andP; split.
  rewrite -[leRHS]addr0 -inside -expect_add; apply: expect_le => // r; rewrite by_token.
  by rewrite -natrD ler_nat; case: (accepted r); case: (_ \in T).
by apply: expect_le => // r; rewrite by_token ler_nat; case: (accepted r) => //; case: (_ \in T).
Qed.

(** No lossless one-token rule accepts more than sum min(p, law of the proposal). *)
Theorem coupling_bound : acceptance <= overlap T p psi.
Proof. by rewrite acceptance_by_token; apply: total_le => x; exact: accepts_as_at_most. Qed.

(** A rule attains it exactly if it accepts every token as often as can be. *)
Theorem coupling_bound_attained :
  acceptance = overlap T p psi <-> forall x, x \in T -> accepts_as x = Num.min (p x) (psi x).
Proof.
rewrite acceptance_by_token; split=> [attained x xT|all]; last exact: eq_total_seq.
have: total T (fun x => Num.min (p x) (psi x) - accepts_as x) = 0.
  by rewrite total_sub attained subrr.
rewrite totalE => /eqP; rewrite big_seq psumr_eq0 => [/allP/(_ x xT)|y yT].
  by rewrite xT subr_eq0 => /eqP.
by rewrite subr_ge0 accepts_as_at_most.
Qed.

End Bound.

(** The standard rule attains it. *)
Section Attained.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : token -> R).
Hypotheses (T_uniq : uniq T) (p_law : law T p).
Variable proposal : program R (option token).
Hypothesis proposal_proper : proper proposal.

Theorem standard_rule_attains_the_bound :
  let psi := law_of_proposal proposal in
  acceptance (o <~ proposal ;; r <~ standard_rule T p psi o ;; Return (o, r)) = overlap T p psi.
Proof.
move=> psi; rewrite -(standard_rule_acceptance T_uniq p_law proposal_proper (fun=> erefl)).
by rewrite /acceptance !expect_bind; apply: eq_expect => o; rewrite expect_bind.
Qed.

End Attained.

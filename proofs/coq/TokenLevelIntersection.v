(** * TLI, token-level intersection (Algorithm 4), and the union baseline over ids

    The drafter draws only what the target's vocabulary has: q'(x) = q(x) / (sum of q over T n D) on
    T n D, else 0, and Algorithm 5 is run with p and q'. The drafter's ids are mapped to the target's
    tokens by any partial map; several ids may have one meaning, and are then scored by the sum of
    their masses. TLI is lossless, in any number of drafts, with q and the mask depending on
    all that the drafter has read; and it accepts at least as often as the union baseline with the
    same q, because q' is q, enlarged, on what they share (Theorem 4.1). The condition is in "the
    same q": filters such as top-p must come before the mask (Counterexamples.v). *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions StandardRule Decoding Block BlockVerification.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Masking.
Variables (R : realFieldType) (token draft_id : eqType) (T : seq token) (D : seq draft_id).

(** What a drafter id means to the target, if anything. *)
Variable meaning : draft_id -> option token.
Implicit Types (q : draft_id -> R) (p : token -> R).

Definition shared (d : draft_id) : bool := if meaning d is Some x then x \in T else false.

(** The sum of q over T n D. *)
Definition shared_mass q : R := total D (fun d => if shared d then q d else 0).

(** q' *)
Definition masked q (d : draft_id) : R := if shared d then q d / shared_mass q else 0.

(** A law over ids as a law over tokens: ids with one meaning are summed. *)
Definition pushed_forward q (x : token) : R := total D (fun d => q d * (meaning d == Some x)%:R).

Hypothesis D_uniq : uniq D.

Lemma shared_mass_le1 q : law D q -> shared_mass q <= 1.
Proof.
move=> q_law; rewrite -(law_total q_law); apply: total_le => d _.
by case: ifP => // _; exact: law_ge0 q_law d.
Qed.

Lemma shared_mass_ge0 q : law D q -> 0 <= shared_mass q.
Proof. by move=> q_law; apply: total_ge0 => d _; case: ifP => // _; exact: law_ge0 q_law d. Qed.

(** q' is a law. *)
Theorem masked_law q : law D q -> shared_mass q != 0 -> law D (masked q).
Proof.
move=> q_law some; split=> [d|d dD|].
- rewrite /masked; case: ifP => // _.
  by rewrite divr_ge0 ?shared_mass_ge0 //; exact: law_ge0 q_law d.
- by rewrite /masked (law_off q_law dD) mul0r if_same.
rewrite -(mulVf some) -[in RHS]total_scale; apply: eq_total => d.
by rewrite /masked; case: ifP; rewrite ?mulr0 // mulrC.
Qed.

(** Theorem 4.1: acceptance with q' is at least that with q. *)
Theorem tli_accepts_at_least_union p q : law T p -> law D q -> shared_mass q != 0 ->
  overlap T p (pushed_forward q) <= overlap T p (pushed_forward (masked q)).
Proof.
move=> p_law q_law some; apply: total_le => x xT; rewrite le_minr le_minl lexx /=.
rewrite le_minl; apply/orP; right; apply: total_le => d _.
case: eqP => [means|_]; rewrite ?mulr0 // !mulr1 /masked /shared means xT.
rewrite ler_pdivl_mulr ?lt_def ?some ?shared_mass_ge0 //.
by rewrite ler_pimulr ?shared_mass_le1 //; exact: law_ge0 q_law d.
Qed.

End Masking.

(** Where every id is its own token, the law over tokens is the law over ids. *)
Lemma pushed_forward_identity (R : realFieldType) (token : eqType) (D : seq token) (q : token -> R) :
  uniq D -> (forall x, x \notin D -> q x = 0) -> pushed_forward D Some q =1 q.
Proof.
move=> D_uniq q_off x; rewrite /pushed_forward.
have [xD|xD] := boolP (x \in D).
  rewrite -[RHS](total_pick q D_uniq xD); apply: eq_total => y.
  by rewrite -[Some y == _]/(y == x); case: eqP; rewrite ?mulr1 ?mulr0.
rewrite q_off // totalE big1_seq // => y /andP[_ yD].
by case: eqP xD => [[<-]|]; rewrite ?yD ?mulr0.
Qed.

(** ** The algorithm *)

Section Algorithm.
Variables (R : realFieldType) (token draft_id : eqType) (T : seq token) (D : seq draft_id).
Variable meaning : draft_id -> option token.
Variables (p : seq token -> token -> R) (q : seq draft_id -> draft_id -> R).
Hypotheses (T_uniq : uniq T) (p_law : forall c, law T (p c)) (q_law : forall s, law D (q s)).

(** The drafter reads the context by any function, and its own drafts as they are. *)
Variables (re_encode : seq token -> seq draft_id) (K : seq token -> nat).

Let q' (read : seq draft_id) : draft_id -> R := masked T D meaning (q read).

(** At most [k] drafts from q'; nothing is drafted where it has no mass. *)
Fixpoint draft_masked (k : nat) (read : seq draft_id) : drafting R token :=
  if k is k'.+1 then
    if shared_mass T D meaning (q read) == 0 then Stop
    else Draft D (q' read) meaning (pushed_forward D meaning (q' read))
      (fun d => draft_masked k' (rcons read d))
  else Stop.

(** Algorithm 1 over ids: drafts from q as it is; an id without meaning to the target proposes
    nothing. *)
Fixpoint draft_ids (k : nat) (read : seq draft_id) : drafting R token :=
  if k is k'.+1 then
    Draft D (q read) meaning (pushed_forward D meaning (q read))
      (fun d => draft_ids k' (rcons read d))
  else Stop.

Definition union_round_over_ids (c : seq token) : program R (seq token) :=
  drafts <~ draft (draft_ids (K c) (re_encode c)) ;; verify T p c drafts.

Lemma draft_ids_scored_as_drawn k read : scored_as_drawn (draft_ids k read).
Proof.
elim: k read => //= k IH read; split=> // [d _|]; first exact: law_ge0 (q_law read) d.
exact: law_total (q_law read).
Qed.

Theorem union_over_ids_lossless c : lossless T p c (union_round_over_ids c).
Proof. by apply: standard_lossless => //; exact: draft_ids_scored_as_drawn. Qed.

Definition tli_round (c : seq token) : program R (seq token) :=
  drafts <~ draft (draft_masked (K c) (re_encode c)) ;; verify T p c drafts.

Lemma draft_masked_scored_as_drawn k read : scored_as_drawn (draft_masked k read).
Proof.
elim: k read => //= k IH read; case: eqP => // /eqP some.
have q'_law := masked_law (q_law read) some; split=> // [d _|]; first exact: law_ge0 q'_law d.
exact: law_total q'_law.
Qed.

(** TLI is lossless, many-to-one maps included. *)
Theorem tli_lossless c : lossless T p c (tli_round c).
Proof. by apply: standard_lossless => //; exact: draft_masked_scored_as_drawn. Qed.

(** So is its block form. *)
Theorem block_tli_lossless c : lossless T p c
  (drafts <~ draft (draft_masked (K c) (re_encode c)) ;; verify_block T p c drafts).
Proof. by apply: block_verification_lossless => //; exact: draft_masked_scored_as_drawn. Qed.

End Algorithm.

(** * A block of drafts, verified token by token

    Algorithm 5 of the paper. First all drafts are drawn, then they are verified from the left:
    the first rejection replaces the draft and ends the block, and a bonus token follows when all
    are accepted. Drafting is any finite tree of draws: what is drawn next, and whether anything is,
    may depend on the context, on all that was drawn, and on what the drafter keeps to itself. Each
    draw proposes a token, or nothing, and is scored by the law of the token it proposes. Whatever
    the tree, the block is lossless. The box, with K drafts from q, is one such tree; so is the
    union baseline (Algorithm 1), with q over another vocabulary. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions StandardRule Decoding.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Drafting.
Variables (R : realFieldType) (token : eqType).

(** A draft: the token proposed, or nothing, and the law that scores it. *)
Definition drafted : Type := (option token * (token -> R))%type.

Inductive drafting : Type :=
| Stop
| Draft (X : eqType) (xs : seq X) (weight : X -> R) (proposed : X -> option token)
    (score : token -> R) (next : X -> drafting).

Fixpoint draft (d : drafting) : program R (seq drafted) :=
  match d with
  | Stop => Return [::]
  | Draft _ xs weight proposed score next =>
      o <~ draw xs weight ;; rest <~ draft (next o) ;; Return ((proposed o, score) :: rest)
  end.

(** Every draft is drawn from a law, and scored by the law of the token that it proposes. *)
Fixpoint scored_as_drawn (d : drafting) : Prop :=
  match d with
  | Stop => True
  | Draft _ xs weight proposed score next =>
      [/\ forall o, o \in xs -> 0 <= weight o, total xs weight = 1,
          score =1 law_of_proposal (o <~ draw xs weight ;; Return (proposed o))
        & forall o, o \in xs -> scored_as_drawn (next o)]
  end.

Lemma expect_first_draft (X : eqType) (xs : seq X) weight proposed score next f :
  expect (draft (Draft xs weight proposed score next)) f
  = total xs (fun o =>
      weight o * expect (draft (next o)) (fun rest => f ((proposed o, score) :: rest))).
Proof. by apply: eq_total => o; congr (_ * _); exact: expect_bind. Qed.

Lemma draft_proper d : scored_as_drawn d -> proper (draft d).
Proof.
elim: d => [|X xs w prop sc next IH] //= [ge0 one _ ok]; split=> // o oxs.
by apply: proper_bind => //; apply: IH; apply: ok.
Qed.

(** The box: at most [k] drafts after [c], each from q, a sub-law over D. *)
Variables (D : seq token) (q : seq token -> token -> R).

Fixpoint draft_tokens (k : nat) (c : seq token) : drafting :=
  if k is k'.+1 then
    Draft (None :: map Some D) (fun o => if o is Some x then q c x else 1 - total D (q c)) id (q c)
      (fun o => if o is Some x then draft_tokens k' (rcons c x) else Stop)
  else Stop.

Lemma draft_tokens_scored_as_drawn k c :
  uniq D -> (forall c, sub_law D (q c)) -> scored_as_drawn (draft_tokens k c).
Proof.
move=> D_uniq q_law; elim: k c => //= k IH c.
have [ge0 one _] := draw_or_nothing_proper (q_law c); split=> //; last by case.
exact: law_of_proposal_drawn D_uniq (q_law c).
Qed.

End Drafting.

Arguments Stop {R token}.

Section Verification.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : seq token -> token -> R).
Hypotheses (T_uniq : uniq T) (p_law : forall c, law T (p c)).

Fixpoint verify (c : seq token) (drafts : seq (drafted R token)) : program R (seq token) :=
  match drafts with
  | [::] => bonus <~ draw T (p c) ;; Return [:: bonus]
  | (o, score) :: rest =>
      r <~ standard_rule T (p c) score o ;;
      let: (accepted, x) := r in
      if accepted then block <~ verify (rcons c x) rest ;; Return (x :: block) else Return [:: x]
  end.

Lemma expect_verify c o score rest f :
  expect (verify c ((o, score) :: rest)) f
  = expect (standard_rule T (p c) score o) (fun r =>
      if r.1 then expect (verify (rcons c r.2) rest) (fun b => f (r.2 :: b)) else f [:: r.2]).
Proof.
rewrite [LHS]expect_bind; apply: eq_expect => -[[] x] //; exact: expect_bind.
Qed.

Lemma verify_keeps_martingales d c g : scored_as_drawn d -> martingale T p c g ->
  expect (drafts <~ draft d ;; verify c drafts) g = g [::].
Proof.
elim: d c g => [|X xs w prop score next IH] c g => [_ mart|[ge0 one scored ok] mart].
  exact: martingale_start.
rewrite -(martingale_start mart).
have proposal_ok: proper (o <~ draw xs w ;; Return (prop o)) by [].
rewrite -(standard_rule_lossless T_uniq (p_law c) proposal_ok scored (fun x => g [:: x])).
rewrite expect_bind expect_first_draft; apply: eq_total_seq => o oxs; congr (_ * _).
under eq_expect do rewrite expect_verify.
rewrite expect_swap; apply: eq_expect => -[[] x] /=; last first.
  by rewrite expect_const //; apply: draft_proper; apply: ok.
by rewrite -expect_bind IH //; [apply: ok|exact: martingale_after].
Qed.

(** Token-wise verification is lossless, however the drafts are drawn. *)
Theorem standard_lossless d c : scored_as_drawn d ->
  lossless T p c (drafts <~ draft d ;; verify c drafts).
Proof.
by move=> scored; apply: martingale_lossless => // g; exact: verify_keeps_martingales.
Qed.

(** The box: K drafts from q, with K and q depending on the context; q over any vocabulary. *)
Variables (D : seq token) (q : seq token -> token -> R) (K : seq token -> nat).
Hypotheses (D_uniq : uniq D) (q_law : forall c, sub_law D (q c)).

Definition standard_round (c : seq token) : program R (seq token) :=
  drafts <~ draft (draft_tokens D q (K c) c) ;; verify c drafts.

Theorem standard_block_lossless c : lossless T p c (standard_round c).
Proof. by apply: standard_lossless; exact: draft_tokens_scored_as_drawn. Qed.

End Verification.

(** Algorithm 1, the union baseline: p and q extended by zero to T u D. A law over T is zero
    elsewhere, and so is one over D; extending changes nothing, and the box is run as it is. *)
Section Union.
Variables (R : realFieldType) (token : eqType) (T D : seq token).
Variables (p q : seq token -> token -> R) (K : seq token -> nat).
Hypotheses (T_uniq : uniq T) (D_uniq : uniq D).
Hypotheses (p_law : forall c, law T (p c)) (q_law : forall c, law D (q c)).

Definition union_round (c : seq token) : program R (seq token) := standard_round T p D q K c.

Theorem union_lossless c : lossless T p c (union_round c).
Proof. by apply: standard_block_lossless => // c'; exact: law_sub. Qed.

(** A draft that T lacks is never accepted. *)
Theorem union_rejects_foreign_drafts c x : x \notin T -> accept_probability (p c) (q c) x = 0.
Proof. exact: accept_probability_off. Qed.

(** Its acceptance is the sum of min(p, q) over T n D. *)
Theorem union_acceptance c :
  overlap T (p c) (q c) = total [seq x <- T | x \in D] (fun x => Num.min (p c x) (q c x)).
Proof.
rewrite /overlap !totalE big_filter [RHS]big_mkcond; apply: eq_bigr => x _.
by case: ifPn => // xD; rewrite (law_off (q_law c) xD) min_r //; exact: law_ge0 (p_law c) x.
Qed.

End Union.

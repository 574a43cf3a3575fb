(** * Decoding: the target, and what it means for a round to be lossless

    The target gives a law of the next token for every context. Autoregressive decoding draws one
    token after the other. A round of a speculative decoder emits a block; it is lossless at a
    context when the block, completed by the target's own draws to any length (and cut there), has
    the law of as many autoregressive draws. The device of the proofs: a function of what is emitted
    is a martingale when its value is its mean over the target's next token; a round that leaves the
    mean of every martingale where it started is lossless. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Decoding.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : seq token -> token -> R).
Implicit Types (c s b : seq token) (n : nat) (m : program R (seq token)).

(** [n] draws from the target after the context [c]. *)
Fixpoint autoregressive n c : program R (seq token) :=
  if n is n'.+1 then
    x <~ draw T (p c) ;; rest <~ autoregressive n' (rcons c x) ;; Return (x :: rest)
  else Return [::].

(** A block made [n] tokens long: cut, or continued by the target. *)
Definition complete n c b : program R (seq token) :=
  rest <~ autoregressive (n - size b) (c ++ b) ;; Return (take n b ++ rest).

Definition lossless c m : Prop :=
  forall n f, expect (b <~ m ;; complete n c b) f = expect (autoregressive n c) f.

(** The same for one string: the probability due is the probability given. *)
Lemma lossless_probability c m : lossless c m ->
  forall n s, probability (b <~ m ;; complete n c b) s = probability (autoregressive n c) s.
Proof. by move=> lossless_m n s; apply: lossless_m. Qed.

Definition martingale c (g : seq token -> R) : Prop :=
  forall s, g s = total T (fun x => p (c ++ s) x * g (rcons s x)).

Lemma martingale_after c x g : martingale c g -> martingale (rcons c x) (fun s => g (x :: s)).
Proof. by move=> mart s; rewrite mart; apply: eq_total => y; rewrite cat_rcons. Qed.

Lemma martingale_start c g : martingale c g -> total T (fun x => p c x * g [:: x]) = g [::].
Proof. by move=> mart; rewrite [RHS]mart; apply: eq_total => x; rewrite cats0. Qed.

Hypothesis p_law : forall c, law T (p c).

Lemma autoregressive_proper n c : proper (autoregressive n c).
Proof.
elim: n c => //= n IH c; split=> [x _||x _]; [exact: law_ge0 (p_law c) x|exact: law_total|].
exact: proper_bind.
Qed.

Lemma complete_proper n c b : proper (complete n c b).
Proof. by apply: proper_bind => //; exact: autoregressive_proper. Qed.

Lemma completed_martingale c n f : martingale c (fun b => expect (complete n c b) f).
Proof.
move=> b; rewrite /complete; case left: (n - size b)%N => [|k].
  have long: (n <= size b)%N by rewrite -subn_eq0 left.
  rewrite (@eq_total _ _ _ _ (fun x => expect (complete n c b) f * p (c ++ b) x)) => [|x].
    by rewrite total_scale (law_total (p_law _)) mulr1 /complete left.
  rewrite /complete left size_rcons subnS left /= mulrC -cats1 takel_cat //.
have short: (size b < n)%N by rewrite -subn_gt0 left.
rewrite expect_bind /=; apply: eq_total => x; congr (_ * _).
rewrite size_rcons subnS left /= !expect_bind -rcons_cat; apply: eq_expect => rest /=.
by rewrite take_oversize 1?ltnW // take_oversize ?size_rcons // cat_rcons.
Qed.

(** What is kept by the mean of every martingale is lossless. *)
Theorem martingale_lossless c m :
  (forall g, martingale c g -> expect m g = g [::]) -> lossless c m.
Proof.
move=> keeps n f; rewrite expect_bind (keeps _ (completed_martingale c n f)) expect_bind subn0 cats0.
exact: eq_expect.
Qed.

End Decoding.

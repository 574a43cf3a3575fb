(** * Rounds to runs

    A run repeats rounds until it has n tokens, as `draftproof.reference.rounds.generate` does. What
    a round carries to the next one is a state of any type: caches, windows, statistics. If every
    round is lossless at every context and in every state, and never emits nothing, then the run has
    exactly the law of n autoregressive draws, for every n. An end of sequence ends the run, and
    what was drawn behind it is never seen: cutting there changes the law of the run as it changes
    that of autoregressive decoding. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions StandardRule Decoding Block.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Run.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : seq token -> token -> R).
Hypothesis p_law : forall c, law T (p c).

Variables (state : Type) (round : state -> seq token -> program R (seq token * state)).

Definition emitted (r : seq token * state) : seq token := r.1.

(** Rounds until there are [n] tokens, or [rounds] rounds were run. *)
Fixpoint run (rounds n : nat) (s : state) (c : seq token) : program R (seq token) :=
  match rounds, n with
  | rounds'.+1, _.+1 =>
      r <~ round s c ;;
      let: (block, s') := r in
      rest <~ run rounds' (n - size block) s' (c ++ block) ;; Return (take n block ++ rest)
  | _, _ => Return [::]
  end.

Hypothesis round_lossless : forall s c, lossless T p c (r <~ round s c ;; Return (emitted r)).
Hypothesis round_emits : forall s c, always (fun r => emitted r <> [::]) (round s c).

(** Lossless rounds make lossless runs, to any horizon. *)
Theorem run_lossless rounds n s c f : (n <= rounds)%N ->
  expect (run rounds n s c) f = expect (autoregressive T p n c) f.
Proof.
elim: rounds n s c f => [|k IH] [|n] s c f //= nk.
rewrite -[RHS](round_lossless s c n.+1) !expect_bind.
apply: (expect_always (round_emits s c)) => -[[//|x block] s'] _.
rewrite !expect_bind IH; last by rewrite /= subSS (leq_trans (leq_subr _ _)).
by rewrite /emitted /= /complete expect_bind.
Qed.

(** ** End of sequence *)

Variable eos : pred token.

(** Up to and with the first end of sequence. *)
Fixpoint cut (xs : seq token) : seq token :=
  if xs is x :: xs' then x :: (if eos x then [::] else cut xs') else [::].

Fixpoint stopping_autoregressive (n : nat) (c : seq token) : program R (seq token) :=
  if n is n'.+1 then
    x <~ draw T (p c) ;;
    if eos x then Return [:: x]
    else rest <~ stopping_autoregressive n' (rcons c x) ;; Return (x :: rest)
  else Return [::].

Fixpoint stopping_run (rounds n : nat) (s : state) (c : seq token) : program R (seq token) :=
  match rounds, n with
  | rounds'.+1, _.+1 =>
      r <~ round s c ;;
      let: (block, s') := r in
      let seen := cut (take n block) in
      if has eos seen then Return seen
      else rest <~ stopping_run rounds' (n - size seen) s' (c ++ seen) ;; Return (seen ++ rest)
  | _, _ => Return [::]
  end.

Lemma has_cut xs : has eos (cut xs) = has eos xs.
Proof. by elim: xs => //= x xs IH; case: (eos x); rewrite ?IH. Qed.

Lemma cut_id xs : ~~ has eos xs -> cut xs = xs.
Proof. by elim: xs => //= x xs IH; case: (eos x) => //= /IH->. Qed.

Lemma cut_cat xs ys : cut (xs ++ ys) = if has eos xs then cut xs else xs ++ cut ys.
Proof. by elim: xs => //= x xs ->; case: (eos x) => //=; case: (has eos xs). Qed.

Lemma stopping_autoregressive_is_cut n c f :
  expect (stopping_autoregressive n c) f = expect (autoregressive T p n c) (fun xs => f (cut xs)).
Proof.
elim: n c f => //= n IH c f; apply: eq_total => x; congr (_ * _).
rewrite expect_bind /=; case: (eos x) => /=; last by rewrite expect_bind IH.
by rewrite expect_const //; exact: autoregressive_proper.
Qed.

Hypothesis round_proper : forall s c, proper (round s c).

Lemma run_proper rounds n s c : proper (run rounds n s c).
Proof.
elim: rounds n s c => [|k IH] [|n] s c //=.
by apply: proper_bind => // -[block s']; apply: proper_bind.
Qed.

Lemma stopping_run_is_cut rounds n s c f : (n <= rounds)%N ->
  expect (stopping_run rounds n s c) f = expect (run rounds n s c) (fun xs => f (cut xs)).
Proof.
elim: rounds n s c f => [|k IH] [|n] s c f //= nk; rewrite !expect_bind.
apply: (expect_always (round_emits s c)) => -[b s'] nonempty; rewrite has_cut expect_bind /=.
have fewer: (n.+1 - size b <= k)%N.
  by case: b nonempty => // x b _; rewrite subSS (leq_trans (leq_subr _ _)).
case: ifP => ended.
  transitivity (expect (run k (n.+1 - size b) s' (c ++ b)) (fun=> f (cut (take n.+1 b)))).
    by rewrite expect_const //; exact: run_proper.
  by apply: eq_expect => rest; rewrite /= cut_cat ended.
rewrite cut_id ?ended // expect_bind; have [short|long] := leqP (size b) n.+1.
  move: ended; rewrite take_oversize // => ended; rewrite IH //.
  by apply: eq_expect => rest; rewrite /= cut_cat ended.
have -> : (n.+1 - size (take n.+1 b) = 0)%N by rewrite size_takel ?subnn // ltnW.
have -> : (n.+1 - size b = 0)%N by apply/eqP; rewrite subn_eq0 ltnW.
by case: k {IH nk fewer} => [|k] /=; rewrite cats0 cut_id ?ended.
Qed.

(** Runs that end at an end of sequence are lossless. *)
Theorem stopping_run_lossless rounds n s c f : (n <= rounds)%N ->
  expect (stopping_run rounds n s c) f = expect (stopping_autoregressive n c) f.
Proof.
by move=> enough; rewrite stopping_run_is_cut // run_lossless // stopping_autoregressive_is_cut.
Qed.

End Run.

(** Whole runs of the box: standard speculative decoding with p, q and the lookahead depending on
    the context. *)
Section StandardRun.
Variables (R : realFieldType) (token : eqType) (T D : seq token).
Variables (p q : seq token -> token -> R) (K : seq token -> nat).
Hypotheses (T_uniq : uniq T) (D_uniq : uniq D).
Hypotheses (p_law : forall c, law T (p c)) (q_law : forall c, sub_law D (q c)).

Definition standard_run : nat -> seq token -> program R (seq token) := fun n =>
  run (fun (_ : unit) c => b <~ standard_round T p D q K c ;; Return (b, tt)) n n tt.

Lemma verify_emits c drafts : always (fun b => b <> [::]) (verify T p c drafts).
Proof.
elim: drafts c => [|[o score] rest IH] c //=; apply: (always_bind (always_true _ _)) => //.
by move=> [[] x] _ //=; apply: (always_bind (IH _)).
Qed.

Theorem standard_run_lossless n c f :
  expect (standard_run n c) f = expect (autoregressive T p n c) f.
Proof.
apply: run_lossless => // [[] c'|[] c'].
  move=> k h; rewrite -(standard_block_lossless T_uniq p_law K D_uniq q_law c') !expect_bind.
  by apply: eq_expect => b.
apply: (@always_bind _ _ _ (fun b => b <> [::])) => //.
by apply: (always_bind (always_true _ _)) => // drafts _; exact: verify_emits.
Qed.

End StandardRun.

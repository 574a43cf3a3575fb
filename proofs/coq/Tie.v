(** * The tie to the code

    What the theorems speak about computes: set R to the rationals of Rationals.v and a vocabulary to
    a list of ids, and [leaves] gives the law of any program as a list. [agrees] compares it with a
    table of numbers, and [agreement] says what a comparison that succeeds is worth: the program has
    exactly the law of the table. The tables come from the Python algorithms, on the gallery and on
    random pairs; `draftproof.proofs.coq_tie` writes them, each as an example that Coq runs. Below,
    the rounds are the ones of the theorems, fed from tables. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From Coq Require Export ZArith.
From draftproof Require Export Rationals Distributions StandardRule Decoding Block Run ExactMatch.
From draftproof Require Export StringLevel TokenLevelIntersection BlockVerification.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Laws as lists *)

Section Leaves.
Variable R : realFieldType.

Fixpoint leaves (A : Type) (m : program R A) : seq (A * R) :=
  match m with
  | Return a => [:: (a, 1)]
  | Draw _ xs weight next =>
      flatten [seq (let w := weight x in
        if w == 0 then [::] else [seq (leaf.1, w * leaf.2) | leaf <- leaves (next x)]) | x <- xs]
  end.

Lemma expect_leaves A (m : program R A) f :
  expect m f = total (leaves m) (fun leaf => leaf.2 * f leaf.1).
Proof.
elim: m => [a|X xs weight next IH] /=; first by rewrite addr0 mul1r.
rewrite !totalE big_flatten big_map; apply: eq_bigr => x _.
case: eqP => [->|_]; first by rewrite mul0r big_nil.
by rewrite IH totalE big_map mulr_sumr; apply: eq_bigr => leaf _; rewrite mulrA.
Qed.

Variable A : eqType.
Implicit Types (m : program R A) (rows : seq (A * R)).

Definition weight_at rows (a : A) : R := total rows (fun row => if row.1 == a then row.2 else 0).

(** The law of [m] is the table [rows], and nothing besides. *)
Definition agrees m rows : bool :=
  let law := leaves m in
  let outcomes := [seq row.1 | row <- rows] in
  [&& uniq outcomes, all (fun leaf => leaf.1 \in outcomes) law
    & all (fun row => weight_at law row.1 == row.2) rows].

Theorem agreement m rows : agrees m rows ->
  forall f, expect m f = total rows (fun row => row.2 * f row.1).
Proof.
case/and3P => rows_uniq /allP known /allP equal f; rewrite expect_leaves.
transitivity (total (leaves m) (fun leaf => total rows (fun row =>
    if leaf.1 == row.1 then leaf.2 * f row.1 else 0))).
  apply: eq_total_seq => leaf /known leaf_known.
  rewrite -[LHS](total_pick (fun a => leaf.2 * f a) rows_uniq leaf_known) !totalE big_map.
  by apply: eq_bigr => row _; rewrite eq_sym.
rewrite total_swap; apply: eq_total_seq => row /equal/eqP <-.
rewrite /weight_at mulrC -total_scale; apply: eq_total => leaf.
by case: eqP => _; rewrite ?mulr0 // mulrC.
Qed.

End Leaves.

(** ** Rounds from tables *)

Notation Q := number_realFieldType.

(** Laws by context; tokens are ids. *)
Definition laws (rows : seq (seq nat * seq Q)) (c : seq nat) (x : nat) : Q :=
  if [seq row <- rows | row.1 == c] is row :: _ then nth 0 row.2 x else 0.

Definition entry (A : Type) (nothing : A) (rows : seq (seq nat * A)) (key : seq nat) : A :=
  if [seq row <- rows | row.1 == key] is row :: _ then row.2 else nothing.

(** A pair at one context, as tables: sizes, laws, the drafter's ids for the context if it can read
    it, and what each drafter id means to the target. *)
Record pair := Pair {
  target_size : nat; drafter_size : nat;
  context : seq nat; read : option (seq nat); lookahead : nat;
  target_laws : seq (seq nat * seq Q); drafter_laws : seq (seq nat * seq Q);
  meanings : seq (option nat); end_of_sequence : option nat
}.

(** String-level drafts: where the stop rule ends them, and the target's ids for each. *)
Record strings := Strings { cap : nat; stops : seq (seq nat); tokenized : seq (seq nat * seq nat) }.

Section Rounds.
Variable a : pair.

Definition T : seq nat := iota 0 (target_size a).
Definition D : seq nat := iota 0 (drafter_size a).
Definition p : seq nat -> nat -> Q := laws (target_laws a).
Definition q : seq nat -> nat -> Q := laws (drafter_laws a).
Definition meaning (d : nat) : option nat := nth None (meanings a) d.
Definition seen (m : program Q (seq nat)) : program Q (seq nat) :=
  b <~ m ;; Return (cut (fun x => end_of_sequence a == Some x) b).

Definition drafts_of (k : nat) : nat := if read a is Some _ then k else 0%nat.
Definition reading : seq nat := odflt [::] (read a).

Definition standard : program Q (seq nat) :=
  seen (standard_round T p D q (fun=> lookahead a) (context a)).

Definition union : program Q (seq nat) :=
  seen (union_round_over_ids T D meaning p q (fun=> reading) (fun=> drafts_of (lookahead a)) (context a)).

Definition tli : program Q (seq nat) :=
  seen (tli_round T D meaning p q (fun=> reading) (fun=> drafts_of (lookahead a)) (context a)).

Definition block : program Q (seq nat) :=
  seen (drafts <~ draft (draft_ids D meaning q (drafts_of (lookahead a)) reading) ;;
        verify_block T p (context a) drafts).

Definition exact_match : program Q (seq nat) :=
  seen (r <~ exact_match_round T p (fun (_ : unit) _ =>
          drafts <~ draft (draft_ids D meaning q (drafts_of (lookahead a)) reading) ;;
          Return (pmap fst (take (find (fun d => ~~ isSome d.1) drafts) drafts), tt)) tt (context a) ;;
        Return r.1).

Variable s : strings.

Definition proposal : program Q (seq nat) :=
  if read a is Some ids then
    drafts <~ draft_string D q (cap s) (fun drafts => drafts \in stops s) ids [::] ;;
    Return (entry [::] (tokenized s) drafts)
  else Return [::].

Definition slem : program Q (seq nat) :=
  seen (ts <~ proposal ;; match_candidates T p (context a) ts).

Definition slrs : program Q (seq nat) := seen (slrs_round T p (fun=> proposal) (context a)).

Definition slrs_one : program Q (seq nat) :=
  seen (r <~ slrs_one_token T p proposal (context a) ;; Return [:: r.2]).

End Rounds.

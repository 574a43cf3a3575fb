(** * Counterexamples

    What goes wrong when a condition of a theorem is dropped, on the smallest numbers found. Every
    example is computed by Coq from the definitions that the theorems are about; laws are written as
    tables from outcome to probability, and distances are total variation. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Tie AcceptedTokens.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** A law from its numbers, the same at every context. *)
Definition numbers (row : seq Q) (x : nat) : Q := nth 0 row x.

(** What [m] returns, measured against a law over [T]. *)
Definition distance (T : seq nat) (m : program Q nat) (p : nat -> Q) : Q :=
  total_variation T (fun x => probability m x) p.

(** ** Strings: T = {a, b, ab} by longest match, D = {a, b}, two drafts *)

Definition a := 0%nat.
Definition b := 1%nat.
Definition ab := 2%nat.
Definition T3 := [:: a; b; ab].

Definition spelling (t : nat) : seq nat := if t == ab then [:: a; b] else [:: t].

Fixpoint longest_match (text : seq nat) : seq nat :=
  match text with
  | 0%nat :: 1%nat :: rest => ab :: longest_match rest
  | letter :: rest => letter :: longest_match rest
  | [::] => [::]
  end.

Definition uniform_letters : seq nat -> nat -> Q := fun _ => numbers [:: 1 // 2; 1 // 2].
Definition drafts_of_length i := draft_string [:: a; b] uniform_letters i pred0 [::] [::].
Definition candidates i := drafts <~ drafts_of_length i ;; Return (longest_match drafts).
Definition uniform := numbers [:: 1 // 3; 1 // 3; 1 // 3].

(** SLRS with some other function in place of psi. *)
Definition scored_by (i : nat) (score : nat -> Q) : program Q nat :=
  ts <~ candidates i ;; r <~ standard_rule T3 uniform score (ohead ts) ;; Return r.2.

(** With psi it is lossless, as proved. *)
Example psi_is_lossless : distance T3 (scored_by 2 (psi (candidates 2))) uniform == 0.
Proof. by vm_compute. Qed.

(** Objection 3. The probability that the text begins with the characters of t is not that of
    proposing t: it sums to 5/4, and as a score it is lossy. *)
Definition composition_count (i : nat) (t : nat) : Q :=
  expect (drafts_of_length i) (fun ds => (take (size (spelling t)) ds == spelling t)%:R).

Example composition_counts_sum_to_five_quarters : total T3 (composition_count 2) == 5 // 4.
Proof. by vm_compute. Qed.

Example composition_counts_are_lossy :
  agrees (scored_by 2 (composition_count 2)) [:: (a, 1 // 6); (b, 1 // 3); (ab, 1 // 2)]
  && (distance T3 (scored_by 2 (composition_count 2)) uniform == 1 // 6).
Proof. by vm_compute. Qed.

(** Objection 2's condition: psi must belong to the rule that stops the drafts. *)
Example mismatched_stop_rule_is_lossy :
  distance T3 (scored_by 2 (psi (candidates 1))) uniform == 1 // 6.
Proof. by vm_compute. Qed.

(** Several tokens a round need psi_k, given the candidates before; psi again is lossy. *)
Definition two_tokens (psi_k : seq nat -> nat -> Q) : program Q (seq nat) :=
  block <~ (ts <~ candidates 2 ;; verify T3 (fun=> uniform) [::] (score_candidates psi_k [::] ts)) ;;
  complete T3 (fun=> uniform) 2 [::] block.

Definition pairs_of_tokens := [seq [:: x; y] | x <- T3, y <- T3].
Definition two_token_distance psi_k : Q :=
  total_variation pairs_of_tokens (probability (two_tokens psi_k))
    (probability (autoregressive T3 (fun=> uniform) 2 [::])).

Example conditional_psi_is_lossless : two_token_distance (psi_after (candidates 2)) == 0.
Proof. by vm_compute. Qed.

Example unconditional_psi_is_lossy : 0 < two_token_distance (fun=> psi (candidates 2)).
Proof. by vm_compute. Qed.

(** Lemma 3.1 bounds the terms of psi(t) by 2^(m-1), m the number of characters of t. With T = {a, b},
    D = {a, b, ab} and one draft, psi(a) has two terms, the drafts a and ab, and m = 1. *)
Example lemma_31_is_false_for_the_box :
  size [seq d <- [:: [:: a]; [:: b]; [:: a; b]] | ohead d == Some a] == 2%nat.
Proof. by vm_compute. Qed.

(** ** No proposal: psi sums to 7/10 *)

Definition p3 := numbers [:: 1 // 2; 3 // 10; 1 // 5].
Definition psi3 := numbers [:: 1 // 10; 1 // 10; 1 // 2].
Definition or_else (otherwise : program Q nat) : program Q nat :=
  o <~ draw_or_nothing T3 psi3 ;;
  if o is None then otherwise else r <~ standard_rule T3 p3 psi3 o ;; Return r.2.

Example no_proposal_then_residual : distance T3 (or_else (draw T3 (residual T3 p3 psi3))) p3 == 0.
Proof. by vm_compute. Qed.

Example no_proposal_then_p_is_lossy : 0 < distance T3 (or_else (draw T3 p3)) p3.
Proof. by vm_compute. Qed.

Example no_proposal_acceptance : overlap T3 p3 psi3 == 2 // 5.
Proof. by vm_compute. Qed.

(** ** TLI: two drafter ids with one meaning must be summed *)

Definition T2 := [:: 0; 1]%nat.
Definition p2 := numbers [:: 3 // 5; 2 // 5].
Definition ids := [:: 0; 1; 2]%nat.
Definition id_law := numbers [:: 1 // 2; 1 // 4; 1 // 4].
Definition id_meaning (d : nat) : option nat := if d == 0%nat then Some 0%nat else Some 1%nat.
Definition by_ids (score : nat -> Q) : program Q nat :=
  d <~ draw ids id_law ;; r <~ standard_rule T2 p2 score (id_meaning d) ;; Return r.2.

Example summed_preimages_are_lossless : distance T2 (by_ids (pushed_forward ids id_meaning id_law)) p2 == 0.
Proof. by vm_compute. Qed.

Example one_preimage_is_lossy :
  agrees (by_ids (numbers [:: 1 // 2; 1 // 4])) [:: (0%nat, 1 // 2); (1%nat, 1 // 2)]
  && (distance T2 (by_ids (numbers [:: 1 // 2; 1 // 4])) p2 == 1 // 10).
Proof. by vm_compute. Qed.

(** ** Theorem 4.1 needs its filters before the mask

    Top-p with 3/10: the fewest likeliest tokens that reach it, renormalised. Token 1 is outside T,
    p is certain of token 0. *)
Fixpoint reaching (mass : Q) (tokens : seq nat) (q : nat -> Q) : seq nat :=
  if tokens is x :: rest then x :: (if mass <= q x then [::] else reaching (mass - q x) rest q)
  else [::].

Definition top_p (mass : Q) (tokens : seq nat) (q : nat -> Q) (x : nat) : Q :=
  let kept := reaching mass tokens q in if x \in kept then q x / total kept q else 0.

Definition D16 := iota 0 16.
Definition T15 := [seq x <- D16 | x != 1%nat].
Definition q16 (x : nat) : Q :=
  numbers ([:: 1 // 5; 1 // 10; 3 // 50; 3 // 50] ++ nseq 12 (29 // 600)) x.
Definition certain (x : nat) : Q := if x == 0%nat then 1 else 0.

Example filter_after_the_mask_accepts_less :
  (overlap T15 certain (top_p (3 // 10) D16 q16) == 2 // 3)
  && (overlap T15 certain (top_p (3 // 10) T15 (masked T15 D16 Some q16)) == 5 // 8).
Proof. by vm_compute. Qed.

Example filter_before_the_mask_accepts_more :
  2 // 3 <= overlap T15 certain (masked T15 D16 Some (top_p (3 // 10) D16 q16)).
Proof. by vm_compute. Qed.

(** ** Block verification accepts more than token by token: 11/9 against 10/9 drafts *)

Definition drafts2 := draft_tokens T2 (fun=> numbers [:: 2 // 3; 1 // 3]) 2 [::].
Definition third : seq nat -> nat -> Q := fun=> numbers [:: 1 // 3; 2 // 3].

Example token_wise_accepts_ten_ninths : expected_accepted T2 third [::] drafts2 == 10 // 9.
Proof. by vm_compute. Qed.

Example block_accepts_eleven_ninths :
  expect (drafts <~ draft drafts2 ;; verify_block T2 third [::] drafts) (@accepted _ _) == 11 // 9.
Proof. by vm_compute. Qed.

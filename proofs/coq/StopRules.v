(** * SLRS under any stop rule with a cap

    The box of Algorithm 3, spelled out: the drafter draws tokens until the stop rule, which sees what
    is drafted, holds, or until their number reaches the cap; the target's tokenizer, any function,
    makes candidates of them. psi belongs to that rule: it is the sum over the drafts at which the
    rule can stop of their probability, as far as their first candidate is t. This answers the
    objection that Theorem 3.2 is stated for a fixed number of drafts. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions StandardRule Decoding Block ExactMatch StringLevel.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section StopRules.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : seq token -> token -> R).
Hypotheses (T_uniq : uniq T) (p_law : forall c, law T (p c)).
Variables (draft_token : eqType) (D : seq draft_token).
Variable q : seq draft_token -> draft_token -> R.
Hypothesis q_law : forall s, law D (q s).
Variables (re_encode : seq token -> seq draft_token) (re_tokenize : seq draft_token -> seq token).

(** The rule and the cap may depend on the context. *)
Variables (cap : seq token -> nat) (done : seq token -> pred (seq draft_token)).

Definition propose (c : seq token) : program R (seq token) :=
  drafts <~ draft_string D q (cap c) (done c) (re_encode c) [::] ;; Return (re_tokenize drafts).

Lemma propose_proper c : proper (propose c).
Proof. by apply: proper_bind => //; exact: draft_string_proper. Qed.

(** Step 3 of the box. *)
Theorem psi_sums_over_drafts c t :
  psi (propose c) t
  = expect (draft_string D q (cap c) (done c) (re_encode c) [::])
      (fun drafts => (ohead (re_tokenize drafts) == Some t)%:R).
Proof. exact: expect_bind. Qed.

Theorem slrs_any_stop_rule_one_token c F :
  expect (slrs_one_token T p (propose c) c) (fun r => F r.2) = total T (fun y => p c y * F y).
Proof. by apply: slrs_one_token_lossless => //; exact: propose_proper. Qed.

(** Several tokens; the tokenizer gives the target's own tokens. *)
Theorem slrs_any_stop_rule_lossless c : (forall drafts, {subset re_tokenize drafts <= T}) ->
  lossless T p c (slrs_round T p propose c).
Proof.
move=> in_T; apply: slrs_lossless => //; first exact: propose_proper.
by apply: (always_bind (always_true _ _)) => // drafts _; exact: in_T.
Qed.

End StopRules.

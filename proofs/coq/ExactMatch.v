(** * Exact match, and SLEM (Algorithm 2)

    The target draws its own token at every position; the candidates only decide how long that goes
    on. So the block is lossless whatever the candidates are: any tokens, from any program, with any
    tokenizers, realigned or not, with any lookahead and any state carried between rounds. Nothing is
    asked of the tokenizers, not even that they be injective. The theorem for SLEM is the same: its
    candidates are T(d_1 (+) .. (+) d_i). What is asked is that the target reads the tokens that were
    emitted: when it reads them re-tokenized, what is decoded is another law, and it is the right one
    exactly if p agrees at the contexts that can be reached. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions StandardRule Decoding.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section ExactMatch.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : seq token -> token -> R).
Hypotheses (T_uniq : uniq T) (p_law : forall c, law T (p c)).

(** Fresh draws from p, as long as they equal the candidates; the last one need not. *)
Fixpoint match_candidates (c candidates : seq token) : program R (seq token) :=
  y <~ draw T (p c) ;;
  match candidates with
  | t :: rest =>
      if y == t then block <~ match_candidates (rcons c y) rest ;; Return (y :: block)
      else Return [:: y]
  | [::] => Return [:: y]
  end.

Lemma match_keeps_martingales c candidates g : martingale T p c g ->
  expect (match_candidates c candidates) g = g [::].
Proof.
elim: candidates c g => [|t rest IH] c g mart; rewrite -(martingale_start mart) //=.
apply: eq_total => y; congr (_ * _); case: eqP => _ //.
by rewrite expect_bind IH //; exact: martingale_after.
Qed.

(** Whatever the candidates, the block is lossless. *)
Theorem match_lossless c candidates : lossless T p c (match_candidates c candidates).
Proof. by apply: martingale_lossless => // g; exact: match_keeps_martingales. Qed.

(** ** Any proposal mechanism

    It may draw, and keep a state from round to round. *)
Variables (state : Type) (propose : state -> seq token -> program R (seq token * state)).
Hypothesis propose_proper : forall s c, proper (propose s c).

Definition exact_match_round (s : state) (c : seq token) : program R (seq token * state) :=
  proposal <~ propose s c ;;
  block <~ match_candidates c proposal.1 ;; Return (block, proposal.2).

(** Exact match is lossless for every proposal mechanism, in every state. *)
Theorem exact_match_lossless s c :
  lossless T p c (r <~ exact_match_round s c ;; Return r.1).
Proof.
apply: martingale_lossless => // g mart; rewrite !expect_bind.
transitivity (expect (propose s c) (fun=> g [::])); last exact: expect_const.
apply: eq_expect => proposal; rewrite expect_bind -(match_keeps_martingales proposal.1 mart).
exact: eq_expect.
Qed.

End ExactMatch.

(** ** SLEM *)

Section StringLevelExactMatch.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : seq token -> token -> R).
Hypotheses (T_uniq : uniq T) (p_law : forall c, law T (p c)).

(** Drafts are drawn until a stop rule holds, or their number reaches a cap. The drafter reads the
    context in its own tokens, by any function; the rule sees what is drafted. *)
Variables (draft_token : eqType) (D : seq draft_token).
Variable q : seq draft_token -> draft_token -> R.
Hypothesis q_law : forall s, law D (q s).

Fixpoint draft_string (cap : nat) (done : pred (seq draft_token)) (read drafts : seq draft_token) :
    program R (seq draft_token) :=
  match cap, done drafts with
  | cap'.+1, false => d <~ draw D (q (read ++ drafts)) ;; draft_string cap' done read (rcons drafts d)
  | _, _ => Return drafts
  end.

Lemma draft_string_proper cap done read drafts : proper (draft_string cap done read drafts).
Proof.
elim: cap drafts => [|cap IH] drafts //=; case: (done drafts) => //=.
by split=> // [x _|]; [exact: law_ge0 (q_law _) x|exact: law_total (q_law _)].
Qed.

(** D(the context's text), and T(the drafts' text): no law of tokenizers is assumed. *)
Variables (re_encode : seq token -> seq draft_token) (re_tokenize : seq draft_token -> seq token).
Variables (cap : nat) (done : pred (seq draft_token)).

Definition slem_round (c : seq token) : program R (seq token) :=
  drafts <~ draft_string cap done (re_encode c) [::] ;; match_candidates T p c (re_tokenize drafts).

(** Algorithm 2 is lossless, for arbitrary tokenizers and any lookahead. *)
Theorem slem_lossless c : lossless T p c (slem_round c).
Proof.
apply: martingale_lossless => // g mart; rewrite expect_bind.
rewrite -[RHS](expect_const _ (draft_string_proper cap done (re_encode c) [::])).
by apply: eq_expect => drafts; exact: match_keeps_martingales.
Qed.

(** With a state from round to round, as the realignment of look-behind windows keeps, and with
    both encodings depending on it and on the context. *)
Variables (window : Type) (read_in : window -> seq token -> seq draft_token).
Variables (candidates_in : window -> seq token -> seq draft_token -> seq token).
Variables (moved : window -> seq token -> seq draft_token -> window).

Definition realigned_slem_round (w : window) (c : seq token) : program R (seq token * window) :=
  exact_match_round T p (fun w c =>
    drafts <~ draft_string cap done (read_in w c) [::] ;;
    Return (candidates_in w c drafts, moved w c drafts)) w c.

Theorem realigned_slem_lossless w c :
  lossless T p c (r <~ realigned_slem_round w c ;; Return r.1).
Proof.
apply: exact_match_lossless => // w' c'; apply: proper_bind => //.
exact: draft_string_proper.
Qed.

End StringLevelExactMatch.

(** ** When the target reads its context re-tokenized *)

Section Retokenized.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : seq token -> token -> R).
Hypotheses (T_uniq : uniq T) (p_law : forall c, law T (p c)).

(** The probability that decoding begins with [s]. *)
Fixpoint begins (p : seq token -> token -> R) (c s : seq token) : R :=
  if s is x :: s' then p c x * begins p (rcons c x) s' else 1.

Variable rewritten : seq token -> seq token.
Definition reads_rewritten (c : seq token) : token -> R := p (rewritten c).

(** Every string has its due probability exactly if p, at the rewritten context, agrees with p at
    the actual one, wherever a context can be reached. *)
Theorem retokenizing_breaks_exactly_when c :
  (forall s, begins reads_rewritten c s = begins p c s)
  <-> (forall s, begins p c s != 0 -> forall x, p (rewritten (c ++ s)) x = p (c ++ s) x).
Proof.
have begins_rcons : forall p' c' s x,
    begins p' c' (rcons s x) = begins p' c' s * p' (c' ++ s) x.
  move=> p' c' s x; elim: s c' => [|y s IH] c' /=; first by rewrite cats0 mul1r mulr1.
  by rewrite IH mulrA cat_rcons.
split=> [agree s reached x|agree s].
  by have := agree (rcons s x); rewrite !begins_rcons agree => /(mulfI reached).
elim/last_ind: s => [|s x IH] //; rewrite !begins_rcons IH.
by have [->|reached] := eqVneq (begins p c s) 0; [rewrite !mul0r|rewrite /reads_rewritten agree].
Qed.

End Retokenized.

(** * SLRS, string-level rejection sampling (Algorithm 3)

    The drafter proposes a string; the target's tokens of that string, t_1 t_2 .., are the
    candidates. What matters is only their law: psi(t), the probability that the first is t, and
    psi_k(t | t_1..t_k), the probability that the next is t given those before; what these sums lack
    to one is the probability that there is no next candidate. The candidates here come from any
    program, so from any drafts, tokenizers and stop rule with a cap: every program ends. SLRS
    emits one token as the box has it, or goes on with psi_k; both are lossless. The proof of the
    second is the chain rule: drawing the candidates at once is drawing them one by one from psi,
    psi_1, psi_2, ..., to which token-wise verification applies. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Distributions StandardRule Decoding Block.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Psi.
Variables (R : realFieldType) (token : eqType).
Implicit Types (seen ts : seq token) (proposal : program R (seq token)).

(** What follows [seen] in [ts], if [ts] begins with it. *)
Fixpoint what_follows seen ts : option (seq token) :=
  match seen, ts with
  | [::], _ => Some ts
  | s :: seen', t :: ts' => if s == t then what_follows seen' ts' else None
  | _, [::] => None
  end.

(** The probability that the candidates begin with [seen]. *)
Definition begin_with proposal seen : R :=
  expect proposal (fun ts => if what_follows seen ts is Some _ then 1 else 0).

(** psi_k( . | seen): the law of the next candidate; psi itself when [seen] is empty. *)
Definition psi_after proposal seen (t : token) : R :=
  begin_with proposal (rcons seen t) / begin_with proposal seen.

(** psi of the box: the sum, over all drafts, of their probability if t_1 = t. *)
Definition psi proposal (t : token) : R :=
  expect proposal (fun ts => (ohead ts == Some t)%:R).

(** The candidates with the laws that score them; "no further candidate" is a draft, too. *)
Fixpoint score_candidates (psi_k : seq token -> token -> R) seen ts : seq (drafted R token) :=
  match ts with
  | t :: ts' => (Some t, psi_k seen) :: score_candidates psi_k (rcons seen t) ts'
  | [::] => [:: (None, psi_k seen)]
  end.

Variables (T : seq token) (p : seq token -> token -> R).

(** The box: one token. *)
Definition slrs_one_token proposal c : program R (bool * token) :=
  ts <~ proposal ;; standard_rule T (p c) (psi proposal) (ohead ts).

(** Several tokens in one round. *)
Definition slrs_round (propose : seq token -> program R (seq token)) c : program R (seq token) :=
  ts <~ propose c ;; verify T p c (score_candidates (psi_after (propose c)) [::] ts).

Lemma what_follows_rcons seen t ts :
  what_follows (rcons seen t) ts
  = if what_follows seen ts is Some (t' :: rest) then (if t == t' then Some rest else None) else None.
Proof. by elim: seen ts => [|s seen IH] [|t' ts] //=; case: eqP. Qed.

Lemma what_followsP seen ts rest : what_follows seen ts = Some rest -> ts = seen ++ rest.
Proof.
by elim: seen ts => [|s seen IH] [|t ts] //= => [[<-]|[<-]|] //; case: eqP => // -> /IH->.
Qed.

(** psi is the law of the first candidate. *)
Lemma psi_is_law_of_first_candidate proposal :
  psi proposal =1 law_of_proposal (ts <~ proposal ;; Return (ohead ts)).
Proof. by move=> t; rewrite /law_of_proposal /probability expect_bind. Qed.

End Psi.

Section Lossless.
Variables (R : realFieldType) (token : eqType) (T : seq token) (p : seq token -> token -> R).
Hypotheses (T_uniq : uniq T) (p_law : forall c, law T (p c)).

(** Theorem 3.2, the box: the emitted token has the law p, whatever the proposal. *)
Theorem slrs_one_token_lossless proposal c F : proper proposal ->
  expect (slrs_one_token T p proposal c) (fun r => F r.2) = total T (fun y => p c y * F y).
Proof.
move=> ok; have first_ok: proper (ts <~ proposal ;; Return (ohead ts)) by exact: proper_bind.
rewrite -(standard_rule_lossless T_uniq (p_law c) first_ok (psi_is_law_of_first_candidate proposal)).
by rewrite !expect_bind; apply: eq_expect => ts.
Qed.

(** Its acceptance is sum min(p, psi); that of SLEM is sum p psi, which is never more: both readings
    of Theorem 3.1. *)
Theorem slrs_acceptance proposal c : proper proposal ->
  expect (slrs_one_token T p proposal c) (fun r => r.1%:R) = overlap T (p c) (psi proposal).
Proof.
move=> ok; have first_ok: proper (ts <~ proposal ;; Return (ohead ts)) by exact: proper_bind.
rewrite -(standard_rule_acceptance T_uniq (p_law c) first_ok (psi_is_law_of_first_candidate proposal)).
by rewrite !expect_bind; apply: eq_expect => ts.
Qed.

Theorem slem_acceptance proposal c :
  expect (ts <~ proposal ;; y <~ draw T (p c) ;; Return (ohead ts == Some y)) (fun b => b%:R)
  = total T (fun y => p c y * psi proposal y).
Proof.
rewrite expect_bind /psi /= expect_total; apply: eq_total => y.
by rewrite -expect_scale; apply: eq_expect => ts.
Qed.

Theorem slrs_accepts_at_least_slem proposal c : proper proposal ->
  total T (fun y => p c y * psi proposal y) <= overlap T (p c) (psi proposal).
Proof.
move=> ok; apply: total_le => y yT; have p_ge0 := law_ge0 (p_law c) y.
have psi_le1: psi proposal y <= 1.
  by rewrite -(expect_const 1 ok); apply: expect_le => // ts; rewrite lern1 leq_b1.
have psi_pos: 0 <= psi proposal y by apply: expect_ge0 => // ts; rewrite ler0n.
have p_le1: p c y <= 1.
  rewrite -(law_total (p_law c)) -(total_pick (p c) T_uniq yT); apply: total_le => x _.
  by case: eqP => // _; exact: law_ge0 (p_law c) x.
by rewrite le_minr ler_pimulr // ler_pimull.
Qed.

(** ** The chain rule *)

Section ChainRule.
Variable proposal : program R (seq token).
Hypothesis proposal_proper : proper proposal.
Hypothesis candidates_in_T : always (fun ts : seq token => {subset ts <= T}) proposal.

Let begins := begin_with proposal.
Let psi_k := psi_after proposal.

(** Either nothing follows what was seen, or one token of T does. *)
Lemma one_step seen (F : seq token -> R) :
  expect proposal (fun ts => if what_follows seen ts is Some rest then F rest else 0)
  = expect proposal (fun ts => if what_follows seen ts is Some [::] then F [::] else 0)
    + total T (fun x => expect proposal (fun ts =>
        if what_follows (rcons seen x) ts is Some rest then F (x :: rest) else 0)).
Proof.
rewrite -expect_total -expect_add; apply: (expect_always candidates_in_T) => ts ts_in_T.
have no_more: (forall x, what_follows (rcons seen x) ts = None) ->
    total T (fun x => if what_follows (rcons seen x) ts is Some rest then F (x :: rest) else 0) = 0.
  by move=> none; rewrite totalE big1 // => x _; rewrite none.
case follows: (what_follows seen ts) => [[|t rest]|].
- by rewrite no_more ?addr0 // => x; rewrite what_follows_rcons follows.
- have tT: t \in T.
    by apply: ts_in_T; rewrite (what_followsP follows) mem_cat inE eqxx orbT.
  rewrite add0r -(total_pick (fun t => F (t :: rest)) T_uniq tT); apply: eq_total => x.
  by rewrite what_follows_rcons follows; case: eqP.
- by rewrite no_more ?addr0 // => x; rewrite what_follows_rcons follows.
Qed.

Lemma begins_ge0 seen : 0 <= begins seen.
Proof. by apply: expect_ge0 => // ts; case: what_follows => *; rewrite ?ler01. Qed.

Lemma begins_total seen : total T (fun x => begins (rcons seen x)) <= begins seen.
Proof.
rewrite {2}/begins /begin_with (one_step seen (fun=> 1)) ler_addr.
by apply: expect_ge0 => // ts; case: what_follows => // -[|*]; rewrite ?ler01.
Qed.

Lemma begins_off seen x : x \notin T -> begins (rcons seen x) = 0.
Proof.
move=> xT; rewrite -[RHS](expect_const 0 proposal_proper).
apply: (expect_always candidates_in_T) => ts ts_in_T.
case follows: what_follows => [rest|] //; case/negP: xT.
by apply: ts_in_T; rewrite (what_followsP follows) mem_cat mem_rcons inE eqxx.
Qed.

Lemma begins_psi seen x : begins seen * psi_k seen x = begins (rcons seen x).
Proof.
have [none|some] := eqVneq (begins seen) 0; last by rewrite mulrC divfK.
rewrite none mul0r; apply/esym/eqP; rewrite eq_le begins_ge0 andbT -none.
have [xT|xT] := boolP (x \in T); last by rewrite begins_off ?begins_ge0.
apply: le_trans (begins_total seen).
rewrite -(total_pick (fun x => begins (rcons seen x)) T_uniq xT); apply: total_le => y _.
by case: eqP => // _; exact: begins_ge0.
Qed.

(** psi_k is a sub-law over T. *)
Lemma psi_after_sub_law seen : sub_law T (psi_k seen).
Proof.
split=> [x|x xT|]; first by rewrite divr_ge0 ?begins_ge0.
  by rewrite /psi_k /psi_after -/begins begins_off ?mul0r.
have [none|some] := eqVneq (begins seen) 0.
  rewrite totalE big1 ?ler01 // => x _.
  by rewrite /psi_k /psi_after [begin_with _ seen]none invr0 mulr0.
have some_gt0: 0 < begins seen by rewrite lt_def some begins_ge0.
rewrite -(ler_pmul2l some_gt0) mulr1 -total_scale.
by under eq_total do rewrite begins_psi; exact: begins_total.
Qed.

(** Drawing the candidates at once is drawing them one by one. *)
Theorem chain_rule k seen F : always (fun ts => (size ts < size seen + k)%N) proposal ->
  expect proposal (fun ts =>
    if what_follows seen ts is Some rest then F (score_candidates psi_k seen rest) else 0)
  = begins seen * expect (draft (draft_tokens T psi_k k seen)) F.
Proof.
elim: k seen F => [|k IH] seen F short.
  have long ts : (size ts < size seen + 0)%N -> what_follows seen ts = None.
    rewrite addn0; case follows: what_follows => [rest|] //.
    by rewrite (what_followsP follows) size_cat ltnNge leq_addr.
  rewrite (_ : begins seen = 0) ?mul0r.
    by rewrite -[RHS](expect_const 0 proposal_proper); apply: (expect_always short) => ts /long->.
  by rewrite -[RHS](expect_const 0 proposal_proper); apply: (expect_always short) => ts /long->.
rewrite one_step expect_bind expect_draw_or_nothing.
have nothing: expect proposal (fun ts => if what_follows seen ts is Some [::] then 1 else 0)
    = begins seen * (1 - total T (psi_k seen)).
  rewrite mulrBr mulr1 -total_scale; apply/eqP; rewrite -subr_eq opprK addrC; apply/eqP.
  under eq_total do rewrite begins_psi.
  by rewrite addrC /begins /begin_with [RHS](one_step seen (fun=> 1)).
rewrite mulrDr; congr (_ + _).
  rewrite mulrA -nothing mulrC -expect_scale; apply: eq_expect => ts.
  by case: what_follows => [[|t rest]|]; rewrite ?mulr1 ?mulr0.
rewrite -total_scale; apply: eq_total => x; rewrite mulrA begins_psi.
rewrite [X in _ = _ * X]expect_bind.
apply: (IH (rcons seen x) (fun rest => F ((Some x, psi_k seen) :: rest))).
by rewrite size_rcons addSnnS.
Qed.

(** As much for a verifier of any kind. *)
Lemma proposal_is_drafting (verifier : seq (drafted R token) -> program R (seq token)) :
  exists d, scored_as_drawn d /\ forall g,
    expect (ts <~ proposal ;; verifier (score_candidates psi_k [::] ts)) g
    = expect (drafts <~ draft d ;; verifier drafts) g.
Proof.
have [cap short] := program_has_a_cap size proposal.
exists (draft_tokens T psi_k cap.+1 [::]); split=> [|g].
  exact: draft_tokens_scored_as_drawn psi_after_sub_law.
rewrite [RHS]expect_bind -[RHS]mul1r -{1}(expect_const 1 proposal_proper) -/(begins [::]).
by rewrite -(@chain_rule cap.+1 [::]) // expect_bind.
Qed.

End ChainRule.

(** Several tokens a round: lossless with psi_k, for any proposal whose candidates the target has. *)
Theorem slrs_lossless (propose : seq token -> program R (seq token)) c :
    proper (propose c) -> always (fun ts : seq token => {subset ts <= T}) (propose c) ->
  lossless T p c (slrs_round T p propose c).
Proof.
move=> ok in_T; have [d [scored same]] := proposal_is_drafting ok in_T (verify T p c).
move=> n f; rewrite -(standard_lossless T_uniq p_law c scored n f) expect_bind [RHS]expect_bind.
exact: same.
Qed.

End Lossless.

(** With nothing seen, psi_k is psi. *)
Lemma psi_after_nothing (R : realFieldType) (token : eqType) (proposal : program R (seq token)) :
  proper proposal -> psi_after proposal [::] =1 psi proposal.
Proof.
move=> ok t; rewrite /psi_after [X in _ / X](_ : _ = 1) ?divr1; last exact: expect_const.
by apply: eq_expect => -[|t' ts] //=; rewrite -[Some _ == _]/(t' == t) eq_sym; case: eqP.
Qed.

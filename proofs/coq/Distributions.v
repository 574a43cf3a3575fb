(** * Distributions and programs that draw from them

    A vocabulary is a list of tokens without repetition, of any type with decidable equality; a law
    over it is a function to an ordered field R that is never negative, zero elsewhere and sums to
    one; a sub-law sums to at most one. A program is a finite tree of draws, like the tree of
    branches that `draftproof.reference.enumeration` walks: it returns, or draws from a list of
    outcomes with weights and goes on. [expect m f] is the expected value of [f] at what [m] returns.
    Two programs have the same law when they agree under [expect] for every [f]. Sums are written so
    that they compute: Tie.v runs these very definitions on rationals. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Totals.
Variable R : realFieldType.

(** The sum of [F x] over a list, by recursion, so that it computes. *)
Definition total (X : Type) (xs : seq X) (F : X -> R) : R := foldr (fun x sum => F x + sum) 0 xs.

(** It is the sum of Mathematical Components, and inherits its theory. *)
Lemma totalE (X : Type) (xs : seq X) F : total xs F = \sum_(x <- xs) F x.
Proof. by elim: xs => [|x xs IH]; rewrite /= ?big_nil // big_cons IH. Qed.

Lemma eq_total (X : Type) (xs : seq X) F G : F =1 G -> total xs F = total xs G.
Proof. by move=> FG; elim: xs => //= x xs ->; rewrite FG. Qed.

Lemma eq_total_seq (X : eqType) (xs : seq X) F G :
  (forall x, x \in xs -> F x = G x) -> total xs F = total xs G.
Proof. by move=> FG; rewrite !totalE; exact: eq_big_seq. Qed.

Lemma total_add (X : Type) (xs : seq X) F G :
  total xs (fun x => F x + G x) = total xs F + total xs G.
Proof. by rewrite !totalE big_split. Qed.

Lemma total_scale (X : Type) (xs : seq X) c F : total xs (fun x => c * F x) = c * total xs F.
Proof. by rewrite !totalE mulr_sumr. Qed.

Lemma total_sub (X : Type) (xs : seq X) F G :
  total xs (fun x => F x - G x) = total xs F - total xs G.
Proof. by rewrite !totalE sumrB. Qed.

Lemma total_swap (X Y : Type) (xs : seq X) (ys : seq Y) F :
  total xs (fun x => total ys (F x)) = total ys (fun y => total xs (F^~ y)).
Proof.
rewrite totalE (eq_bigr (fun x => \sum_(y <- ys) F x y)) => [|x _]; last exact: totalE.
by rewrite exchange_big totalE; apply: eq_bigr => y _; rewrite totalE.
Qed.

Lemma total_le (X : eqType) (xs : seq X) F G :
  (forall x, x \in xs -> F x <= G x) -> total xs F <= total xs G.
Proof.
by move=> le; rewrite !totalE big_seq [leRHS]big_seq; apply: ler_sum => x; apply: le.
Qed.

Lemma total_ge0 (X : eqType) (xs : seq X) F :
  (forall x, x \in xs -> 0 <= F x) -> 0 <= total xs F.
Proof. by move=> ge0; rewrite totalE big_seq; apply: sumr_ge0. Qed.

(** In a list without repetition, one outcome is met once. *)
Lemma total_pick (X : eqType) (xs : seq X) y (F : X -> R) : uniq xs -> y \in xs ->
  total xs (fun x => if x == y then F x else 0) = F y.
Proof. by move=> xsU yxs; rewrite totalE -big_mkcond (big_rem y) //= eqxx big1_seq ?addr0 // => x;
  rewrite mem_rem_uniq // inE => /andP[-> /andP[]]. Qed.

End Totals.

(** ** Laws *)

Section Laws.
Variables (R : realFieldType) (X : eqType).
Implicit Types (p q : X -> R) (xs : seq X).

Record sub_law xs q : Prop := SubLaw {
  sub_law_ge0 : forall x, 0 <= q x;
  sub_law_off : forall x, x \notin xs -> q x = 0;
  sub_law_total : total xs q <= 1
}.

Record law xs p : Prop := Law {
  law_ge0 : forall x, 0 <= p x;
  law_off : forall x, x \notin xs -> p x = 0;
  law_total : total xs p = 1
}.

Lemma law_sub xs p : law xs p -> sub_law xs p.
Proof. by case=> ge0 off one; split=> //; rewrite one. Qed.

(** Half the sum of the distances: the largest difference over all events. *)
Definition total_variation xs p q : R := total xs (fun x => `|p x - q x|) / 2%:R.

End Laws.

(** ** Programs *)

Section Programs.
Variable R : realFieldType.

Inductive program (A : Type) : Type :=
| Return (a : A)
| Draw (X : eqType) (xs : seq X) (weight : X -> R) (next : X -> program A).

Fixpoint expect (A : Type) (m : program A) (f : A -> R) : R :=
  match m with
  | Return a => f a
  | Draw _ xs weight next => total xs (fun x => weight x * expect (next x) f)
  end.

Fixpoint bind (A B : Type) (m : program A) (rest : A -> program B) : program B :=
  match m with
  | Return a => rest a
  | Draw _ xs weight next => Draw xs weight (fun x => bind (next x) rest)
  end.

(** The verbs of `draftproof.reference.chance`: draw an outcome, accept with a probability. *)
Definition draw (X : eqType) (xs : seq X) (weight : X -> R) : program X :=
  Draw xs weight (@Return X).

Definition accept (a : R) : program bool :=
  Draw [:: true; false] (fun b => if b then a else 1 - a) (@Return bool).

(** Draw from a sub-law; [None] is what its sum lacks to one. *)
Definition draw_or_nothing (X : eqType) (xs : seq X) (q : X -> R) : program (option X) :=
  Draw (None :: map Some xs) (fun o => if o is Some x then q x else 1 - total xs q)
    (@Return (option X)).

(** The probability that [m] returns [a]. *)
Definition probability (A : eqType) (m : program A) (a : A) : R :=
  expect m (fun b => (b == a)%:R).

(** Every draw is from a law: no weight is negative, and they sum to one. *)
Fixpoint proper (A : Type) (m : program A) : Prop :=
  match m with
  | Return _ => True
  | Draw _ xs weight next =>
      [/\ forall x, x \in xs -> 0 <= weight x, total xs weight = 1
        & forall x, x \in xs -> proper (next x)]
  end.

(** Whatever is drawn, what is returned has the property [P]. *)
Fixpoint always (A : Type) (P : A -> Prop) (m : program A) : Prop :=
  match m with
  | Return a => P a
  | Draw _ xs _ next => forall x, x \in xs -> always P (next x)
  end.

End Programs.

Notation "x <~ m ;; rest" := (bind m (fun x => rest))
  (at level 60, m at level 50, right associativity).

Arguments Return {R A}.

(** ** The expected value *)

Section Expectation.
Variable R : realFieldType.
Implicit Types A B : Type.

Lemma eq_expect A (m : program R A) f g : f =1 g -> expect m f = expect m g.
Proof. by move=> fg; elim: m => [a|X xs w next IH] //=; apply: eq_total => x; rewrite IH. Qed.

Lemma expect_bind A B (m : program R A) (rest : A -> program R B) f :
  expect (bind m rest) f = expect m (fun a => expect (rest a) f).
Proof. by elim: m => [a|X xs w next IH] //=; apply: eq_total => x; rewrite IH. Qed.

Lemma expect_add A (m : program R A) f g :
  expect m (fun a => f a + g a) = expect m f + expect m g.
Proof.
elim: m => [a|X xs w next IH] //=; rewrite -total_add.
by apply: eq_total => x; rewrite IH mulrDr.
Qed.

Lemma expect_scale A (m : program R A) c f : expect m (fun a => c * f a) = c * expect m f.
Proof.
elim: m => [a|X xs w next IH] //=; rewrite -total_scale.
by apply: eq_total => x; rewrite IH mulrCA.
Qed.

Lemma expect_sub A (m : program R A) f g :
  expect m (fun a => f a - g a) = expect m f - expect m g.
Proof.
rewrite -[- expect m g]mulN1r -expect_scale -expect_add.
by apply: eq_expect => a; rewrite mulN1r.
Qed.

Lemma expect_total A (m : program R A) (X : Type) (xs : seq X) F :
  expect m (fun a => total xs (F a)) = total xs (fun x => expect m (F^~ x)).
Proof.
elim: xs => [|x xs IH] /=; last by rewrite expect_add IH.
transitivity (0 * expect m (fun=> 0)); last exact: mul0r.
by rewrite -expect_scale; apply: eq_expect => a; rewrite mul0r.
Qed.

(** Independent draws may be made in either order. *)
Lemma expect_swap A B (m : program R A) (n : program R B) f :
  expect m (fun a => expect n (f a)) = expect n (fun b => expect m (f^~ b)).
Proof.
elim: m f => [a|X xs w next IH] f //=; rewrite expect_total.
by apply: eq_total => x; rewrite IH expect_scale.
Qed.

Lemma expect_const A (m : program R A) c : proper m -> expect m (fun=> c) = c.
Proof.
elim: m => [a|X xs w next IH] //= [_ one ok].
rewrite (@eq_total_seq _ _ _ _ (fun x => c * w x)) => [|x xxs]; last first.
  by rewrite IH ?[w x * c]mulrC //; apply: ok.
by rewrite total_scale one mulr1.
Qed.

Lemma expect_always A (P : A -> Prop) (m : program R A) f g :
  always P m -> (forall a, P a -> f a = g a) -> expect m f = expect m g.
Proof.
move=> + fg; elim: m => [a|X xs w next IH] /= all; first exact: fg.
by apply: eq_total_seq => x xxs; rewrite IH //; apply: all.
Qed.

Lemma expect_le A (m : program R A) f g :
  proper m -> (forall a, f a <= g a) -> expect m f <= expect m g.
Proof.
move=> + fg; elim: m => [a|X xs w next IH] //= [ge0 _ ok].
by apply: total_le => x xxs; apply: ler_wpmul2l; [apply: ge0|apply: IH; apply: ok].
Qed.

Lemma expect_le_always A (P : A -> Prop) (m : program R A) f g :
  proper m -> always P m -> (forall a, P a -> f a <= g a) -> expect m f <= expect m g.
Proof.
move=> + + fg; elim: m => [a|X xs w next IH] //= => [_ Pa|[ge0 _ ok] all]; first exact: fg.
by apply: total_le => x xxs; apply: ler_wpmul2l; [apply: ge0|apply: IH; [apply: ok|apply: all]].
Qed.

Lemma expect_ge0 A (m : program R A) f :
  proper m -> (forall a, 0 <= f a) -> 0 <= expect m f.
Proof. by move=> ok ge0; rewrite -(expect_const 0 ok); exact: expect_le. Qed.

Lemma expect_draw (X : eqType) (xs : seq X) w (f : X -> R) :
  expect (draw xs w) f = total xs (fun x => w x * f x).
Proof. by []. Qed.

Lemma expect_accept a (f : bool -> R) : expect (accept a) f = a * f true + (1 - a) * f false.
Proof. by rewrite /= addr0. Qed.

Lemma expect_draw_or_nothing (X : eqType) (xs : seq X) q (f : option X -> R) :
  expect (draw_or_nothing xs q) f
  = (1 - total xs q) * f None + total xs (fun x => q x * f (Some x)).
Proof. by rewrite /= !totalE big_map. Qed.

Lemma always_bind A B (P : A -> Prop) (Q : B -> Prop) (m : program R A) rest :
  always P m -> (forall a, P a -> always Q (rest a)) -> always Q (bind m rest).
Proof.
by move=> + PQ; elim: m => [a|X xs w next IH] /= all; [apply: PQ|move=> x xxs; apply: IH; apply: all].
Qed.

Lemma always_true A (P : A -> Prop) (m : program R A) : (forall a, P a) -> always P m.
Proof. by move=> all; elim: m => [a|X xs w next IH] /=; [apply: all|move=> x _]. Qed.

Lemma proper_bind A B (m : program R A) (rest : A -> program R B) :
  proper m -> (forall a, proper (rest a)) -> proper (bind m rest).
Proof.
by move=> + all; elim: m => [a|X xs w next IH] //= [ge0 one ok]; split=> // x xxs; apply: IH (ok x xxs).
Qed.

(** Every program has a cap: what it returns is never larger than some number. *)
Lemma program_has_a_cap A (size_of : A -> nat) (m : program R A) :
  exists cap, always (fun a => (size_of a <= cap)%N) m.
Proof.
elim: m => [a|X xs w next IH] /=; first by exists (size_of a).
elim: xs => [|x xs [cap all]]; first by exists 0%N.
have [capx allx] := IH x; exists (maxn cap capx) => y; rewrite inE => /orP[/eqP->|yxs].
  elim: (next x) allx => [a|Z zs wz nextz IHz] /=; first by move/leq_trans; apply; exact: leq_maxr.
  by move=> allz z /allz/IHz.
elim: (next y) (all y yxs) => [a|Z zs wz nextz IHz] /=.
  by move/leq_trans; apply; exact: leq_maxl.
by move=> allz z /allz/IHz.
Qed.

End Expectation.

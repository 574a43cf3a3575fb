(** * Rationals that compute

    The theorems hold over every ordered field R. To run the definitions that they speak about, R
    is set to the rationals in lowest terms of Coq's own library, with binary numerators and
    denominators, on which [vm_compute] is fast. This file shows that they are an ordered field in
    the sense of Mathematical Components; nothing here is about decoding. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From Coq Require Import ZArith QArith Qcanon.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.

(** A name of its own, so that no notation of the library gets in the way. *)
Definition number : Type := Qc.

(** [n // d] is the number n / d. *)
Definition quotient (n : Z) (d : positive) : number := Q2Qc (n # d).
Notation "n // d" := (quotient n%Z d%positive) (at level 40, no associativity).

(** ** Equality and an enumeration *)

Definition equal (x y : number) : bool := Qeq_bool x y.

Lemma equalP : Equality.axiom equal.
Proof.
move=> x y; apply: (iffP idP) => [/Qeq_bool_eq|->]; first exact: Qc_is_canon.
by apply: Qeq_eq_bool; reflexivity.
Qed.

Canonical number_eqType := EqType number (EqMixin equalP).

Definition encode (x : number) : bool * nat * nat :=
  ((Qnum x <? 0)%Z, Z.abs_nat (Qnum x), Pos.to_nat (Qden x)).

Definition decode (code : bool * nat * nat) : number :=
  let: (negative, n, d) := code in
  quotient (if negative then - Z.of_nat n else Z.of_nat n)%Z (Pos.of_nat d).

Lemma encodeK : cancel encode decode.
Proof.
case=> [[n d] canonical]; apply: Qc_is_canon; rewrite /decode /encode /quotient /=.
rewrite Pos2Nat.id Zabs2Nat.id_abs.
have -> : (if (n <? 0)%Z then - Z.abs n else Z.abs n)%Z = n.
  by case: Z.ltb_spec => sign; [rewrite Z.abs_neq|rewrite Z.abs_eq] => //;
    rewrite ?Z.opp_involutive //; apply: Z.lt_le_incl.
exact: Qred_correct.
Qed.

Canonical number_choiceType := ChoiceType number (CanChoiceMixin encodeK).

(** ** Arithmetic *)

Lemma number_addA (x y z : number) : (x + (y + z) = x + y + z)%Qc.
Proof. exact: Qcplus_assoc. Qed.
Lemma number_addC (x y : number) : (x + y = y + x)%Qc.
Proof. exact: Qcplus_comm. Qed.
Lemma number_add0 (x : number) : (0 + x = x)%Qc.
Proof. exact: Qcplus_0_l. Qed.
Lemma number_addN (x : number) : (- x + x = 0)%Qc.
Proof. by rewrite Qcplus_comm; exact: Qcplus_opp_r. Qed.
Lemma number_mulA (x y z : number) : (x * (y * z) = x * y * z)%Qc.
Proof. exact: Qcmult_assoc. Qed.
Lemma number_mulC (x y : number) : (x * y = y * x)%Qc.
Proof. exact: Qcmult_comm. Qed.
Lemma number_mul1 (x : number) : (1 * x = x)%Qc.
Proof. exact: Qcmult_1_l. Qed.
Lemma number_mulD (x y z : number) : ((x + y) * z = x * z + y * z)%Qc.
Proof. exact: Qcmult_plus_distr_l. Qed.
Lemma number_oneN0 : (1%Qc : number) != 0%Qc.
Proof. by []. Qed.

Definition number_zmodMixin := ZmodMixin number_addA number_addC number_add0 number_addN.
Canonical number_zmodType := ZmodType number number_zmodMixin.
Definition number_ringMixin :=
  ComRingMixin number_mulA number_mulC number_mul1 number_mulD number_oneN0.
Canonical number_ringType := RingType number number_ringMixin.
Canonical number_comRingType := ComRingType number number_mulC.

Lemma number_mulV (x : number) : x != 0%Qc -> (/ x * x = 1)%Qc.
Proof. by move=> /eqP nonzero; exact: Qcmult_inv_l. Qed.
Lemma number_inv0 : (/ 0 = 0)%Qc.
Proof. exact: Qc_is_canon. Qed.

Definition number_unitMixin := FieldUnitMixin number_mulV number_inv0.
Canonical number_unitRingType := UnitRingType number number_unitMixin.
Canonical number_comUnitRingType := [comUnitRingType of number].

Lemma number_field : GRing.Field.mixin_of number_unitRingType.
Proof. by []. Qed.
Canonical number_idomainType := IdomainType number (FieldIdomainMixin number_field).
Canonical number_fieldType := FieldType number number_field.

(** ** Order *)

Definition at_most (x y : number) : bool := Qle_bool x y.
Definition below (x y : number) : bool := ~~ at_most y x.
Definition magnitude (x : number) : number := if at_most 0%Qc x then x else (- x)%Qc.

Lemma at_mostP (x y : number) : reflect (Qcle x y) (at_most x y).
Proof. by apply: (iffP idP) => /Qle_bool_iff. Qed.

Local Open Scope ring_scope.

Lemma number_add_ge0 (x y : number) : at_most 0 x -> at_most 0 y -> at_most 0 (x + y).
Proof. by move=> /at_mostP x0 /at_mostP y0; apply/at_mostP; exact: (Qcplus_le_compat 0 x 0 y). Qed.

Lemma number_mul_ge0 (x y : number) : at_most 0 x -> at_most 0 y -> at_most 0 (x * y).
Proof.
move=> /at_mostP x0 /at_mostP y0; apply/at_mostP.
by have := Qcmult_le_compat_r 0 x y x0 y0; rewrite Qcmult_0_l.
Qed.

Lemma number_ge0_anti (x : number) : at_most 0 x -> at_most x 0 -> x = 0.
Proof. by move=> /at_mostP x0 /at_mostP y0; exact: Qcle_antisym. Qed.

Lemma number_sub_ge0 (x y : number) : at_most 0 (y - x) = at_most x y.
Proof. by apply/at_mostP/at_mostP => le; apply/(Qcle_minus_iff x y). Qed.

Lemma number_ge0_total (x : number) : at_most 0 x || at_most x 0.
Proof.
case: (Qclt_le_dec 0 x) => sign; apply/orP; [left|right]; apply/at_mostP => //.
exact: Qclt_le_weak.
Qed.

Lemma number_oppN (x : number) : at_most 0 (- x) = at_most x 0.
Proof. by rewrite -(number_sub_ge0 x 0) sub0r. Qed.

Lemma number_normN (x : number) : magnitude (- x) = magnitude x.
Proof.
rewrite /magnitude number_oppN; case: ifP => neg; case: ifP => pos //.
- by rewrite (number_ge0_anti pos neg) oppr0.
- by rewrite -[LHS]/(- - x) opprK.
- by have := number_ge0_total x; rewrite neg pos.
Qed.

Lemma number_ge0_norm (x : number) : at_most 0 x -> magnitude x = x.
Proof. by rewrite /magnitude => ->. Qed.

Lemma number_lt_def (x y : number) : below x y = (y != x) && at_most x y.
Proof.
rewrite /below -(number_sub_ge0 y x) -(number_sub_ge0 x y) -(opprB y x) number_oppN -subr_eq0.
have := number_ge0_total (y - x); have := @number_ge0_anti (y - x).
case: eqP => [-> //|nonzero]; case: (at_most 0 _); case: (at_most _ 0) => //= anti _.
by case: nonzero; apply: anti.
Qed.

Definition number_orderMixin :=
  RealLeMixin number_add_ge0 number_mul_ge0 number_ge0_anti number_sub_ge0
    number_ge0_total number_normN number_ge0_norm number_lt_def.

Canonical number_porderType := POrderType ring_display number number_orderMixin.
Canonical number_latticeType := LatticeType number number_orderMixin.
Canonical number_distrLatticeType := DistrLatticeType number number_orderMixin.

Lemma number_total : totalPOrderMixin number_porderType.
Proof. exact: number_orderMixin. Qed.
Canonical number_orderType := OrderType number number_total.
Canonical number_numDomainType := NumDomainType number number_orderMixin.
Canonical number_normedZmodType := NormedZmodType number number number_orderMixin.
Canonical number_numFieldType := [numFieldType of number].
Canonical number_realDomainType := [realDomainType of number].
Canonical number_realFieldType := [realFieldType of number].


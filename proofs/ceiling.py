"""The ceiling: how many candidates any lossless rule can accept, given how they are proposed.

A rule sees the candidates c, which have the law P, and the target's laws after their beginnings:
one target pass. It accepts some i of them and draws one more token x. Its joint law is what a
linear programme ranges over:

    a(c, i)   the probability of the candidates c, the first i of them accepted,
    f(v, x)   the probability that v is accepted and x drawn behind it,

all non-negative. With R(v) the probability that v and perhaps more is accepted (the sum of a(c, i)
over c that begin with v and i >= |v|), it is a lossless rule if and only if

    (1)  sum over i of a(c, i) = P(c)                          the candidates come as they come,
    (2)  sum over x of f(v, x) = sum over c of a(c, |v|)       one token is drawn at the end,
    (3)  f(v, x) + R(v x) = R(v) p(x | v)                      what comes after v has the law p.

(3) by induction along v: strings that begin with v come from rounds that go on behind v, and from
rounds that end at v or before, which the target itself completes, with p. The ceiling is the
largest sum of i a(c, i). HiGHS solves the programme in floats; its dual values, rounded to
rationals, are verified exactly, and by weak duality they bound every rule: `Ceiling.bound`.

`coupling_bound` asks for less: any joint law of candidates and target strings, also of rules that
know the target's laws where they did not ask for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..reference.distribution import ExactDistribution
from ..reference.enumeration import branches
from ..reference.exact import ONE, ZERO, Rational, rational
from ..reference.models import Ids
from ..reference.pair import Pair
from ..reference.programs import Program, program
from ..reference.psi import candidate_law
from ..reference.rounds import cut
from ..reference.stop_rules import StopRule

#: Denominators to which dual values are rounded; the lowest bound that comes of it is kept.
DENOMINATORS = (60, 5040, 10**6, 10**9)
#: The algorithms that a ceiling is held against: name, and what is added to the rule's slug.
RULES = {
    "SLEM": ("slem", ""),
    "SLRS, one token": ("slrs", "/one-token"),
    "SLRS": ("slrs", ""),
    "SLRS, block": ("slrs", "/block"),
}

#: Names of rows, and of columns with their entries by row.
Row = tuple[Any, ...]
Columns = dict[Row, dict[Row, Rational]]


@dataclass(frozen=True)
class Programme:
    """A linear programme: maximise gain * x where the columns times x are ``due``, x >= 0."""

    columns: Columns
    due: dict[Row, Rational]
    gain: dict[Row, int]

    def slack(self, dual: Mapping[Row, Rational]) -> dict[Row, Rational]:
        """What ``dual`` gives each column beyond its gain; it is feasible if all are >= 0."""
        return {
            name: sum((dual[row] * entry for row, entry in column.items()), ZERO)
            - self.gain.get(name, 0)
            for name, column in self.columns.items()
        }

    def value(self, dual: Mapping[Row, Rational]) -> Rational:
        """What ``dual`` bounds the gain by, if it is feasible."""
        return sum((dual[row] * number for row, number in self.due.items()), ZERO)


@dataclass(frozen=True)
class Ceiling:
    """A bound on the expected number of accepted candidates, with what proves it.

    Attributes:
        bound: no lossless rule accepts more.
        certificate: the dual values, by row; `holds` verifies them in rationals.
        denominator: the one they were rounded to.
        repaired: what was added to make them feasible; 0 where rounding alone was enough.
    """

    programme: Programme
    bound: Rational
    certificate: dict[Row, Rational]
    denominator: int
    repaired: Rational

    def holds(self) -> bool:
        """Weak duality, exactly: the certificate is feasible, and its value is the bound."""
        slack = self.programme.slack(self.certificate)
        return min(slack.values()) >= 0 and self.programme.value(self.certificate) == self.bound


def proposed(pair: Pair, context: Ids, rule: StopRule) -> ExactDistribution[Ids]:
    """The law of the candidates, cut after an end of sequence, behind which nothing is emitted."""
    law = candidate_law(pair, context, rule).law
    return law.push_forward(lambda ids: cut(ids, pair.end_of_sequence))


def one_pass_programme(pair: Pair, context: Ids, rule: StopRule) -> Programme:
    """The programme of the module's first lines."""
    law = proposed(pair, context, rule)
    end = pair.end_of_sequence
    beginnings = sorted({ids[:k] for ids in law for k in range(len(ids) + 1)})
    laws = {v: _law(pair, context + v) for v in beginnings if v[-1:] != (end,) or not v}
    columns: Columns = {}
    for v, p in laws.items():
        for x in p:
            columns["draw", v, x] = {("ends", v): ONE, ("next", v, x): ONE}
    for ids in law:
        for i in range(len(ids) + 1):
            column = columns["accept", ids, i] = {("proposed", ids): ONE}
            if ids[:i] in laws:
                column["ends", ids[:i]] = -ONE
            for j in range(i + 1):  # R(v) for v = ids[:j]
                v = ids[:j]
                if j:
                    _add(column, ("next", v[:-1], v[-1]), ONE)
                for x, number in laws.get(v, {}).items():
                    _add(column, ("next", v, x), -number)
    due: dict[Row, Rational] = {row: ZERO for column in columns.values() for row in column}
    due |= {("proposed", ids): number for ids, number in law.items()}
    gain = {name: int(name[2]) for name in columns if name[0] == "accept"}
    return Programme(columns, due, gain)


def ceiling(programme: Programme) -> Ceiling:
    """Solve ``programme`` in floats, round its dual values, and make an exact bound of them.

    Raises:
        ModuleNotFoundError: without scipy.
        RuntimeError: when the solver fails.
    """
    floats = _dual(programme)
    return min((_certified(programme, floats, d) for d in DENOMINATORS), key=lambda c: c.bound)


def _certified(programme: Programme, floats: Mapping[Row, float], denominator: int) -> Ceiling:
    """The dual values rounded, and raised where they are not feasible.

    The bound that comes of raising them is a little too high.
    """
    dual = {
        row: rational(Fraction(number).limit_denominator(denominator))
        for row, number in floats.items()
    }
    missing = max(ZERO, -min(programme.slack(dual).values()))
    for row in dual:  # every draw has one such row, with entry 1
        if row[0] == "ends":
            dual[row] += missing
    more = max(ZERO, -min(programme.slack(dual).values()))
    for row in dual:  # every acceptance has one such row, with entry 1
        if row[0] == "proposed":
            dual[row] += more
    return Ceiling(programme, programme.value(dual), dual, denominator, missing + more)


def _dual(programme: Programme) -> dict[Row, float]:
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    rows = {row: place for place, row in enumerate(programme.due)}
    entries = [
        (float(entry), rows[row], place)
        for place, column in enumerate(programme.columns.values())
        for row, entry in column.items()
    ]
    values, down, across = zip(*entries, strict=True)
    matrix = coo_array((values, (down, across)), shape=(len(rows), len(programme.columns)))
    solved = linprog(
        [-programme.gain.get(name, 0) for name in programme.columns],
        A_eq=matrix.tocsr(),
        b_eq=[float(number) for number in programme.due.values()],
        method="highs",
    )
    if solved.status:
        raise RuntimeError(f"the linear programme was not solved: {solved.message}")
    # scipy minimises the negative gain, so that its dual values have the other sign.
    return {row: -float(solved.eqlin.marginals[place]) for row, place in rows.items()}


def coupling_bound(pair: Pair, context: Ids, rule: StopRule) -> Rational:
    """The largest expected common beginning of candidates and target string, over all joint laws.

    It is the sum over beginnings v of min(P_c(v), P_y(v)), the probabilities that either begins
    with v. Dual values that prove it: 1 for each beginning of c that the candidates are less
    likely to have, 1 for each beginning of y that the target is not more likely to have; every
    common beginning is counted by one of the two. They are reached: on a tree the largest common
    mass can be had at all beginnings at once, from the longest down.
    """
    law = proposed(pair, context, rule)
    total = ZERO
    for v in {ids[:k] for ids in law for k in range(1, len(ids) + 1)}:
        proposed_there = sum((n for ids, n in law.items() if ids[: len(v)] == v), ZERO)
        due = ONE
        for k, token in enumerate(v):
            due *= _law(pair, context + v[:k])[token]
        total += min(proposed_there, due)
    return total


def accepted(made: Program, pair: Pair, context: Ids) -> Rational:
    """The expected number of candidates that a round of ``made`` accepts."""
    run: Callable[[Any], Any] = lambda chance: made.run_round(pair, context, chance, None)  # noqa: E731
    return sum((leaf.probability * leaf.result.accepted for leaf in branches(run)), ZERO)


def accepted_by_each(pair: Pair, context: Ids, rule: StopRule) -> dict[str, Rational]:
    """The same of each algorithm in `RULES`."""
    return {
        name: accepted(program(algorithm, f"{rule.slug}{form}"), pair, context)
        for name, (algorithm, form) in RULES.items()
    }


def _law(pair: Pair, context: Ids) -> ExactDistribution[int]:
    law = pair.target.distributions(context)[0]
    assert isinstance(law, ExactDistribution)
    return law


def _add(column: dict[Row, Rational], row: Row, number: Rational) -> None:
    column[row] = column.get(row, ZERO) + number

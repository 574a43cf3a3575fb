"""N-gram models whose laws are exact: tables, seeds, counts of a text, one law everywhere.

An n-gram model of order n looks back n - 1 ids; contexts shorter than that have laws of their own.
`PrunedHead` narrows any model to some of its ids, as drafters with a trimmed output layer do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..reference.distribution import ExactDistribution
from ..reference.models import Ids, LanguageModel
from ..reference.tokenizers import Tokenizer
from .tables import Law, ListedTable, ModelError, Number, SeededTable, Table, check_ids, counted


class NgramModel:
    """A language model whose law depends on the last ``order - 1`` ids.

    ``tables`` maps contexts of at most ``order - 1`` ids to laws. The law at a context is that of
    its longest suffix in the tables; a context with no suffix there raises `ModelError` when it is
    asked for, which the empty context in the tables rules out. Laws are found once and kept.

    Raises:
        ModelError: for a size or order below one, a context that is too long or holds an unknown
            id, and numbers that are no law.
    """

    __slots__ = ("_laws", "_reach", "_table", "order", "size")

    def __init__(self, size: int, order: int, tables: Mapping[Ids, Law]) -> None:
        self._set_up(size, order, ListedTable(size, order, tables))

    @classmethod
    def constant(cls, law: Law, size: int | None = None) -> NgramModel:
        """The same ``law`` at every context; ``size`` is needed only for a mapping."""
        if size is None:
            size = max(law, default=-1) + 1 if isinstance(law, Mapping) else len(law)
        return cls(size, 1, {(): law})

    @classmethod
    def from_seed(
        cls,
        size: int,
        order: int,
        seed: int,
        *,
        zeros: Number = 0,
        denominator: int = 12,
        forbidden: Iterable[int] = (),
    ) -> NgramModel:
        """A law of its own for each context of up to ``order - 1`` ids, drawn when asked for.

        The laws are a function of the arguments alone, on any machine and in any order of asking.
        Each probability is a multiple of ``1 / denominator``; every id but the ``forbidden`` ones
        is left out of a law with probability ``zeros`` (at least one stays) and is otherwise
        given positive probability.

        Raises:
            ModelError: when no id is allowed, or ``denominator`` is below the number of ids.
        """
        table = SeededTable(size, order, seed, zeros, denominator, forbidden)
        made = cls.__new__(cls)
        made._set_up(size, order, table)
        return made

    @classmethod
    def from_text(
        cls, text: str, tokenizer: Tokenizer, order: int, smoothing: Number = 0
    ) -> NgramModel:
        """Relative frequencies in ``text``, after each context of up to ``order - 1`` ids.

        The text is taken to be followed by the end of sequence, where there is one. ``smoothing``
        is added to the count of every id that has a text of its own, and of the end of sequence.
        A context that never occurs has the law of its longest suffix that does.

        Raises:
            ModelError: when nothing can be counted, or ``smoothing`` is negative.
            EncodeError: when the tokenizer cannot encode the text.
        """
        return cls(len(tokenizer.vocabulary), order, counted(text, tokenizer, order, smoothing))

    def _set_up(self, size: int, order: int, table: Table) -> None:
        self.size = size
        self.order = order
        self._reach = order - 1
        self._table = table
        self._laws: dict[Ids, ExactDistribution[int]] = {}

    def distributions(
        self, context: Ids, continuation: Ids = ()
    ) -> tuple[ExactDistribution[int], ...]:
        """The ``len(continuation) + 1`` laws of the token after ``context + continuation[:j]``.

        Raises:
            ModelError: for an unknown id among those a law depends on, or a context without a law.
        """
        reach = self._reach
        laws = self._laws
        if not reach:
            law = laws.get(())
            if law is None:
                law = self._find(())
            return (law,) * (len(continuation) + 1)
        ids = context + continuation if continuation else context
        rows: list[ExactDistribution[int]] = []
        for end in range(len(context), len(ids) + 1):
            suffix = ids[end - reach if end > reach else 0 : end]
            law = laws.get(suffix)
            rows.append(self._find(suffix) if law is None else law)
        return tuple(rows)

    def state(self, ids: Ids) -> Ids:
        """The ids that laws after ``ids`` depend on: equal states have equal laws ever after."""
        return ids[-self._reach :] if self._reach else ()

    def _find(self, suffix: Ids) -> ExactDistribution[int]:
        check_ids(suffix, self.size, f"context {suffix}")
        law = self._laws[suffix] = self._table.law(suffix)
        return law

    def describe(self) -> dict[str, Any]:
        """The arguments that build this model again, fit for JSON; numbers are "n/d"."""
        return {"size": self.size, "order": self.order, **self._table.describe()}

    def __repr__(self) -> str:
        return f"NgramModel({self.describe()})"


class PrunedHead:
    """A model whose output layer has columns for the ids ``kept`` only.

    Column ``j`` scores the id ``id_of_column[j]``. Laws range over all ids of the model, are zero
    off the kept ones, and are the model's renormalised over these; where the model gives the kept
    ids no mass, the law is uniform over them, since a real head always draws something.

    Raises:
        ModelError: when no id is kept, or one is unknown or kept twice.
    """

    __slots__ = ("_kept", "_model", "_renormalised", "id_of_column", "size")

    def __init__(self, model: LanguageModel, kept: Sequence[int]) -> None:
        if not kept:
            raise ModelError("kept is empty; a head needs at least one column")
        check_ids(kept, model.size, "kept")
        twice = [token for column, token in enumerate(kept) if token in kept[:column]]
        if twice:
            raise ModelError(f"kept: id {twice[0]} has two columns")
        self.size = model.size
        self.id_of_column: Ids = tuple(kept)
        self._model = model
        self._kept = frozenset(kept)
        self._renormalised: dict[Any, ExactDistribution[int]] = {}

    def distributions(
        self, context: Ids, continuation: Ids = ()
    ) -> tuple[ExactDistribution[int], ...]:
        """The ``len(continuation) + 1`` laws over ids, each on the kept ids only."""
        rows = self._model.distributions(context, continuation)
        return tuple(self._narrowed(law) for law in rows)

    def state(self, ids: Ids) -> Any:
        """The state of the model whose head this is; `AttributeError` where that has none."""
        model: Any = self._model
        return model.state(ids)

    def columns(self, context: Ids) -> ExactDistribution[int]:
        """The law over columns, as the head itself gives it, after ``context``."""
        return self.distributions(context)[0].push_forward(self.id_of_column.index)

    def _narrowed(self, law: Any) -> ExactDistribution[int]:
        narrowed = self._renormalised.get(law)
        if narrowed is None:
            if any(token in self._kept for token in law.support()):
                narrowed = law.restrict(self._kept)
            else:
                narrowed = ExactDistribution.from_weights(dict.fromkeys(self._kept, 1))
            self._renormalised[law] = narrowed
        return narrowed

    def describe(self) -> dict[str, Any]:
        """The kept ids, and the whole model where it can describe itself."""
        whole = getattr(self._model, "describe", lambda: repr(self._model))()
        return {"size": self.size, "kept": list(self.id_of_column), "model": whole}

    def __repr__(self) -> str:
        return f"PrunedHead({self.describe()})"

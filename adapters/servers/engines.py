"""What our server runs: the reference's algorithms on a toy pair or on real models, and faults.

A planted fault is a `Sampler` that accepts otherwise; the algorithm's lines stay the same.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from ...reference.chance import Chance, CoinTape, Sampler
from ...reference.models import Ids
from ...reference.pair import Pair
from ...reference.programs import ALGORITHMS, program
from ...reference.rounds import Round, check_ids, generate

PLAIN, SPECULATIVE = "plain", "speculative"


class Lenient(Sampler):
    """Accepts whatever has a ratio of 0.9 or more."""

    def accept(self, probability: Any, what: str = "") -> bool:
        """True as well where the coin would have rejected a likely enough draft."""
        return super().accept(1 if 10 * probability >= 9 else probability, what)


class Inflated(Sampler):
    """Accepts 1.01 times as often."""

    def accept(self, probability: Any, what: str = "") -> bool:
        """With 101/100 of the probability due."""
        return super().accept(probability * 101 / 100, what)


#: What stands behind the speculative mode, by the name of the server's mode.
CHANCES: dict[str, Callable[[int], CoinTape]] = {
    SPECULATIVE: Sampler,
    "lenient": Lenient,
    "inflated": Inflated,
}
#: The server's modes: in "plain" both models decode plainly.
MODES = (PLAIN, *CHANCES)


class Engine(Protocol):
    """Replies, in either mode."""

    @property
    def name(self) -> str:
        """Of what it runs."""
        ...

    def encode(self, prompt: str) -> Ids:
        """The ids of a text."""
        ...

    def decode(self, ids: Ids) -> str:
        """The text of ids."""
        ...

    def check(self, prompt: Ids) -> None:
        """Raise `ValueError` for ids that cannot be a prompt."""
        ...

    def reply(self, mode: str, prompt: Ids, most: int, seed: int) -> Ids:
        """New ids."""
        ...

    def law(self, prompt: Ids) -> dict[int, float]:
        """The law of the next id."""
        ...

    def ended(self, ids: Ids) -> bool:
        """Whether new ids end by an end of sequence."""
        ...


@dataclass(frozen=True)
class ToyEngine:
    """The reference's own programs on a pair of toy models.

    Attributes:
        name: of the pair.
        mode: one of `MODES`: what the model "speculative" does.
        algorithm, lookahead: of the rounds.

    Raises:
        ValueError: for an algorithm that there is not.
    """

    name: str
    pair: Pair
    mode: str = SPECULATIVE
    algorithm: str = "standard"
    lookahead: int = 2

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise ValueError(
                f"no algorithm is called {self.algorithm!r}; there are {', '.join(ALGORITHMS)}"
            )

    def encode(self, prompt: str) -> Ids:
        """The target tokenizer's ids."""
        return self.pair.target_tokenizer.encode(prompt)

    def decode(self, ids: Ids) -> str:
        """The target tokenizer's text."""
        return self.pair.target_tokenizer.decode(ids)

    def check(self, prompt: Ids) -> None:
        """Ids must be the target's."""
        check_ids(prompt, self.pair.target.size, "prompt")

    def reply(self, mode: str, prompt: Ids, most: int, seed: int) -> Ids:
        """A run of the program, with coins of the seed."""
        is_plain = mode == PLAIN or self.mode == PLAIN
        chosen = program("autoregressive" if is_plain else self.algorithm, self.lookahead)

        def run_round(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
            return chosen.run_round(pair, context, chance, state)

        chance = Sampler(seed) if is_plain else CHANCES[self.mode](seed)
        return generate(run_round, self.pair, prompt, chance, most).ids

    def law(self, prompt: Ids) -> dict[int, float]:
        """The target's."""
        (row,) = self.pair.target.distributions(prompt)
        return {token: float(row[token]) for token in row.support()}

    def ended(self, ids: Ids) -> bool:
        """Whether the last id is the target's end of sequence."""
        return bool(ids) and ids[-1] == self.pair.end_of_sequence


class RealEngine:
    """Real models (`draftproof.adapters.decoding`), one request at a time.

    Args:
        loaded: target and drafter, as `draftproof.adapters.huggingface.loading.load` gives them.
        mode, algorithm, lookahead: as in `ToyEngine`; faults are planted in toys alone.
    """

    def __init__(
        self,
        loaded: list[Any],
        mode: str = SPECULATIVE,
        algorithm: str = "standard",
        lookahead: int = 2,
    ) -> None:
        from ..decoding.pairs import make_pair
        from ..decoding.programs import RealProgram

        if mode not in (PLAIN, SPECULATIVE):
            raise ValueError(f"mode {mode} is planted in toy models only")
        self._target = loaded[0]
        self.name = f"{loaded[0].name}+{loaded[-1].name}"
        pair = make_pair(loaded[0], loaded[-1])
        self._programs = {
            PLAIN: RealProgram("autoregressive", pair),
            SPECULATIVE: RealProgram("autoregressive" if mode == PLAIN else algorithm, pair),
        }
        self._lookahead = lookahead
        self._lock = threading.Lock()

    def encode(self, prompt: str) -> Ids:
        """The target's prompt, its beginning included."""
        return self._target.tokenizer.prompt(prompt)

    def decode(self, ids: Ids) -> str:
        """The target's text."""
        return self._target.tokenizer.decode(ids)

    def check(self, prompt: Ids) -> None:
        """Ids must be the target's."""
        check_ids(prompt, self._target.model.size, "prompt")

    def reply(self, mode: str, prompt: Ids, most: int, seed: int) -> Ids:
        """A run, with coins of the seed."""
        from ..decoding.lookahead import Always
        from ..decoding.runs import run

        with self._lock:
            return run(
                self._programs[mode],
                prompt,
                Always(self._lookahead),
                max_new_tokens=most,
                seed=seed,
                stop_ids=self._target.stop_ids,
            ).ids

    def law(self, prompt: Ids) -> dict[int, float]:
        """The target's."""
        with self._lock:
            (law,) = self._target.model.distributions(prompt)
        row: list[float] = law.row.double().tolist()
        return {token: mass for token, mass in enumerate(row) if mass > 0}

    def ended(self, ids: Ids) -> bool:
        """Whether the last id is an end."""
        return bool(ids) and (
            ids[-1] in self._target.stop_ids or ids[-1] == self._target.tokenizer.end_of_sequence
        )


def likeliest(law: dict[int, float], count: int) -> dict[int, float]:
    """Logarithms of the ``count`` largest probabilities, the largest first."""
    order = sorted(law, key=lambda token: (-law[token], token))[:count]
    return {token: math.log(law[token]) for token in order}

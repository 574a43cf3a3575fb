"""The law that is due: plain decoding with the target alone, under the request's settings."""

from __future__ import annotations

import itertools
from contextlib import suppress

from ...reference.models import LanguageModel
from ...toymodels.gallery import GalleryPair
from .settings import Ids, Row, Settings, likeliest

Law = dict[Ids, float]
#: No more contexts of one length than this are asked for in advance.
MOST_CONTEXTS = 1000


class Rows:
    """A model's laws as rows of floats, each found once."""

    def __init__(self, model: LanguageModel) -> None:
        self.size = model.size
        self._model = model
        self._rows: dict[Ids, Row] = {}

        self._warm_up()

    def _warm_up(self) -> None:
        """Ask for the laws of short contexts now.

        Seeded models draw a law when it is first asked for, which must not happen inside a path:
        it would be taken for a draw of the subject's.
        """
        order = getattr(self._model, "order", 3)
        for length in range(order):
            if self.size**length > MOST_CONTEXTS:
                break
            for context in itertools.product(range(self.size), repeat=length):
                with suppress(ValueError):  # a model need not have a law everywhere
                    self._model.distributions(context)

    def after(self, context: Ids) -> Row:
        """The law of the id after ``context``."""
        row = self._rows.get(context)
        if row is None:
            (law,) = self._model.distributions(context)
            row = tuple(float(law[token]) for token in range(self.size))
            self._rows[context] = row
        return row


class DueLaws:
    """The laws of strings of new ids after a pair's prompt.

    Strings end with an end of sequence, where the settings name one, or have the stated length.
    Processors are given the new ids as history: those used here do not tell a prompt of zeros.
    """

    def __init__(self, pair: GalleryPair, settings: Settings) -> None:
        self.target = Rows(pair.pair.target)
        self.drafter = Rows(pair.pair.drafter)
        self.prompt = pair.prompt
        self.settings = settings
        self.size = pair.pair.target.size
        self._rows: dict[Ids, Row] = {}
        self._strings: dict[tuple[Ids, int], Law] = {}

    def row(self, new: Ids) -> Row:
        """The law due after the prompt and ``new``."""
        row = self._rows.get(new)
        if row is None:
            row = self._rows[new] = self.settings.due(self.target.after(self.prompt + new), new)
        return row

    def strings(self, new: Ids, length: int) -> Law:
        """The law of the next ``length`` ids after the prompt and ``new``."""
        key = (new, length)
        law = self._strings.get(key)
        if law is None:
            law = dict[Ids, float]()
            if length == 0:
                law[()] = 1.0
            if length:
                for token, probability in enumerate(self.row(new)):
                    if not probability:
                        continue
                    if token == self.settings.eos:
                        law[(token,)] = probability
                        continue
                    for rest, number in self.strings((*new, token), length - 1).items():
                        law[(token, *rest)] = probability * number
            self._strings[key] = law
        return law

    def drafts(self, lookahead: int) -> Law:
        """The law of ``lookahead`` drafts after the prompt, the drafter's own, row by row."""
        law: Law = {(): 1.0}
        for _ in range(lookahead):
            law = {
                (*ids, token): mass * probability
                for ids, mass in law.items()
                for token, probability in enumerate(self.drafter.after(self.prompt + ids))
                if probability
            }
        return law

    def is_over(self, ids: Ids) -> bool:
        """Whether nothing is due after ``ids``: they hold an end, or an id that is none."""
        return any(token == self.settings.eos or not 0 <= token < self.size for token in ids)

    def completed(self, blocks: Law, length: int) -> Law:
        """Blocks completed by the target's own draws to ``length`` ids."""
        law: Law = {}
        for block, mass in blocks.items():
            missing = 0 if self.is_over(block) else length - len(block)
            for rest, number in self.strings(block, max(missing, 0)).items():
                string = block + rest
                law[string] = law.get(string, 0.0) + mass * number
        return law

    def canonical(self, law: Law) -> Law:
        """``law`` with every likeliest id replaced by the first that is as likely.

        For temperature 0, where any of them is due; the target's laws must not depend on context.
        """
        ties = likeliest(self.target.after(self.prompt))
        merged: Law = {}
        for ids, mass in law.items():
            key = tuple(ties[0] if token in ties else token for token in ids)
            merged[key] = merged.get(key, 0.0) + mass
        return merged


def prefixes(law: Law, length: int) -> Law:
    """The law of the first ``length`` ids."""
    merged: Law = {}
    for ids, mass in law.items():
        key = ids[:length]
        merged[key] = merged.get(key, 0.0) + mass
    return merged


def longest(law: Law) -> int:
    """The length of the longest string, 0 for none."""
    return max(map(len, law), default=0)

"""A case made ready to run: `generate()` with help and without, from the same state every time.

What a call writes back into the models' configurations is undone before the next path, and
module-level caches are emptied when a case is prepared. The ids are whole: what goes past the
horizon, or past an end of sequence, is in the law.
"""

from __future__ import annotations

import copy
from contextlib import suppress

import torch

from ..generation import own_generator, translators
from . import builder_of
from .case import Case, NotThereError
from .followed import followed
from .processors import extras_of


class Calls:
    """The two programs of a case.

    Attributes:
        case: what is called.
        toys: fresh models and tokenizers.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        with own_generator():
            self.toys = builder_of(case.route)(case)
        self._saved = [
            (copy.deepcopy(model.generation_config), copy.deepcopy(model.config.to_dict()))
            for model in self.toys.models
        ]
        extras_of(case.extras)  # a release without one of them says so here
        self._known(case)
        translators().clear()

    def plain(self) -> tuple[int, ...]:
        """New ids of the calls without help."""
        return self._ids(False)

    def assisted(self) -> tuple[int, ...]:
        """New ids of the calls with help."""
        return self._ids(True)

    def warm_up(self) -> None:
        """One assisted path that is not enumerated.

        The first call with two tokenizers rebuilds the drafter's head, and torch fills the new
        head from its generator before the weights are copied in: draws that decide nothing.
        """
        with own_generator(), suppress(Exception):
            self.assisted()

    def columns_out_of_order(self) -> bool:
        """Whether a drafter's head was cut down to the shared tokens in an order not by id."""
        if len(self.toys.tokenizers) != 2:
            return False
        target, drafter = self.toys.tokenizers
        translator = translators().get(target, {}).get(drafter)
        columns = getattr(translator, "assistant_overlap_token_ids", torch.empty(0)).tolist()
        return columns != sorted(columns)

    def _ids(self, assisted: bool) -> tuple[int, ...]:
        self._put_back()
        case, toys = self.case, self.toys
        ids: list[int] = []
        for call in range(case.calls):
            help_asked = {**toys.assistance(call), **case.assistance} if assisted else {}
            with followed():
                found = toys.target.generate(
                    torch.tensor([case.prompt]),
                    max_new_tokens=case.horizon,
                    **case.keywords,
                    **extras_of(case.extras),
                    **{**toys.again, **help_asked},
                )
            found = getattr(found, "sequences", found)
            skipped = len(case.prompt) if toys.skipped is None else toys.skipped
            ids += found[0, skipped:].tolist()
        return tuple(ids)

    def _put_back(self) -> None:
        for model, (generation, configuration) in zip(self.toys.models, self._saved, strict=True):
            model.generation_config = copy.deepcopy(generation)
            layers = configuration.get("num_hidden_layers")
            if layers is not None:  # early exit leaves it changed when a call fails
                model.config.num_hidden_layers = layers

    def _known(self, case: Case) -> None:
        """Refuse settings of the assisted call that the release does not have."""
        from transformers import GenerationConfig

        for name in case.assistance:
            if not hasattr(GenerationConfig(), name):
                raise NotThereError(f"generate() has no {name}")

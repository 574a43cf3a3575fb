"""Unmodified `generate()` on the toy models of a scenario, with an assistant and without.

The programs given here start from the same state every time they are called, as `enumerate_law`
asks: what a call writes back into the models' generation configurations is undone before the next
one, and module-level caches are emptied when a scenario is prepared.
"""

from __future__ import annotations

import copy
import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any

import tokenizers
import torch
import transformers
from transformers.utils import logging as transformers_logging

from ..toymodels.huggingface.models import ToyLM, toy_model
from ..toymodels.huggingface.tokenizers import toy_tokenizer
from .scenarios import EOS, HORIZON, TWO_TOKENIZERS, Scenario

VERSIONS = {
    "tokenizers": tokenizers.__version__,
    "torch": torch.__version__,
    "transformers": transformers.__version__,
}


class Generation:
    """A scenario made ready to run: fresh models and tokenizers.

    Attributes:
        prompt: ids of the target.
        vocabulary: size of the target's vocabulary.
        eos: the target's end of sequence.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.prompt = tuple(scenario.target.index(token) for token in scenario.prompt)
        self.vocabulary = len(scenario.target)
        self.eos = scenario.target.index(EOS)
        self._settings = dict(scenario.settings)
        with own_generator():
            self._target = toy_model(self.vocabulary, 4, seed=1, eos=self.eos)
            self._drafter = _drafter(scenario)
        self._models = (self._target, self._drafter)
        self._configurations = [copy.deepcopy(model.generation_config) for model in self._models]
        self._assistance: dict[str, Any] = {"assistant_model": self._drafter}
        if scenario.subject == TWO_TOKENIZERS:
            self._assistance["tokenizer"] = toy_tokenizer(scenario.target)
            self._assistance["assistant_tokenizer"] = toy_tokenizer(
                scenario.drafter, scenario.listing
            )
        translators().clear()

    def plain(self) -> tuple[int, ...]:
        """New ids of one call without the assistant, at most `HORIZON`."""
        return self._generate()

    def assisted(self) -> tuple[int, ...]:
        """New ids of one call with the assistant, cut at `HORIZON`."""
        return self._generate(**self._assistance)

    def warm_up(self) -> None:
        """One assisted call that is not enumerated.

        The first call with two tokenizers rebuilds the drafter's head, and torch fills the new
        head from its generator before the weights are copied in: draws that decide nothing.
        """
        with own_generator(), suppress(Exception):
            self.assisted()

    def shared_columns_out_of_order(self) -> bool:
        """Whether the drafter's head was cut down to the shared tokens in an order not by id."""
        target, drafter = (self._assistance.get(n) for n in ("tokenizer", "assistant_tokenizer"))
        translator = translators().get(target, {}).get(drafter) if target and drafter else None
        columns = getattr(translator, "assistant_overlap_token_ids", torch.empty(0)).tolist()
        return columns != sorted(columns)

    def _generate(self, **assistance: Any) -> tuple[int, ...]:
        for model, saved in zip(self._models, self._configurations, strict=True):
            model.generation_config = copy.deepcopy(saved)
        target: Any = self._target  # the mixin's protocol asks for more than models have
        ids = target.generate(
            torch.tensor([self.prompt]),
            max_new_tokens=HORIZON,
            do_sample=True,
            **self._settings,
            **assistance,
        )
        return tuple(ids[0, len(self.prompt) :].tolist())[:HORIZON]


def _drafter(scenario: Scenario) -> ToyLM:
    eos = scenario.drafter.index(EOS) if EOS in scenario.drafter else None
    drafter = toy_model(len(scenario.drafter), 3, seed=2, eos=eos)
    settings = drafter.generation_config
    settings.num_assistant_tokens = scenario.lookahead
    settings.num_assistant_tokens_schedule = "constant"
    settings.assistant_confidence_threshold = 0.0  # the default stops drafts early
    return drafter


def translators() -> Any:
    """The library's cache of vocabulary maps, an empty dictionary in releases without one."""
    module = transformers.generation.candidate_generator
    cache = getattr(module, "AssistantVocabTranslatorCache", None)
    return getattr(cache, "_cache", {})


@contextmanager
def own_generator() -> Iterator[None]:
    """Draws of torch's global CPU generator made inside are repeatable and leave no trace."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        yield


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings and no output; one thread, since toy tensors gain nothing from more."""
    verbosity, threads = transformers_logging.get_verbosity(), torch.get_num_threads()
    transformers_logging.set_verbosity(logging.CRITICAL)
    torch.set_num_threads(1)
    try:
        with (
            warnings.catch_warnings(),
            redirect_stdout(io.StringIO()),
            redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        torch.set_num_threads(threads)

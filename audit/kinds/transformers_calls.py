"""Calls of `transformers` subjects: toy models with caches, tokenizers, and the library's keywords.

The keywords are those of ``generate()``. A subject that takes ``**kwargs`` gets all that a request
has; one that does not gets those that it names. The pair's laws become two `PreTrainedModel`s and
the vocabulary gets an end of sequence, as every real one has; see `toymodels.huggingface.toys`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from .calling import keywords
from .cases import Case
from .due import DueLaws
from .loading import Subject
from .settings import Factors, Ids, Processor, Settings
from .trial import Trial

if TYPE_CHECKING:
    from ...toymodels.huggingface.toys import Toys

#: Of the contract's keywords, those that a subject of this kind gets where it names them itself.
_OF_THE_CONTRACT = frozenset({"seed", "generator", "return_logprobs"})


class AfterPrompt(Factors):
    """A processor of which the due law must know that it gets the prompt too, as real ones do."""

    def __init__(self, processor: Processor, prompt: Ids) -> None:
        self._processor = processor
        self._prompt = prompt

    def factors(self, history: Ids, size: int) -> tuple[float, ...]:
        """The factors after the prompt and the new ids ``history``."""
        return self._processor.factors(self._prompt + history, size)

    def __call__(self, ids: Any, logits: Any) -> Any:
        """``logits`` after ``ids``, which begin with the prompt."""
        return self._processor(ids, logits)


def generate_keywords(
    subject: Subject, settings: Settings, lookahead: int, horizon: int, eos: int
) -> dict[str, Any]:
    """What of the keywords of ``generate()`` a subject is called with.

    What is not asked for is neutral where the subject names it, since its default may not be, and
    is left out of what goes into ``**kwargs``; but ``top_k`` is 0, the library's default being 50.
    """
    passed: dict[str, Any] = {
        "max_new_tokens": horizon,
        "do_sample": settings.temperature != 0,
        "top_k": settings.top_k or 0,
        "eos_token_id": eos,
        "pad_token_id": eos,
    }
    neutral: dict[str, Any] = {"temperature": 1.0, "top_p": 1.0, "min_p": 0.0}
    greedy_by_name = settings.temperature == 0 and "do_sample" in subject.accepted
    asked = {
        "temperature": None if greedy_by_name else settings.temperature,
        "top_p": settings.top_p,
        "min_p": settings.min_p,
    }
    for name, number in neutral.items():
        if asked[name] is not None:
            passed[name] = asked[name]
        elif name in subject.named:
            passed[name] = number
    if settings.processor is not None or "logits_processor" in subject.named:
        from transformers import LogitsProcessorList

        listed = [] if settings.processor is None else [_OnScores(settings.processor)]
        passed["logits_processor"] = LogitsProcessorList(listed)  # pyright: ignore[reportArgumentType]
    if "num_assistant_tokens" in subject.named:
        passed["num_assistant_tokens"] = lookahead
    return {name: value for name, value in passed.items() if name in subject.accepted}


class _OnScores:
    """A processor with the names of arguments that the library's own have."""

    def __init__(self, processor: Processor) -> None:
        self._processor = processor

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        return self._processor(input_ids, scores)


class Requests:
    """Requests of one path, on models of its own that all requests of a pair have in common.

    Attributes:
        used_tokenizers: whether the subject looked at a tokenizer of a pair over two vocabularies.
    """

    def __init__(self, trial: Trial, cases: Sequence[Case], dues: Sequence[DueLaws]) -> None:
        from ...toymodels.huggingface.quiet import hushed

        self._subject = trial.subject
        self._cases, self._dues = cases, dues
        self._made: dict[int, Toys] = {}
        self._fresh: dict[int, Toys] = {}
        self.used_tokenizers = False
        for number, (case, due) in enumerate(zip(cases, dues, strict=True)):
            key = id(case.pair)
            if key not in self._made:
                with hushed():
                    self._made[key] = _toys(case, due)
                _note_reads(self._made[key], due)
                if not case.pair.pair.same_vocabulary:
                    self._warm_up(trial, number)

    def call(self, number: int, horizon: int, seed: int = 0, **extra: Any) -> Any:
        """The answer to a request; the first one on a path begins with fresh models."""
        from ...toymodels.huggingface.quiet import hushed

        case, due = self._cases[number], self._dues[number]
        with hushed():
            if number == 0:
                self._fresh = {key: toys.fresh() for key, toys in self._made.items()}
            toys = self._fresh[id(case.pair)]
            answer = self._called(toys, case, due, horizon, seed, extra)
        _note_reads(toys, due)
        return answer

    def _called(
        self, toys: Toys, case: Case, due: DueLaws, horizon: int, seed: int, extra: dict[str, Any]
    ) -> Any:
        import torch

        subject = self._subject
        named = generate_keywords(subject, case.settings, case.lookahead, horizon, toys.eos)
        contract = keywords(subject, case.settings, seed)
        named |= {name: contract[name] for name in _OF_THE_CONTRACT & contract.keys()}
        tokenizers: dict[str, Any] = {
            "target_tokenizer": toys.tokenizer,
            "drafter_tokenizer": toys.assistant_tokenizer,
            "eos": toys.eos,
        }
        named |= {name: tokenizers[name] for name in tokenizers if name in subject.named}
        return subject.call(
            toys.model,
            toys.assistant_model,
            toys.tokenizer,
            toys.assistant_tokenizer,
            torch.tensor([due.prompt]),
            **(named | extra),
        )

    def answers(self, trial: Trial, number: int) -> list[Any]:
        """What a real call, which is not enumerated, returns; nothing where it raises."""
        from ...toymodels.huggingface.quiet import hushed

        case, due = self._cases[number], self._dues[number]
        trial.beat()
        trial.snapshot.restore()
        with _own_generator(), hushed(), suppress(Exception):
            return [self._called(self._made[id(case.pair)].fresh(), case, due, 2, 0, {})]
        return []

    def _warm_up(self, trial: Trial, number: int) -> None:
        """One call that is not enumerated.

        The first call with two tokenizers rebuilds the drafter's head, and torch fills the new head
        from its generator before the weights are copied in: draws that decide nothing.
        """
        from ...toymodels.huggingface.tokenizers import forget, was_used

        toys = self._made[id(self._cases[number].pair)]
        forget(toys.tokenizer)
        forget(toys.assistant_tokenizer)
        self.answers(trial, number)
        self.used_tokenizers = was_used(toys.tokenizer) or was_used(toys.assistant_tokenizer)


def transformers_call(
    trial: Trial, case: Case, due: DueLaws, horizon: int, seed: int = 0, **extra: Any
) -> Callable[[], Any]:
    """A call of a `transformers` subject at the pair's prompt, on fresh models every time."""
    requests = Requests(trial, [case], [due])
    return lambda: requests.call(0, horizon, seed, **extra)


def _toys(case: Case, due: DueLaws) -> Toys:
    from ...toymodels.huggingface.toys import toys

    return toys(
        case.pair.pair,
        due.target.after,
        due.drafter.after,
        case.lookahead,
        eos=case.settings.eos,
        dtype=case.dtype,
    )


def _note_reads(toys: Toys, due: DueLaws) -> None:
    """Tell rows that want to know whether they were read, whether their model was called."""
    for model, rows in ((toys.model, due.target), (toys.assistant_model, due.drafter)):
        if hasattr(rows, "was_read"):
            rows.was_read = model.calls[0] > 0  # pyright: ignore[reportAttributeAccessIssue]


@contextmanager
def _own_generator() -> Iterator[None]:
    """Draws of torch's global CPU generator made inside are repeatable and leave no trace."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        yield

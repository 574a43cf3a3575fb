"""What a subject of kind `transformers` takes, and whether the library is there."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import replace

from ..subjects import SubjectError
from .loading import ARGUMENTS, OPTIONAL, Subject

#: Keywords of ``generate()`` that go into ``**kwargs``, or are passed by name.
GENERATE_KEYWORDS = (
    *("max_new_tokens", "do_sample", "temperature", "top_k", "top_p", "min_p", "logits_processor"),
    *("eos_token_id", "pad_token_id"),
)


def check_installed() -> None:
    """Raise `SubjectError`, with the command that installs it, where the library is not there."""
    from ...toymodels.huggingface import INSTALL_COMMAND, missing

    if missing() is not None:
        raise SubjectError(
            f"kind transformers needs torch, transformers and tokenizers: {INSTALL_COMMAND}"
        )


def of_transformers(subject: Subject) -> Subject:
    """``subject`` with the keywords of ``generate()`` that it takes; loads the library."""
    if subject.array != "torch":
        raise SubjectError(f"{subject.name} is of kind transformers, which has tensors only")
    try:
        parameters = list(inspect.signature(subject.call).parameters.values())
    except (TypeError, ValueError):  # built in C: nothing is known of it
        parameters = []
    named = frozenset(
        p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ) - set(ARGUMENTS["transformers"])
    takes_all = any(p.kind == p.VAR_KEYWORD for p in parameters)
    accepted = frozenset(GENERATE_KEYWORDS) if takes_all else named & frozenset(GENERATE_KEYWORDS)
    accepted |= named & {"num_assistant_tokens"}
    if "max_new_tokens" not in accepted:
        raise SubjectError(
            f"{subject.name} takes no max_new_tokens, by name or by **kwargs; transformers is "
            f"called as f({', '.join(ARGUMENTS['transformers'])}, **generate_kwargs)"
        )
    options = (
        subject.options
        | (accepted & frozenset(OPTIONAL))
        | {"target_tokenizer", "drafter_tokenizer"}
    )
    if "eos_token_id" in accepted:
        options |= {"eos"}
    try:
        importlib.import_module("...toymodels.huggingface.toys", __package__)
    except Exception as problem:  # a release whose parts have moved
        line = " ".join(str(problem).split())
        raise SubjectError(
            f"the installed transformers cannot be used: {type(problem).__name__}: {line}"
        ) from None
    return replace(subject, options=options, named=named, accepted=accepted)

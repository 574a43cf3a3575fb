"""From ``package.module:name`` or ``path/file.py:name`` to a callable of a declared kind."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..subjects import SubjectError

#: Positional arguments of every kind, in order.
ARGUMENTS = {
    "rule": ("target_rows", "draft_rows", "drafts"),
    "generate": ("target", "drafter", "prompt", "lookahead", "max_new_tokens"),
    "batch_rule": ("target_rows", "draft_rows", "drafts", "lengths"),
    "kernel": ("target_rows", "draft_rows", "drafts", "coins"),
    "transformers": (
        *("model", "assistant_model", "tokenizer", "assistant_tokenizer", "input_ids"),
    ),
}
KINDS = tuple(ARGUMENTS)
#: Keywords that are passed when the signature names them, and only then.
OPTIONAL = (
    *("eos", "temperature", "top_k", "top_p", "min_p", "logits_processor", "seed", "generator"),
    *("target_tokenizer", "drafter_tokenizer", "return_logprobs"),
)
#: The library's own keywords, which only `transformers` subjects get.
OF_TRANSFORMERS = (
    *("max_new_tokens", "do_sample", "eos_token_id", "pad_token_id", "num_assistant_tokens"),
)
DOMAINS = ("uniform", "exponential", "gumbel")


@dataclass(frozen=True)
class CoinSpec:
    """One entry of ``f.coins``: a name, the sizes of its axes, and the law of its numbers."""

    name: str
    shape: tuple[int | str, ...]
    domain: str

    def sizes(self, lookahead: int, vocabulary: int) -> tuple[int, ...]:
        """The shape with K, K+1 and V filled in."""
        known = {"K": lookahead, "K+1": lookahead + 1, "V": vocabulary}
        return tuple(known[axis] if isinstance(axis, str) else axis for axis in self.shape)


@dataclass(frozen=True)
class Subject:
    """A callable to be audited.

    Attributes:
        name: what reports call it.
        array: "torch" or "numpy", what rows come as.
        options: the optional keywords that its signature names.
        required: those of them that have no default.
        relaxed: the property it declares instead of losslessness, if any.
        coins: what a kernel declares.
        named: of a `transformers` subject, all keywords that its signature names.
        accepted: of a `transformers` subject, the keywords of ``generate()`` that it can be given.
    """

    call: Callable[..., Any]
    kind: str
    name: str
    array: str
    options: frozenset[str]
    required: frozenset[str]
    relaxed: str | None = None
    coins: tuple[CoinSpec, ...] = ()
    named: frozenset[str] = frozenset()
    accepted: frozenset[str] = frozenset()

    @property
    def drafts_itself(self) -> bool:
        """Whether it draws its own drafts, as whole decoders do."""
        return self.kind in ("generate", "transformers")


def load(spec: str, kind: str | None) -> Subject:
    """The subject that ``spec`` names, imported under interception.

    Raises:
        SubjectError: in one line, for whatever is wrong with it.
    """
    _check_kind(spec, kind)
    where, _, attribute = spec.rpartition(":")
    if not where or not attribute:
        raise SubjectError(
            f"{spec!r} names no callable; write path/file.py:name or package.module:name"
        )
    module = _module(where)
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            names = [n for n in vars(found) if not n.startswith("_")] if found is module else []
            near = difflib.get_close_matches(part, names, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise SubjectError(f"{where} has no {attribute!r}{hint}")
        found = getattr(found, part)
    return subject_from(found, kind, spec)


def subject_from(call: object, kind: str | None, name: str | None = None) -> Subject:
    """``call`` as a subject of ``kind``, its signature checked.

    Raises:
        SubjectError: in one line, naming what the kind expects.
    """
    if name is None:
        name = str(getattr(call, "__qualname__", type(call).__name__))
    _check_kind(name, kind)
    assert kind is not None
    if not callable(call):
        raise SubjectError(f"{name} is not callable but {_a(type(call).__name__)}")
    named, required = _signature(call, kind, name)
    array = _declared(call, "array", "torch")
    if array not in ("torch", "numpy"):
        raise SubjectError(f"{name}.array is {array!r}; it can be 'torch' or 'numpy'")
    if array == "torch" and importlib.util.find_spec("torch") is None:
        raise SubjectError(
            f"{name} takes torch tensors and torch is not installed; a subject that takes NumPy "
            f"arrays says so with {name.rpartition(':')[2]}.array = 'numpy'"
        )
    if array == "numpy" and importlib.util.find_spec("numpy") is None:
        raise SubjectError(f"{name} takes NumPy arrays and numpy is not installed")
    relaxed = _declared(call, "relaxed", None)
    if relaxed is not None and not (isinstance(relaxed, str) and relaxed.strip()):
        raise SubjectError(f"{name}.relaxed is {relaxed!r}; it must be a text naming the property")
    coins = _coins(call, name) if kind == "kernel" else ()
    if kind == "transformers":
        from .transformers_signature import of_transformers

        return of_transformers(Subject(call, kind, name, array, named, required, relaxed))
    return Subject(call, kind, name, array, named, required, relaxed, coins)


def _declared(call: Any, name: str, otherwise: Any) -> Any:
    """What a callable declares: on itself, what it is bound to, or what it is a partial of."""
    for holder in (call, getattr(call, "__self__", None), getattr(call, "func", None)):
        if holder is not None and hasattr(holder, name):
            return getattr(holder, name)
    inner = getattr(call, "func", None)
    return otherwise if inner is None else _declared(inner, name, otherwise)


def _check_kind(name: str, kind: str | None) -> None:
    if kind is None:
        raise SubjectError(f"{name} is a callable: say of what kind with --as, {_kinds()}")
    if kind not in KINDS:
        near = difflib.get_close_matches(kind, KINDS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise SubjectError(f"there is no kind {kind!r}, only {_kinds()}{hint}")
    if kind == "transformers":
        from .transformers_signature import check_installed

        check_installed()


def _kinds() -> str:
    return f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"


def _module(where: str) -> Any:
    from ..interception import loading

    is_file = where.endswith(".py") or "/" in where
    try:
        with loading():
            if not is_file:
                if str(Path.cwd()) not in sys.path:
                    sys.path.insert(0, str(Path.cwd()))
                return importlib.import_module(where)
            return _from_file(Path(where))
    except SubjectError:
        raise
    except (Exception, SystemExit) as problem:
        line = " ".join(str(problem).split())
        raise SubjectError(
            f"{where} cannot be imported: {type(problem).__name__}: {line}"
        ) from None


def _from_file(path: Path) -> Any:
    if not path.is_file():
        near = difflib.get_close_matches(
            path.name, [p.name for p in path.parent.glob("*.py")] if path.parent.is_dir() else []
        )
        hint = f"; did you mean {path.with_name(near[0])}?" if near else ""
        raise SubjectError(f"there is no file {path}{hint}")
    name = path.stem if path.stem.isidentifier() else "subject"
    while name in sys.modules:
        name = f"_{name}"
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise SubjectError(f"{path} is no Python file; its name must end in .py")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        specification.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _signature(call: Callable[..., Any], kind: str, name: str) -> tuple[frozenset[str], Any]:
    """The optional keywords that are named, and those of them without a default."""
    expected = f"{kind} is called as f({', '.join(ARGUMENTS[kind])}, ...)"
    if inspect.isclass(call):
        raise SubjectError(f"{name} is a class; {expected}")
    if inspect.iscoroutinefunction(call) or inspect.isgeneratorfunction(call):
        raise SubjectError(
            f"{name} is a generator or a coroutine, not a plain function; {expected}"
        )
    try:
        signature = inspect.signature(call)
    except (TypeError, ValueError):  # built in C: nothing is known of it
        return frozenset(), frozenset()
    named = frozenset(
        parameter.name
        for parameter in signature.parameters.values()
        if parameter.name in OPTIONAL
        and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    )
    required = frozenset(
        p.name for p in signature.parameters.values() if p.name in named and p.default is p.empty
    )
    positional = [
        p.name
        for p in signature.parameters.values()
        if p.kind == p.POSITIONAL_OR_KEYWORD and p.name in ARGUMENTS[kind]
    ]
    if sorted(positional) == sorted(ARGUMENTS[kind]) and tuple(positional) != ARGUMENTS[kind]:
        raise SubjectError(
            f"{name}{signature} has its parameters in another order; {expected}, by position"
        )
    try:
        more = {*OF_TRANSFORMERS} & {*signature.parameters} if kind == "transformers" else set()
        signature.bind(*ARGUMENTS[kind], **dict.fromkeys(named | more))
    except TypeError as problem:
        raise SubjectError(
            f"{name}{signature} does not fit its kind ({problem}); {expected}"
        ) from None
    return named, required


def _coins(call: Any, name: str) -> tuple[CoinSpec, ...]:
    declared = _declared(call, "coins", None)
    shape_of = "f.coins lists (name, shape, domain), such as ('accept', 'K', 'uniform')"
    if not isinstance(declared, list | tuple) or not declared:
        raise SubjectError(f"{name} declares no coins; {shape_of}")
    specs: list[CoinSpec] = []
    for entry in declared:
        if not isinstance(entry, list | tuple) or len(entry) != 3:
            raise SubjectError(f"{name}.coins holds {entry!r}; {shape_of}")
        coin, shape, domain = entry
        axes = tuple(shape) if isinstance(shape, list | tuple) else (shape,)
        known = all(
            axis in ("K", "K+1", "V")
            if isinstance(axis, str)
            else isinstance(axis, int) and not isinstance(axis, bool) and axis >= 0
            for axis in axes
        )
        if not isinstance(coin, str) or not known or domain not in DOMAINS:
            raise SubjectError(
                f"{name}.coins holds {entry!r}; a shape has integers, 'K', 'K+1' or 'V', a domain "
                f"is one of {', '.join(DOMAINS)}"
            )
        specs.append(CoinSpec(coin, axes, domain))
    if len({spec.name for spec in specs}) < len(specs):
        raise SubjectError(f"{name}.coins lists a name twice")
    return tuple(specs)


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"

"""A few modules of a vLLM tree, really executed, with everything they do not need stubbed.

The engine cannot be imported without its compiled kernels, a platform, and some hundred packages.
Its samplers need none of that: they are torch and Triton. `load` executes exactly the modules it
is told to, from the files of a `Tree`; whatever else they import from ``vllm`` is a stub. Nothing
is left in ``sys.modules``, so two releases, and faulty copies of one, live side by side.

Stubs that decide something are written out in `stubs`: the platform answers no to every question
(so that torch's own code paths are taken, not those of a vendor's library), environment flags are
unset, logging is silent. Any other stub is an empty class, and calling it is an error.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .stubs import LoadError, Stub, written_out

#: A replacement in a module's text: what is there, and what to put for it.
Patch = tuple[str, str]

PACKAGE = "vllm"


@dataclass(frozen=True)
class Tree:
    """The Python files of a release.

    Attributes:
        folder: holds the folder ``vllm``.
        version: of the release.
    """

    folder: Path
    version: str

    def path(self, module: str) -> Path:
        """The file of ``module``, whether or not it is there."""
        return self.folder.joinpath(*module.split(".")).with_suffix(".py")

    def has(self, module: str) -> bool:
        """Whether the release has ``module`` (one file; packages do not count)."""
        return self.path(module).is_file()


def interpret_triton() -> None:
    """Ask Triton for its interpreter, which runs kernels on the CPU.

    Triton reads the variable when a kernel is defined and when its own library is imported, so it
    must come first; a process that has imported Triton otherwise is no longer fit for this.

    Raises:
        LoadError: when Triton was imported before, to compile.
    """
    already = "triton" in sys.modules and os.environ.get("TRITON_INTERPRET") != "1"
    if already:
        raise LoadError(
            "triton was imported before TRITON_INTERPRET=1 was set; start a process of its own"
        )
    os.environ["TRITON_INTERPRET"] = "1"


def load(
    tree: Tree,
    modules: Sequence[str],
    *,
    patches: Mapping[str, Iterable[Patch]] | None = None,
    interpreter: bool = False,
) -> dict[str, ModuleType]:
    """Execute ``modules`` of ``tree`` and give them by name.

    Args:
        tree: where the files are.
        modules: what is really executed, by full name; the rest of ``vllm`` is stubbed.
        patches: replacements in the text of a module, each of which must apply exactly once.
        interpreter: kernels run in Triton's own interpreter instead of `language`.

    Raises:
        LoadError: for a module that is not there, fails, or does not hold what a patch replaces.
    """
    if interpreter:
        interpret_triton()
    for name in modules:
        if not tree.has(name):
            raise LoadError(f"vllm {tree.version} has no module {name}")
    finder = _Finder(tree, frozenset(modules), dict(patches or {}), written_out(interpreter))
    loaded: dict[str, ModuleType] = {}
    with _room_of_its_own(finder):
        for name in modules:
            try:
                loaded[name] = importlib.import_module(name)
            except LoadError:
                raise
            except Exception as raised:
                line = f"{type(raised).__name__}: {' '.join(str(raised).split())[:200]}"
                raise LoadError(f"{name} of vllm {tree.version} cannot be loaded: {line}") from None
    missed = sorted(set(finder.patches) - set(loaded))
    if missed:
        raise LoadError(f"a patch is for {missed[0]}, which is not among the modules to load")
    return loaded


@contextmanager
def _room_of_its_own(finder: _Finder) -> Iterator[None]:
    """Imports of ``vllm`` go to ``finder``; afterwards ``sys.modules`` is as it was."""
    ours = {n: m for n, m in sys.modules.items() if n == PACKAGE or n.startswith(PACKAGE + ".")}
    for name in ours:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [n for n in sys.modules if n == PACKAGE or n.startswith(PACKAGE + ".")]:
            del sys.modules[name]
        sys.modules.update(ours)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds ``vllm`` and everything below it: real files for a few, stubs for the rest."""

    def __init__(
        self,
        tree: Tree,
        real: frozenset[str],
        patches: dict[str, Iterable[Patch]],
        stubs: dict[str, Mapping[str, Any]],
    ) -> None:
        self._tree = tree
        self._real = real
        self.patches = patches
        self._stubs = stubs

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A specification for names below ``vllm``, None for all others."""
        del path, target
        if fullname != PACKAGE and not fullname.startswith(PACKAGE + "."):
            return None
        if fullname in self._real:
            # With its file as origin: Triton and the warm-up helpers read the source back.
            return importlib.util.spec_from_file_location(
                fullname, self._tree.path(fullname), loader=_Source(fullname, self)
            )
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """A stub."""
        return Stub(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Fill a stub with what is written out for it."""
        module.__dict__.update(self._stubs.get(module.__name__, {}))

    def text(self, name: str) -> str:
        """The source of a real module, its patches applied.

        Raises:
            LoadError: for a patch that does not apply exactly once.
        """
        text = self._tree.path(name).read_text(encoding="utf-8")
        for old, new in self.patches.get(name, ()):
            if (count := text.count(old)) != 1:
                raise LoadError(
                    f"{name} of vllm {self._tree.version} holds {old.strip()[:60]!r} {count} times "
                    "where a patch needs it once"
                )
            text = text.replace(old, new)
        return text


class _Source(importlib.abc.Loader):
    """Executes the patched text of one module."""

    def __init__(self, name: str, finder: _Finder) -> None:
        self._name = name
        self._finder = finder

    def exec_module(self, module: ModuleType) -> None:
        """Compile and execute, with the lines kept for those who read source back."""
        import linecache

        text = self._finder.text(self._name)
        # A file name of its own for every copy: Triton rewrites functions from `inspect`'s text.
        number = next(_NUMBERS)
        place = f"<{self._name} of vllm {self._finder._tree.version}, copy {number}>"
        linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
        module.__file__ = place
        exec(compile(text, place, "exec"), module.__dict__)


def _numbers() -> Iterator[int]:
    number = 0
    while True:
        number += 1
        yield number


_NUMBERS = _numbers()

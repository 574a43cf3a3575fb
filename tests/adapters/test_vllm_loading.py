"""A few modules out of a tree: what is executed, what is stubbed, what is left behind."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("numpy", reason="kernels run over NumPy: pip install numpy")

from draftproof.adapters.vllm.loading import Tree, load
from draftproof.adapters.vllm.stubs import LoadError

SAMPLER = """
from vllm.logger import init_logger
from vllm.platforms import current_platform
from vllm.triton_utils import HAS_TRITON, tl, triton
from vllm.distributed.somewhere import Group, reduce
from vllm.other import helper

logger = init_logger(__name__)
logger.info("loaded on %s", "nothing")
RULE = "p / q"
ON_GPU = current_platform.is_cuda()


def use_group() -> object:
    return Group()


def annotated(group: Group | None, more: list[reduce]) -> None: ...
"""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    package = tmp_path / "vllm" / "deep"
    package.mkdir(parents=True)
    (package / "sampler.py").write_text(SAMPLER, encoding="utf-8")
    (tmp_path / "vllm" / "other.py").write_text("helper = 41\n", encoding="utf-8")
    (tmp_path / "vllm" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    return Tree(tmp_path, "1.2.3")


def test_only_the_named_modules_are_executed(tree: Tree):
    found = load(tree, ["vllm.deep.sampler"])
    sampler = found["vllm.deep.sampler"]
    assert sampler.RULE == "p / q" and sampler.ON_GPU is False and sampler.HAS_TRITON is True
    assert sampler.helper != 41, "vllm.other was not named, so it is a stub"
    assert load(tree, ["vllm.other", "vllm.deep.sampler"])["vllm.deep.sampler"].helper == 41


def test_a_stub_that_is_called_says_so(tree: Tree):
    sampler = load(tree, ["vllm.deep.sampler"])["vllm.deep.sampler"]
    with pytest.raises(LoadError, match=r"vllm\.distributed\.somewhere\.Group is stubbed"):
        sampler.use_group()


def test_nothing_is_left_in_the_list_of_modules(tree: Tree):
    before = dict(sys.modules)
    load(tree, ["vllm.deep.sampler"])
    after = {n for n in sys.modules if n.partition(".")[0] == "vllm"}
    assert after == {n for n in before if n.partition(".")[0] == "vllm"}
    assert not any(type(finder).__name__ == "_Finder" for finder in sys.meta_path)


def test_a_module_that_was_there_before_is_there_again(tree: Tree, monkeypatch: pytest.MonkeyPatch):
    own = ModuleType("vllm")
    monkeypatch.setitem(sys.modules, "vllm", own)
    load(tree, ["vllm.deep.sampler"])
    assert sys.modules["vllm"] is own and "vllm.deep" not in sys.modules


def test_patched_copies_live_beside_the_original(tree: Tree):
    patch = {"vllm.deep.sampler": [("p / q", "p")]}
    faulty = load(tree, ["vllm.deep.sampler"], patches=patch)["vllm.deep.sampler"]
    plain = load(tree, ["vllm.deep.sampler"])["vllm.deep.sampler"]
    assert (faulty.RULE, plain.RULE) == ("p", "p / q")
    assert "p / q" in tree.path("vllm.deep.sampler").read_text(), "files are not touched"


@pytest.mark.parametrize(
    ("old", "count"), [("not in the text", 0), ("logger", 5)], ids=["absent", "ambiguous"]
)
def test_a_patch_must_apply_exactly_once(tree: Tree, old: str, count: int):
    with pytest.raises(LoadError, match=rf"{old!r} {count} times where a patch needs it once"):
        load(tree, ["vllm.deep.sampler"], patches={"vllm.deep.sampler": [(old, "x")]})


def test_a_patch_of_a_module_that_is_not_loaded_is_refused(tree: Tree):
    with pytest.raises(LoadError, match=r"a patch is for vllm\.other"):
        load(tree, ["vllm.deep.sampler"], patches={"vllm.other": [("41", "42")]})


def test_what_is_not_there_is_named(tree: Tree):
    with pytest.raises(LoadError, match=r"vllm 1\.2\.3 has no module vllm\.gone"):
        load(tree, ["vllm.gone"])


def test_a_module_that_fails_is_named_in_one_line(tree: Tree):
    tree.path("vllm.other").write_text("raise ValueError('two\\nlines')\n")
    with pytest.raises(LoadError, match=r"vllm\.other of vllm 1\.2\.3.*ValueError: two lines"):
        load(tree, ["vllm.other"])
    assert "vllm" not in sys.modules

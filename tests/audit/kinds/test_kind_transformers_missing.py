"""Kind `transformers` without torch or transformers: one line, and what installs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from draftproof.audit.kinds import load, subject_from
from draftproof.audit.subjects import SubjectError
from draftproof.toymodels import huggingface

SAYS = (
    "kind transformers needs torch, transformers and tokenizers: "
    "pip install 'draftproof[transformers]'"
)
SUBJECT = """
def f(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
    return [0]
"""


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface, "missing", lambda: "torch is not installed")


@pytest.mark.usefixtures("bare")
def test_a_callable_is_refused_in_one_line(tmp_path: Path):
    def f(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
        return [0]

    path = tmp_path / "bare_call.py"
    path.write_text("import torch_that_there_is_not\n" + SUBJECT, encoding="utf-8")
    for ask in (lambda: subject_from(f, "transformers"), lambda: load(f"{path}:f", "transformers")):
        with pytest.raises(SubjectError) as problem:
            ask()
        assert str(problem.value) == SAYS


@pytest.mark.skipif(huggingface.missing() is None, reason="torch and transformers are installed")
def test_the_command_says_so_and_gives_exit_code_2(tmp_path: Path):
    path = tmp_path / "bare_call.py"
    path.write_text(SUBJECT, encoding="utf-8")
    command = [sys.executable, "-m", "draftproof", "audit", f"{path}:f", "--as", "transformers"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"draftproof: {SAYS}\n"


def test_the_kind_is_loaded_only_where_it_is_asked_for():
    code = (
        "import sys, draftproof.audit.kinds, draftproof.audit.kinds.plan, draftproof.testing; "
        "print(sorted({'torch', 'transformers', 'tokenizers'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"

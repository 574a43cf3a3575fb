"""``draftproof audit transformers``: options that do not go together are one clear line."""

from __future__ import annotations

import pytest
from draftproof import transformers_command
from draftproof.cli import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["builtin", "--quick"], "--quick applies to transformers only"),
        (["builtin", "--releases", "5.24.0"], "--releases applies to transformers only"),
        (["transformers", "--pair", "base"], "--pair does not apply to transformers"),
        (["transformers", "--releases", "5.24"], "'5.24' is no release of transformers"),
        (["transformers", "--releases", ""], "no release was named"),
        (["transformers", "--releases", "5.24.0", "--junit", "x"], "--junit does not go together"),
        (["transformers:beam", "--releases", "5.24.0"], "no route is called 'beam'"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["audit", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err and err.count("\n") == 1


def test_a_machine_with_one_core_uses_one_process(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0}, raising=False)
    assert transformers_command._processes() == 1

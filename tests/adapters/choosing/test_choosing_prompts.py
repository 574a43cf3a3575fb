"""Prompts from files: lines, JSON lines, and what is said of those that cannot be used."""

import io

import pytest
from draftproof.adapters.choosing.prompts import read_prompts


def test_one_prompt_a_line(tmp_path):
    file = tmp_path / "prompts.txt"
    file.write_text("one\n\n  two \r\n{not json\nline\N{LINE SEPARATOR}separator", encoding="utf-8")
    assert read_prompts(str(file)) == [
        "one",
        "  two ",
        "{not json",
        "line\N{LINE SEPARATOR}separator",
    ]


def test_json_lines(tmp_path):
    file = tmp_path / "prompts"
    file.write_text('{"prompt": "one\\ntwo", "id": 3}\n\n{"prompt": "three"}\n', encoding="utf-8")
    assert read_prompts(str(file)) == ["one\ntwo", "three"]


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("a\nb\n"))
    assert read_prompts("-") == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.txt", b"\n  \n", "holds no prompt"),
        ("bytes.txt", b"\xff\xfe", "is not UTF-8"),
        ("bad.jsonl", b'{"prompt": "a"}\n{"prompt": 3}', 'line 2: an object with a text under "p'),
        ("empty.jsonl", b'{"prompt": ""}', 'line 1: an object with a text under "prompt"'),
        ("broken.jsonl", b'{"prompt": ', "line 1: Expecting value"),
    ],
)
def test_what_cannot_be_used(tmp_path, name, content, said):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(ValueError, match="--prompts") as problem:
        read_prompts(str(file))
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_missing_file_and_an_unknown_name():
    with pytest.raises(OSError, match="nowhere"):
        read_prompts("nowhere.txt")
    for name in ("builtin:no-such-prompts", "builtin:code:99", "builtin:code:x", "builtin:code:0"):
        with pytest.raises(ValueError, match=f"--prompts {name}: "):
            read_prompts(name)


def test_built_in_ones():
    assert len(read_prompts("builtin:mixed")) == 16
    assert read_prompts("builtin:code:3") == read_prompts("builtin:code")[:3]

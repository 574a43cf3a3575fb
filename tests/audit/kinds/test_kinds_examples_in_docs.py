"""The examples of docs/auditing-your-code.md are audited, and have the verdict shown there."""

import importlib.util
import re
from pathlib import Path

import pytest
from draftproof.audit import run
from draftproof.toymodels.huggingface import missing

PAGE = Path(__file__).resolve().parents[3] / "docs" / "auditing-your-code.md"
EXAMPLE = re.compile(
    r"```python\n# (?P<file>\S+)\n(?P<code>.*?)```\n\n"
    r"    \$ draftproof audit (?P<spec>\S+) --as (?P<kind>\S+)\n    (?P<verdict>\w+)\n",
    re.DOTALL,
)
EXAMPLES = [match.groupdict() for match in EXAMPLE.finditer(PAGE.read_text(encoding="utf-8"))]


def test_every_kind_has_an_example_of_at_most_25_lines():
    kinds = ["rule", "generate", "batch_rule", "kernel", "transformers", "transformers"]
    assert [e["kind"] for e in EXAMPLES] == kinds
    assert all(e["code"].count("\n") < 25 for e in EXAMPLES)


#: A path of ``generate()`` takes milliseconds: the whole audit is left to the command.
QUICK = {"transformers": {"pairs": ["two-ids", "base"], "horizon": 3}}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["file"])
def test_an_example_has_the_verdict_shown(example, tmp_path, monkeypatch):
    if "import torch" in example["code"] and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    if example["kind"] == "transformers" and missing() is not None:
        pytest.skip(f"{missing()}")
    monkeypatch.chdir(tmp_path)
    Path(example["file"]).write_text(example["code"], encoding="utf-8")
    options = QUICK.get(example["kind"], {})
    report = run(example["spec"], kind=example["kind"], lookahead=1, **options)
    assert report.verdict == example["verdict"]

"""The files: byte for byte what the command writes, and what their schemas say."""

import json
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from draftproof.audit.bank import BANK, FALSE_ALARMS, FAULTS
from draftproof.audit.vectors.files import KINDS, vector_files
from draftproof.audit.vectors.law_cases import SHARED
from draftproof.audit.vectors.writing import FLAGS
from draftproof.cli import main
from vector_models import FOLDER, load

ROOT = Path(str(FOLDER))
#: Ids that were published: they may be joined by others, and keep their meaning.
PUBLISHED = (
    "coin-two-left-accept-1-threshold-low-float64",
    "coin-excluded-draft-accept-1-zero-low-float64",
    "coin-ten-tenths-padded-final-below-one-float64",
    "rows-equal",
    "law-base",
    "law-given-standard-base-2",
    "tli-many-to-one",
    "psi-composition-fixed-2",
    "psi_k-composition-fixed-2-0",
    "slem-merging-target-0-01",
    "block-flipped-00",
    "tokenizer-lower-casing-text-1-0",
    "stopping-end-inside",
    "pruned-padded",
)


@cache
def made():
    return vector_files()


def test_every_file_is_what_the_command_writes():
    for name, text in made().items():
        assert (ROOT / name).read_bytes() == text.encode(), f"{name}: run `draftproof vectors`"
    found = {
        p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if p.suffix in (".json", ".txt")
    }
    assert found == {*made(), "kills.json"}


def test_the_files_are_small():
    assert sum(p.stat().st_size for p in ROOT.rglob("*") if p.is_file()) < 3_000_000


@pytest.mark.parametrize("kind", KINDS)
def test_files_satisfy_their_schemas(kind):
    schema = json.loads(FOLDER.joinpath(f"schemas/{kind}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    whole = json.loads(FOLDER.joinpath(f"{kind}.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    # Of the many alike, every seventh and each with flags or results of its own.
    seen, kept = set(), []
    for number, vector in enumerate(whole["vectors"]):
        key = (vector["result"], *vector["flags"], *vector["given"], *vector["expect"])
        if number % 7 == 0 or key not in seen:
            kept.append(vector)
        seen.add(key)
    validator.validate(whole | {"vectors": kept})
    spoiled = json.loads(json.dumps(kept[0]))
    spoiled["expect"]["surprise"] = 1
    assert not validator.is_valid(whole | {"vectors": [spoiled]})
    assert not validator.is_valid(whole | {"schema": "draftproof/vectors/0"})


def test_ids_are_unique_and_stay():
    ids = [vector["id"] for kind in KINDS for vector in load(kind)]
    assert len(set(ids)) == len(ids)
    assert set(PUBLISHED) <= set(ids)


def test_a_case_of_several_entries_is_not_named_after_the_first():
    """Else an id would change with the order of the bank."""
    groups = {}
    for entry in (*FAULTS, *FALSE_ALARMS):
        if entry.check != "edges":
            groups.setdefault(json.dumps(entry.case.describe()), []).append(entry.id)
    for names in groups.values():
        assert len(names) == 1 or sum(name in SHARED for name in names) == 1, names


def test_every_number_is_exact_and_the_nearest_float():
    from fractions import Fraction

    def numbers(value):
        if isinstance(value, dict):
            if value.keys() == {"exact", "float"}:
                yield value
            for inner in value.values():
                yield from numbers(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from numbers(inner)

    count = 0
    for kind in KINDS:
        for each in numbers(load(kind)):
            exact, nearest = each["exact"], each["float"]
            pairs = (
                [(exact, nearest)] if isinstance(exact, str) else zip(exact, nearest, strict=True)
            )
            for n, x in pairs:
                count += 1
                assert (n is None and x is None) or float(Fraction(n)) == x
    assert count > 10_000


def test_every_flag_is_used_and_every_report_is_one_of_the_banks_or_of_the_public_list():
    flags = {flag for kind in KINDS for vector in load(kind) for flag in vector["flags"]}
    assert flags == set(FLAGS)
    reports = {r for kind in KINDS for vector in load(kind) for r in vector["reports"]}
    banked = {r for entry in BANK.values() for r in entry.reports}
    assert reports - banked == {
        "ggml-org/llama.cpp #3812",
        "huggingface/transformers #33383",
        "huggingface/transformers #45307",
        "huggingface/transformers #46124",
        "vllm-project/vllm #10913",
    }


def test_the_index_counts(tmp_path):
    index = json.loads(FOLDER.joinpath("index.json").read_text(encoding="utf-8"))
    assert [each["kind"] for each in index["kinds"]] == list(KINDS)
    for each in index["kinds"]:
        vectors = load(each["kind"])
        assert each["count"] == len(vectors) == each["valid"] + each["invalid"] + each["relaxed"]
        assert each["file"] in made() and each["schema"] in made()
    assert index["flags"] == FLAGS


# ---- the command --------------------------------------------------------------------------------


def test_check_sees_one_byte(tmp_path, capsys):
    out = tmp_path / "vectors"
    assert main(["vectors", "--out", str(out)]) == 0
    assert {p.name for p in (out / "readers").iterdir()} == {"reader.py", "reader.js", "reader.cpp"}
    assert (out / "kills.json").exists()
    assert main(["vectors", "--check", "--out", str(out)]) == 0
    file = out / "rows.json"
    file.write_bytes(file.read_bytes().replace(b'"1/2"', b'"2/4"', 1))
    (out / "coin.txt").unlink()
    (out / "old.json").write_text("{}")
    capsys.readouterr()
    assert main(["vectors", "--check", "--out", str(out)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert "rows.json differs" in said
    assert "coin.txt is missing" in said
    assert "old.json is not written by this version" in said


def test_one_kind_and_lists(tmp_path, capsys):
    assert main(["vectors", "--kind", "stopping", "--out", str(tmp_path / "v")]) == 0
    names = sorted(p.relative_to(tmp_path / "v").as_posix() for p in (tmp_path / "v").rglob("*.*"))
    assert names == ["schemas/stopping.json", "stopping.json"]
    capsys.readouterr()
    assert main(["vectors", "--list", "--kind", "stopping", "--json", "-"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["vectors"] == load("stopping")
    assert main(["vectors", "--list"]) == 0
    shown = capsys.readouterr().out
    assert all(kind in shown for kind in KINDS)
    assert main(["vectors", "--faults"]) == 0
    assert "coin-zero-accepts" in capsys.readouterr().out


RULE = """
import random

def lenient(target_rows, draft_rows, drafts, threshold=0.9):
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts):
        ratio = p[x] / q[x]
        if ratio >= threshold or random.random() < ratio:
            out.append(int(x))
            continue
        left = [max(0.0, a - b) for a, b in zip(p, q)]
        return [*out, random.choices(range(len(p)), weights=left)[0]]
    return [*out, random.choices(range(len(p)), weights=list(target_rows[len(drafts)]))[0]]

def inflated(target_rows, draft_rows, drafts):
    return lenient([r for r in target_rows], [r / 1.01 for r in draft_rows], drafts, 2.0)

def right(target_rows, draft_rows, drafts):
    return lenient(target_rows, draft_rows, drafts, 2.0)

def hidden(target_rows, draft_rows, drafts):
    return [int(random.getrandbits(64) % len(target_rows[0]))]

for f in (lenient, inflated, right, hidden):
    f.array = "numpy"
def lenient_and_says_so(target_rows, draft_rows, drafts):
    return lenient(target_rows, draft_rows, drafts)

lenient_and_says_so.array, lenient_and_says_so.relaxed = "numpy", "leniency above 0.9"
"""


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("lenient", 1, "LOSSY"),
        ("inflated", 1, "LOSSY"),
        ("right", 0, "no difference"),
        ("lenient_and_says_so", 0, "RELAXED"),
        ("hidden", 3, "UNDECIDED"),
    ],
)
def test_a_callable_is_tried(name, code, says, tmp_path, capsys):
    pytest.importorskip("numpy")
    file = tmp_path / "my_rule.py"
    file.write_text(RULE, encoding="utf-8")
    assert main(["vectors", "--try", f"{file}:{name}", "--as", "rule", "--json", "-"]) == code
    captured = capsys.readouterr()
    value = json.loads(captured.out)
    assert says in captured.err
    assert bool(value["failed"]) == (says in ("LOSSY", "RELAXED"))
    assert bool(value["undecided"]) == (says == "UNDECIDED")
    assert value["verdict"] == (None if says == "no difference" else says)
    if name.startswith("lenient"):  # seen wherever a ratio lies between 0.9 and 1
        assert "law-nearly-one" in value["failed"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--kind", "no-such-kind"],
        ["--list", "--check"],
        ["--json", "-"],
        ["--as", "rule"],
        ["--try", "nowhere.py:f", "--as", "rule"],
        ["--try", "nowhere.py:f", "--as", "rule", "--kind", "psi"],
    ],
)
def test_bad_input_is_one_line(arguments, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["vectors", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []

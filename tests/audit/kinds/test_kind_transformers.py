"""Subjects of kind `transformers`: verdicts of calls of ``generate()`` and of loops by hand.

Most tests keep to pairs that show what they are about; a path of ``generate()`` takes milliseconds.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from draftproof.audit.subjects import SubjectError

NEEDS = "needs torch and transformers: pip install 'draftproof[transformers]'"
pytest.importorskip("torch", reason=NEEDS)
pytest.importorskip("transformers", reason=NEEDS)

import transformers_subjects as subjects  # noqa: E402
from draftproof.audit.kinds import audit_callable, subject_from  # noqa: E402
from draftproof.audit.kinds.cases import Case  # noqa: E402
from draftproof.audit.kinds.generate import run_results  # noqa: E402
from draftproof.audit.kinds.pairs import named_pair  # noqa: E402
from draftproof.audit.kinds.settings import Grammar, Settings  # noqa: E402
from draftproof.audit.kinds.transformers_calls import generate_keywords  # noqa: E402
from draftproof.audit.kinds.transformers_plan import transformers_steps  # noqa: E402
from draftproof.audit.kinds.trial import Trial  # noqa: E402

KIND = "transformers"
#: With a budget that a busy machine does not spend.
QUICK: dict[str, Any] = {"lookahead": 1, "horizon": 3, "shrink": False, "budget": 900.0}
PAGE = Path(__file__).resolve().parents[3] / "docs" / "auditing-your-code.md"


def audited(f: Any, *pairs: str, **options: Any) -> Any:
    return audit_callable(f, KIND, pairs=pairs, **(QUICK | options))


def checks(f: Any, *names: str) -> dict[str, Any]:
    """The worst results of some checks of the whole plan, without the rest of it."""
    trial = Trial(subject_from(f, KIND))
    found: dict[str, Any] = {}
    for step in transformers_steps(trial, None, (1, 2), 4):
        if step.blank.check in names:
            for result in step.run():
                if result.verdict != "LOSSLESS" or result.check not in found:
                    found[result.check] = result
    return found


def test_assisted_generation_is_lossless():
    report = audited(subjects.assisted, "two-ids", lookahead=[1, 2])
    assert report.verdict == "LOSSLESS"
    assert {r.check for r in report.results} == {"next-token", "run", "second-request"}
    assert {r.lookahead for r in report.results} == {1, 2}
    for result in report.results:
        assert result.kind == KIND
        assert result.total_variation.float < 1e-6
        assert 0.9e-5 < result.tolerance < 1.1e-5  # float32 in generate()
        assert result.error_mass == 0


def test_what_requests_ask_for_is_passed_on():
    names = ("temperature", "top-k", "top-p", "min-p", "greedy", "near-greedy", "dtype")
    found = checks(subjects.assisted, *names, "processor", "mask", "combined")
    verdicts = {name: result.verdict for name, result in found.items()}
    assert verdicts.pop("temperature") == "NOT_APPLICABLE"  # on the pair over two vocabularies
    assert set(verdicts.values()) == {"LOSSLESS"}
    assert len(verdicts) == 9


def test_a_temperature_that_is_dropped():
    found = checks(subjects.temperature_dropped, "temperature", "min-p")
    assert found["min-p"].verdict == "LOSSLESS"
    lossy = audit_temperature(subjects.temperature_dropped)
    assert lossy.verdict == "LOSSY"
    assert lossy.total_variation.float > 0.1


def audit_temperature(f: Any) -> Any:
    """The check of temperatures over one vocabulary."""
    trial = Trial(subject_from(f, KIND))
    steps = transformers_steps(trial, None, (1, 2), 4)
    step = next(
        s for s in steps if (s.blank.check, s.blank.pair) == ("temperature", "even-drafter")
    )
    (result,) = step.run()
    return result


def test_a_loop_by_hand_is_held_to_the_tolerance_of_float64():
    report = audited(subjects.own_loop, "two-ids", "contexts")
    assert report.verdict == "LOSSLESS"
    assert all(result.tolerance == 5e-10 for result in report.results)
    assert all(result.total_variation.float < 1e-14 for result in report.results)


def test_a_rejected_token_that_stays_in_the_cache():
    report = audited(subjects.keeps_a_rejected_token, "two-ids", lookahead=1)
    (run,) = [r for r in report.results if r.check == "run"]
    assert run.verdict == "LOSSY"
    assert "state-not-rolled-back" in run.fault_candidates
    assert run.total_variation.float == pytest.approx(1 / 72)
    (first,) = [r for r in report.results if r.check == "next-token"]
    assert first.verdict == "LOSSLESS"  # only a second round can show it


def test_a_counterexample_is_made_small():
    report = audited(subjects.keeps_a_rejected_token, "two-ids", shrink=True)
    (small,) = [r for r in report.results if r.pair == "smallest"]
    assert small.verdict == "LOSSY"
    assert small.witness.vocabulary == 2
    assert "locally minimal" in small.reason


def test_prompt_lookup_is_lossless_and_needs_no_assistant():
    report = audited(subjects.prompt_lookup, "two-ids", "base")
    assert report.verdict == "LOSSLESS"
    edges = edges_of(subjects.prompt_lookup, "nan-drafter", "nan-target")
    assert edges == {"nan-drafter": "LOSSLESS", "nan-target": "LOSSLESS"}


def edges_of(f: Any, *names: str) -> dict[str, str]:
    trial = Trial(subject_from(f, KIND))
    steps = transformers_steps(trial, None, (1, 2), 4)
    found = [s.run()[0] for s in steps if s.is_edge and s.blank.check in names]
    return {edge.check: edge.verdict for edge in found}


def test_edges_of_coins_and_of_nan():
    # `r <= p / q` of the library accepts an impossible draft where the coin is exactly 0.
    found = edges_of(subjects.assisted, "endpoint-one", "nan-target", "nan-drafter")
    assert set(found.values()) == {"LOSSLESS"}
    assert edges_of(subjects.likeliest, "nan-target") == {"nan-target": "LOSSY"}


def test_ends_of_sequence_inside_drafts_and_at_the_end_of_prompts():
    assert checks(subjects.assisted, "eos")["eos"].verdict == "LOSSLESS"
    pair = replace(named_pair("ends"), prompt=(0, 0))
    trial = Trial(subject_from(subjects.past_the_end, KIND))
    (found,) = run_results(trial, [Case(pair, 1, "eos", "run", Settings(eos=2))], 2)
    assert found.verdict == "LOSSY"
    assert found.total_variation.float == pytest.approx(1 / 4)  # whenever the first id is the end


def test_two_tokenizers():
    report = audited(subjects.two_tokenizers, "two-ids", "crossing-merges", horizon=2)
    by_pair = {(r.pair, r.check): r for r in report.results}
    run = by_pair["crossing-merges", "run"]
    # The library draws drafts by the order in which a tokenizer lists its vocabulary.
    assert run.verdict == "LOSSY"
    assert run.fault_candidates[:2] == ("vocabulary-map", "proposal-law")
    assert by_pair["two-ids", "run"].verdict == "NOT_APPLICABLE"
    assert "refuses pairs over one vocabulary" in by_pair["two-ids", "run"].reason


def test_two_tokenizers_that_list_by_id_are_lossless(monkeypatch: pytest.MonkeyPatch):
    from draftproof.toymodels.huggingface import toys

    by_id = toys.toy_tokenizer
    monkeypatch.setattr(toys, "toy_tokenizer", lambda tokens, listing=(): by_id(tokens))
    report = audited(subjects.two_tokenizers, "crossing-merges", "end-in-drafter-only", horizon=2)
    assert report.verdict == "LOSSLESS"


def test_pairs_over_two_vocabularies_are_for_code_that_uses_tokenizers():
    report = audited(subjects.own_loop, "two-ids", "crossing-merges", "many-to-one", horizon=2)
    reasons = {r.pair: r.reason for r in report.results if r.verdict == "NOT_APPLICABLE"}
    assert report.verdict == "LOSSLESS"
    assert "does not use the tokenizers" in reasons["crossing-merges"]
    assert "no fast tokenizer" in reasons["many-to-one"]


def test_what_a_call_writes_into_a_configuration_does_not_reach_the_next_path():
    report = audited(subjects.heuristic, "two-ids")
    assert report.verdict == "LOSSLESS"


def test_a_model_that_remembers_the_request_before():
    report = audited(subjects.remembers, "two-ids", horizon=2)
    assert {r.check for r in report.results if r.verdict == "LOSSY"} == {"second-request"}


@pytest.mark.parametrize(
    ("subject", "says"),
    [
        (subjects.raises, "raises on every path of every check: RuntimeError: no such backend"),
        (subjects.floats, "among the ids, a float"),
        (subjects.with_prompt, "it returned the prompt too; new ids only are due"),
        (subjects.as_generate, "it returned an array of 2 dimensions"),
        (subjects.without_length, "takes no max_new_tokens, by name or by **kwargs"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_cannot_be_audited_is_one_line(subject: Any, says: str):
    with pytest.raises(SubjectError) as problem:
        audit_callable(subject, KIND, lookahead=1, budget=900.0)
    assert says in str(problem.value)
    assert "\n" not in str(problem.value)


def test_arrays_are_tensors():
    def numpy(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
        return [0]

    numpy.array = "numpy"
    with pytest.raises(SubjectError, match="has tensors only"):
        subject_from(numpy, KIND)


def test_keywords_are_those_of_generate():
    def named(m, a, t, u, input_ids, max_new_tokens, temperature=0.7, num_assistant_tokens=5):
        return [0]

    by_name, by_all = subject_from(named, KIND), subject_from(subjects.assisted, KIND)
    plain = generate_keywords(by_all, Settings(), 2, 3, 4)
    assert plain == {
        "max_new_tokens": 3,
        "do_sample": True,
        "top_k": 0,
        "eos_token_id": 4,
        "pad_token_id": 4,
    }
    assert generate_keywords(by_name, Settings(), 2, 3, 4) == {
        "max_new_tokens": 3,
        "temperature": 1.0,
        "num_assistant_tokens": 2,
    }
    asked = Settings(temperature=0.5, top_k=2, top_p=0.9, min_p=0.1, processor=Grammar())
    passed = generate_keywords(by_all, asked, 2, 3, 4)
    assert len(passed.pop("logits_processor")) == 1
    assert passed == plain | {"temperature": 0.5, "top_k": 2, "top_p": 0.9, "min_p": 0.1}
    greedy = replace(Settings(), temperature=0.0)
    assert generate_keywords(by_all, greedy, 2, 3, 4) == plain | {"do_sample": False}
    assert generate_keywords(by_name, greedy, 2, 3, 4)["temperature"] == 0.0


def test_nothing_of_the_library_reaches_the_terminal(capfd: pytest.CaptureFixture[str]):
    audited(subjects.warns, "two-ids", horizon=1)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == ""


def test_the_loop_on_the_page_is_lossless_once_its_cache_is_cropped(tmp_path: Path):
    text = PAGE.read_text(encoding="utf-8")
    start = text.index("# my_loop.py\n")
    code = text[start : text.index("```", start)]
    line = next(line for line in code.splitlines() if "no cache.crop(-1)" in line)
    mended = code.replace(line, line.split("  #")[0] + "\n            cache.crop(-1)")
    path = tmp_path / "mended_loop.py"
    path.write_text(mended, encoding="utf-8")
    from draftproof.audit import run

    assert run(f"{path}:decode", kind=KIND, pairs=["two-ids"], **QUICK).verdict == "LOSSLESS"

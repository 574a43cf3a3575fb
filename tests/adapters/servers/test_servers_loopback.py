"""The client and our server, on this machine's loopback: nothing is lost, and faults are seen."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from draftproof import black_box_command
from draftproof.adapters.servers import client as client_module
from draftproof.adapters.servers.client import Client, ServerError
from draftproof.adapters.servers.drawing import Mode, Request, drawn, stated_law
from draftproof.adapters.servers.engines import ToyEngine
from draftproof.adapters.servers.serving import Troubles, completion, serving
from draftproof.audit.kinds.pair_building import shared
from draftproof.audit.samples.auditing import Settings, Watch, audit_samples
from draftproof.audit.samples.laws import StatedLaws, ToyLaws
from draftproof.audit.samples.lines import PLAIN, SPECULATIVE
from draftproof.audit.samples.partitions import FIRST_TWO
from draftproof.cli import main
from draftproof.toymodels.gallery import gallery_pair
from draftproof.toymodels.pairs import context_free

CONTEXTS = gallery_pair("contexts").pair
#: Ratios of 0.9 for half of the drafts: the lenient verifier accepts them all.
NINE_TENTHS = shared(context_free("9/20 11/20"), context_free("1/2 1/2"))
#: Ratios of 0.99: acceptance times 1.01 rejects one in ten thousand, and not one in a hundred.
NEAR_ONE = shared(context_free("99/100 1/100"), context_free("1 0"))


def engine(mode="speculative", pair=CONTEXTS):
    return ToyEngine("toy", pair, mode)


def client(url, **options):
    return Client(url, first_wait=0.001, seconds=10.0, **options)


def test_models_and_completions():
    with serving(engine()) as url:
        asked = client(url)
        assert asked.models() == ["plain", "speculative"]
        choice = asked.complete(
            model="plain", prompt=[0], max_tokens=4, seed=1, return_token_ids=True, logprobs=2
        )
        again = client(url + "/v1/").complete(
            model="plain", prompt="a", max_tokens=4, seed=1, return_token_ids=True
        )
        asked.close()
    ids = tuple(choice["token_ids"])
    assert ids == engine().reply("plain", (0,), 4, 1)
    assert again["token_ids"] == choice["token_ids"]
    assert choice["text"] == CONTEXTS.target_tokenizer.decode(ids)
    assert choice["finish_reason"] == ("stop" if ids[-1] == 2 else "length")
    assert len(choice["logprobs"]["top_logprobs"]) == len(ids)
    assert all(len(top) <= 2 for top in choice["logprobs"]["top_logprobs"])


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("{", "no JSON"),
        ("[]", "no JSON object"),
        ({"prompt": [0], "model": "fast"}, "no model 'fast'"),
        ({"prompt": [9]}, "prompt id 9"),
        ({"prompt": []}, "gives no ids"),
        ({"prompt": 4}, "a text or a list of ids"),
        ({"prompt": [0], "max_tokens": 0}, "max_tokens is 0"),
        ({"prompt": [0], "max_tokens": 5000}, "4096 is the most"),
        ({"prompt": [0], "temperature": 0}, "the temperature is 1 here"),
        ({"prompt": [0], "logprobs": -1}, "logprobs is -1"),
        ({"prompt": "xyz"}, "x"),
    ],
)
def test_bad_requests_are_refused_in_one_line(request_, said):
    body = request_ if isinstance(request_, str) else json.dumps(request_)
    with pytest.raises(ValueError, match=said.replace("(", r"\(")) as raised:
        completion(engine(), body.encode())
    assert "\n" not in str(raised.value)


def test_refusals_are_not_asked_again():
    with serving(engine()) as url:
        asked = client(url)
        with pytest.raises(ServerError, match=r"refuses with status 400: prompt id 7"):
            asked.complete(model="plain", prompt=[7])
        asked.close()
        assert not asked.failures


def test_disconnections_and_rate_limits_lose_no_sample():
    """Every seventh request is dropped and every fifth refused; every sample comes, in order."""
    troubles = Troubles(drop=7, limit=5)
    with serving(engine(), troubles) as url:
        asked = client(url)
        modes = {PLAIN: Mode(asked, "plain"), SPECULATIVE: Mode(asked, "speculative")}
        found = list(drawn(modes, [(0,), (1,)], 60, Request(3), at_once=4))
    assert [sample.seed for sample in found] == list(range(240))
    assert Counter((s.prompt, s.mode) for s in found) == Counter(
        {(prompt, mode): 60 for prompt in ((0,), (1,)) for mode in modes}
    )
    for sample in found:
        assert sample.tokens == engine().reply(sample.mode, sample.prompt, 3, sample.seed)
    assert troubles.counts["dropped"] > 30
    assert troubles.counts["refused"] > 40
    assert asked.failures["disconnected"] == troubles.counts["dropped"]
    assert asked.failures["rate limit"] == troubles.counts["refused"]


def test_a_server_that_always_fails_is_given_up():
    with serving(engine(), Troubles(limit=1)) as url:
        asked = client(url, attempts=3)
        with pytest.raises(ServerError, match=r"failed 3 times in a row, the last: status 429"):
            asked.complete(prompt=[0])
        asked.close()
    with pytest.raises(ServerError, match=r"ConnectionRefusedError|disconnected|timed"):
        client(url, attempts=2).complete(prompt=[0])


@contextmanager
def answering(*replies):
    """A server that gives these bytes, one connection each, and closes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        for reply in replies:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(reply)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()
        thread.join(timeout=5)


def reply(status, body, *headers):
    head = [f"HTTP/1.1 {status} x", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return ("\r\n".join(head) + "\r\n\r\n" + body).encode()


def test_a_refusal_that_names_a_time_is_waited_for(monkeypatch):
    waited = []
    monkeypatch.setattr(client_module.time, "sleep", waited.append)
    monkeypatch.setattr(client_module.random, "uniform", lambda low, high: high)
    good = reply(200, '{"choices": [{"text": "a"}]}')
    limited = reply(429, "{}", "Retry-After: 3")
    dated = reply(503, "{}", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT")
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nabc"
    with answering(limited, dated, b"", cut, good) as url:
        asked = client(url)
        assert asked.complete(prompt="x") == {"text": "a"}
    assert waited == [3.0, 6.0, 12.0, 20.0]
    assert asked.failures == {"rate limit": 1, "status 503": 1, "disconnected": 2}


def test_a_time_that_is_named_is_waited_for_in_full(monkeypatch):
    """Chance shortens the client's own pauses, and no other."""
    waited = []
    monkeypatch.setattr(client_module.time, "sleep", waited.append)
    monkeypatch.setattr(client_module.random, "uniform", lambda low, high: low)
    limited = reply(429, "{}", "Retry-After: 3")
    with answering(limited, limited, reply(200, '{"choices": [{"text": "a"}]}')) as url:
        assert client(url).complete(prompt="x") == {"text": "a"}
    assert waited == [3.0, 3.0]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (reply(200, "[" * 100_000), "no JSON object"),
        (reply(200, "[]"), "no JSON object"),
        (reply(200, "<html>"), "no JSON object"),
        (reply(200, "{}"), "without choices"),
        (reply(401, '{"error": {"message": "no\\nkey"}}'), "status 401: no key"),
        (reply(404, '{"error": "gone"}'), "status 404: gone"),
        (reply(418, "short and stout"), "status 418: short and stout"),
    ],
)
def test_answers_that_are_none(body, said):
    with answering(body) as url, pytest.raises(ServerError, match=said):
        client(url).complete(prompt="x")


@pytest.mark.parametrize("url", ["x", "ftp://a", "http://", "http://a:b"])
def test_addresses_that_are_none(url):
    with pytest.raises(ServerError, match="no address of a server"):
        Client(url)


def test_replies_without_ids_are_texts_and_laws_need_ids():
    text = reply(200, '{"choices": [{"text": "ab", "logprobs": {"top_logprobs": [{"a": -1}]}}]}')
    with answering(text, text) as url:
        where = Mode(client(url), "m")
        (sample,) = drawn({SPECULATIVE: where}, ["p"], 1, Request(3), at_once=1)
        assert (sample.tokens, sample.by_ids) == (("a", "b"), False)
        with pytest.raises(ServerError, match="states no log-probabilities by id"):
            stated_law(where, "p", Request(3))


def test_what_the_server_states_is_the_targets_law():
    with serving(engine()) as url:
        asked = client(url)
        mode = Mode(asked, "plain")
        law = stated_law(mode, (0,), Request(3))
        assert law == pytest.approx({(0,): 1 / 2, (1,): 1 / 3, (2,): 1 / 6})
        samples = list(drawn({SPECULATIVE: mode}, [(0,)], 100, Request(1), at_once=2))
        asked.close()
    assert audit_samples(samples, StatedLaws({(0,): law})).verdict == "UNDECIDED"


def foretold(pair, law_of_two, most=2):
    """The replies in which the fault's own distance on two tokens is seen with probability 0.9."""
    laws = ToyLaws(pair, most)
    due = laws.after((0,)).strings
    distance = sum(max(0.0, float(due[ids]) - law_of_two.get(ids, 0.0)) for ids in due)
    watch = Watch([(0,)], laws, Settings(ahead=distance))
    return watch.foretold(FIRST_TWO, (0,))


def seen(mode, pair, draws):
    """The audit of our server in a mode by so many replies, against the law that is due."""
    with serving(engine(mode, pair)) as url:
        asked = client(url)
        watch = Watch([(0,)], ToyLaws(pair, 2))
        modes = {SPECULATIVE: Mode(asked, "speculative")}
        for sample in drawn(modes, [(0,)], draws, Request(2), at_once=2):
            watch.add(sample)
            if watch.is_lossy:
                break
        watch.look()
        return watch


def test_the_lenient_verifier_is_lossy_within_the_replies_that_were_foretold():
    """Every draft is accepted: two tokens of 1/2 each, where 9/20 and 11/20 are due."""
    draws = foretold(NINE_TENTHS, {(x, y): 1 / 4 for x in (0, 1) for y in (0, 1)})
    assert 1000 < draws < 8000
    watch = seen("lenient", NINE_TENTHS, draws)
    assert watch.is_lossy
    assert watch.reached <= draws


def test_inflated_acceptance_is_lossy_within_the_replies_that_were_foretold():
    """Of two drafts 9999/10000 each are accepted, the rest is the other token."""
    p = {0: 0.9999, 1: 0.0001}
    draws = foretold(NEAR_ONE, {(x, y): p[x] * p[y] for x in p for y in p})
    assert draws < 8000
    watch = seen("inflated", NEAR_ONE, draws)
    assert watch.is_lossy
    assert watch.reached <= draws


def test_the_correct_server_is_not():
    assert not seen("speculative", NINE_TENTHS, 600).is_lossy


def test_the_documented_command_from_start_to_report(tmp_path):
    """The server as a program with troubles, the audit as a command: exit code and report."""
    arguments = ["--mode", "lenient", "--pair", "near-ratios", "--drop", "9", "--limit", "11"]
    server = subprocess.Popen(
        [sys.executable, "-m", "draftproof.adapters.servers", *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        url = server.stdout.readline().split()[-1]
        saved, written = tmp_path / "samples.jsonl", tmp_path / "report.json"
        options = ["--prompt", "[0]", "--max-tokens", "2", "--draws", "60", "--seed", "5"]
        code = main(
            ["audit", "--server", url, *options, "--save", str(saved), "--json", str(written)]
        )
        assert code == 3
        report = json.loads(written.read_text(encoding="utf-8"))
        assert "no sample was lost" in report["subjects"][0]["reason"]
        assert len(saved.read_text(encoding="utf-8").splitlines()) == 120
        again = tmp_path / "again.json"
        assert main(["audit", "--samples", str(saved), "--json", str(again)]) == 3
        second = json.loads(again.read_text(encoding="utf-8"))
        assert [r["sampling"] for r in second["results"]] == [
            r["sampling"] for r in report["results"]
        ]
    finally:
        server.terminate()
        server.wait(timeout=10)
        server.stdout.close()


def test_what_a_server_refuses_from_the_start_is_bad_input(capsys):
    with serving(engine()) as url:
        options = ["--server", url, "--prompt", "[0]", "--draws", "100"]
        assert main(["audit", *options, "--model", "fast"]) == 2
        shown = capsys.readouterr()
        assert "refuses with status 400: there is no model 'fast'" in shown.err
        assert shown.out == ""
        assert main(["audit", *options, "--due", "logprobs", "--tolerance", "1e-6"]) == 3
        assert "the 3 likeliest" in capsys.readouterr().out


def test_what_comes_before_a_failure_counts():
    """The server refuses everything after a while: what it had answered is there, in order."""
    troubles = Troubles()
    with serving(engine(), troubles) as url:
        asked = client(url, attempts=2)
        modes = {PLAIN: Mode(asked, "plain"), SPECULATIVE: Mode(asked, "speculative")}
        found = []
        with pytest.raises(ServerError, match="failed 2 times in a row, the last: status 429"):
            for sample in drawn(modes, [(0,)], 10_000, Request(2), at_once=2):
                found.append(sample)
                if len(found) == 100:
                    troubles.limit = 1
        asked.close()
    assert 100 <= len(found) < 110
    assert [sample.seed for sample in found] == list(range(len(found)))
    assert audit_samples(found).verdict == "UNDECIDED"


def test_what_comes_before_an_interruption_counts_and_files_are_added_to(tmp_path, capsys):
    """Ctrl-C, at the 60th sample; then a run that gets no reply takes nothing from the file."""
    saved = tmp_path / "samples.jsonl"
    options = SimpleNamespace(
        server="",
        plain_server=None,
        model=None,
        plain_model=None,
        prompt=["[0]"],
        max_tokens=2,
        seed=0,
        due="contexts",
        draws=200,
        at_once=2,
        budget=None,
        save=str(saved),
        alpha=0.01,
        tolerance=None,
        power=0.9,
        foretell=0.05,
    )

    def interrupting(number, total, what):
        if number == 60:
            raise KeyboardInterrupt

    with serving(engine()) as url:
        options.server = url
        report = black_box_command.audited("server", options, interrupting)
    assert report.verdict == "UNDECIDED"
    assert "interrupted; this report is partial" in report.subjects[0].reason
    lines = saved.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 60
    lost = ["--server", url, "--prompt", "[0]", "--model", "none", "--save", str(saved)]
    with serving(engine()) as lost[1]:
        assert main(["audit", *lost]) == 2
    assert saved.read_text(encoding="utf-8").splitlines()[:60] == lines
    capsys.readouterr()


def test_a_server_that_cannot_start_says_so():
    done = subprocess.run(
        [sys.executable, "-m", "draftproof.adapters.servers", "--pair", "no-such-pair"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no-such-pair" in done.stderr


def test_real_models_behind_the_server():
    """A tiny random transformer, drafted for by itself, in both modes."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from draftproof.adapters.huggingface.loading import load
    from draftproof.adapters.huggingface.settings import Settings as ModelSettings
    from draftproof.adapters.servers.engines import RealEngine

    loaded = [load("tiny-random", ModelSettings()) for _ in range(2)]
    with serving(RealEngine(loaded, algorithm="standard", lookahead=2)) as url:
        asked = client(url)
        modes = {PLAIN: Mode(asked, "plain"), SPECULATIVE: Mode(asked, "speculative")}
        law = stated_law(modes[PLAIN], "ab", Request(3))
        assert len(law) == 5
        samples = list(drawn(modes, ["ab"], 60, Request(3), at_once=2))
        asked.close()
    assert all(len(s.tokens) <= 3 and s.by_ids for s in samples)
    assert audit_samples(samples).verdict == "UNDECIDED"
    assert audit_samples(samples, StatedLaws({"ab": law})).verdict == "UNDECIDED"


def test_a_server_that_never_answers_is_left_when_the_budget_is_spent():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        started = time.monotonic()
        asked = Client(f"http://127.0.0.1:{port}", deadline=started + 0.5)
        with pytest.raises(ServerError, match="when the budget was spent"):
            asked.complete(prompt="a")
        assert time.monotonic() - started < 5

"""``draftproof audit`` of black boxes: a file, a program or a server that gives samples."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from draftproof.audit.report import Report
    from draftproof.audit.running import Progress
    from draftproof.audit.samples.auditing import Laws, Settings, Watch
    from draftproof.audit.samples.lines import Prompt, Sample

#: Where a server's key is read from, so that no process list shows it.
KEY = "DRAFTPROOF_API_KEY"
#: Draws of each mode at each prompt, and requests at a time.
DRAWS, AT_ONCE = 1000, 4


def audited(engine: str, options: argparse.Namespace, progress: Progress | None) -> Report:
    """The report on the engine that ``options`` name: "samples", "command" or "server".

    Raises:
        ValueError, OSError: in one line.
    """
    if engine == "server":
        return _server(options, progress)
    if engine == "samples":
        return _lines(options, f"samples:{options.samples}", _of_file(options.samples))
    return _command(options)


def _settings(options: argparse.Namespace) -> Settings:
    from draftproof.audit.samples.auditing import Settings

    return Settings(options.alpha, options.tolerance or 0.0, options.power, options.foretell)


def _toy_laws(options: argparse.Namespace) -> Laws | None:
    """The laws of a toy pair, None where none is named."""
    if options.due is None:
        return None
    from draftproof.audit.kinds.pairs import named_pair
    from draftproof.audit.samples.laws import ToyLaws

    return ToyLaws(named_pair(options.due).pair, options.max_tokens)


def _of_file(name: str) -> list[str]:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise ValueError(f"{name} is not UTF-8: {problem.reason} at {problem.start}") from None
    return text.split("\n")  # a text may hold U+2028 and the like, which end no line


def _command(options: argparse.Namespace) -> Report:
    """The lines that a program prints; what came before a failure, or in time, counts."""
    arguments = shlex.split(options.command_line)
    if not arguments:
        raise ValueError("--command is empty")
    try:
        done = subprocess.run(
            arguments, stdout=subprocess.PIPE, timeout=options.budget, check=False
        )
    except OSError as problem:
        raise ValueError(f"{arguments[0]} cannot be started: {problem.strerror}") from None
    except subprocess.TimeoutExpired as late:
        whole, _, _ = (late.stdout or b"").rpartition(b"\n")
        return _lines(options, f"command:{arguments[0]}", _text(whole), ["ended at its budget"])
    subject = f"command:{arguments[0]}"
    if not done.returncode:
        return _lines(options, subject, _text(done.stdout))
    ended = f"ended with exit code {done.returncode}"
    whole, _, _ = done.stdout.rpartition(b"\n")
    if not whole.strip():
        raise ValueError(f"{arguments[0]} {ended}")
    return _lines(options, subject, _text(whole), [f"{ended}; what it had printed counts"])


def _text(data: bytes) -> list[str]:
    return data.decode(errors="replace").split("\n")


def _lines(
    options: argparse.Namespace, subject: str, lines: Iterable[str], notes: Iterable[str] = ()
) -> Report:
    from draftproof.audit.samples.auditing import audit_samples
    from draftproof.audit.samples.laws import StatedLaws
    from draftproof.audit.samples.lines import read

    found = read(lines, subject.partition(":")[2])
    laws = _toy_laws(options) or (StatedLaws(found.laws) if found.laws else None)
    said = [*notes, *([f"{found.repeated:,} repeated lines left out"] if found.repeated else [])]
    return audit_samples(
        found.samples, laws, subject=subject, settings=_settings(options), notes=said
    )


def _server(options: argparse.Namespace, progress: Progress | None) -> Report:
    from draftproof.adapters.servers.client import Client, ServerError
    from draftproof.adapters.servers.drawing import Mode, Request, drawn, modes_of, stated_law
    from draftproof.audit.samples.auditing import Watch
    from draftproof.audit.samples.laws import StatedLaws
    from draftproof.audit.samples.reporting import report

    client = Client(options.server, os.environ.get(KEY))
    other = client if options.plain_server is None else Client(options.plain_server, client.key)
    if options.budget is not None:
        client.deadline = other.deadline = time.monotonic() + options.budget
    speculative = Mode(client, options.model or "speculative")
    plain = Mode(other, options.plain_model or "plain")
    prompts = list(dict.fromkeys(map(_prompt, options.prompt)))
    request = Request(options.max_tokens or 16, first_seed=options.seed)
    if options.due == "logprobs":
        laws: Laws | None = StatedLaws({p: stated_law(plain, p, request) for p in prompts})
    else:
        options.max_tokens = request.most
        laws = _toy_laws(options)
    watch = Watch(prompts, laws, _settings(options))
    _foretell(watch, prompts)
    modes = modes_of(plain if laws is None else None, speculative)
    draws = options.draws or DRAWS
    samples = drawn(modes, prompts, draws, request, options.at_once or AT_ONCE)
    notes: list[str] = []
    try:
        total = draws * len(prompts) * len(modes)
        for sample in _saved(_within(samples, options.budget), options.save, progress, total):
            watch.add(sample)
            if watch.is_lossy:
                break
    except ServerError as problem:
        if not watch.has_bet:
            raise
        notes.append(f"stopped early: {problem}")
    except KeyboardInterrupt:
        if not watch.has_bet:
            raise
        notes.append("interrupted; this report is partial")
    finally:
        samples.close()  # pyright: ignore[reportAttributeAccessIssue]
    failures = client.failures if other is client else client.failures + other.failures
    if failures:
        listed = ", ".join(f"{count:,} x {what}" for what, count in sorted(failures.items()))
        lost = "" if notes else "; no sample was lost"
        notes.append(f"asked again after {listed}{lost}")
    return report(watch, f"server:{options.server}", notes)


def _foretell(watch: Watch, prompts: list[Prompt]) -> None:
    """Say before drawing how many draws show the distance asked about, where that is known."""
    for statistic in watch.statistics:
        draws = [watch.foretold(statistic, prompt) for prompt in prompts]
        known = [n for n in draws if n is not None]
        if known:
            print(
                f"draftproof: in {statistic.name} a total variation of {watch.settings.ahead:g} is "
                f"seen within {max(known):,} replies with probability {watch.settings.power:g}",
                file=sys.stderr,
            )


def _within(samples: Iterator[Sample], budget: float | None) -> Iterator[Sample]:
    until = None if budget is None else time.monotonic() + budget
    return itertools.takewhile(lambda _: until is None or time.monotonic() < until, samples)


def _saved(
    samples: Iterator[Sample], path: str | None, progress: Progress | None, total: int
) -> Iterator[Sample]:
    """``samples``, each added to ``path`` as it comes; what the file holds already stays."""
    from draftproof.audit.samples.lines import written

    with open(path or os.devnull, "a", 1, "utf-8") as file:  # noqa: PTH123 - may be no file
        for number, sample in enumerate(samples, 1):
            if path is not None:
                print(written(sample), file=file)
            if progress is not None:
                progress(number, total, "samples")
            yield sample


def _prompt(text: str) -> Prompt:
    """A text, or the ids that it lists."""
    if text.startswith("["):
        try:
            ids = json.loads(text)
        except ValueError:
            return text
        if isinstance(ids, list) and all(type(token) is int for token in ids):
            return tuple(ids)
    return text

"""What ``draftproof vectors`` prints: lists, single vectors, the kill table, and trials."""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import console_for, write_json

if TYPE_CHECKING:
    from draftproof.audit.vectors.trying import Tried

#: Failed vectors that are shown.
SHOWN = 12


def print_list(options: argparse.Namespace) -> int:
    """The kinds, or every vector of the kinds asked for."""
    from draftproof.audit.vectors.files import KINDS, vectors
    from draftproof.audit.vectors.writing import SCHEMA
    from rich.table import Table

    shown = console_for(options.json)
    if options.kind:
        table = Table("vector", "result", "flags", "shows", box=None)
        chosen = [vector for kind in dict.fromkeys(options.kind) for vector in vectors(kind)]
        for vector in chosen:
            table.add_row(vector.id, vector.result, ", ".join(sorted(vector.flags)), vector.shows)
        value = [vector.to_json() for vector in chosen]
        listed = {"schema": SCHEMA, "vectors": value}
    else:
        table = Table("kind", "vectors", "shows", box=None)
        for kind in KINDS.values():
            table.add_row(kind.name, str(len(vectors(kind.name))), kind.shows)
        listed = {"schema": SCHEMA, "kinds": {name: len(vectors(name)) for name in KINDS}}
    shown.print(table)
    write_json(listed, options.json)
    return 0


def print_vectors(names: Sequence[str]) -> int:
    """Vectors by their ids, as the files have them, one member a line.

    Raises:
        ValueError: for an id that no vector has.
    """
    from draftproof.audit.vectors.files import KINDS, vectors

    known = {vector.id: vector for kind in KINDS for vector in vectors(kind)}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ValueError(f"no vector is called {name!r}{hint}")
    for name in names:
        print(_two_levels(known[name].to_json()))
    return 0


def _two_levels(value: dict[str, Any]) -> str:
    """JSON whose members, and theirs, have a line each."""
    members: list[str] = []
    for key, inner in value.items():
        text = json.dumps(inner)
        if isinstance(inner, dict):
            each = [f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in inner.items()]
            text = "{\n" + ",\n".join(each) + "\n  }"
        members.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(members) + "\n}"


def print_faults(options: argparse.Namespace, kills: Path) -> int:
    """The kill table: how many vectors of each column see each fault of the bank."""
    from rich.table import Table

    value = json.loads(kills.read_text(encoding="utf-8"))
    shown = console_for(options.json)
    table = Table("fault", "class", *value["columns"], "first of the killing set", box=None)
    for each in value["entries"]:
        if each["class"] is None:
            continue
        counts = [str(n or "-") for n in each["killed_by"].values()]
        first = each["in_set"][0] if each["in_set"] else each["unreached"]
        table.add_row(each["id"], each["class"], *counts, first)
    shown.print(table)
    exact = [each for each in value["entries"] if each["class"] is None]
    killed = sum(bool(sum(each["killed_by"].values())) for each in exact)
    chosen = value["killing_set"]
    for line in (
        f"\n{len(chosen)} vectors see every fault that any sees ({value['chosen_by']}):",
        *(f"  {name}" for name in chosen),
        f"seen by coins and by no law: {', '.join(value['seen_by_coins_only'])}",
        f"{len(exact)} entries are exact: {killed} of them fail a vector",
    ):
        shown.print(line, highlight=False, markup=False, soft_wrap=True)
    write_json(value, options.json)
    return 0


def try_subject(options: argparse.Namespace) -> int:
    """Run a Python callable on vectors; 1 when it fails any and does not say why."""
    from draftproof.audit.kinds.loading import load
    from draftproof.audit.vectors.files import vectors
    from draftproof.audit.vectors.trying import TRIED, try_vectors
    from draftproof.audit.vectors.writing import SCHEMA

    kinds: Sequence[str] = list(dict.fromkeys(options.kind)) or ["law"]
    for kind in kinds:
        if kind not in TRIED:
            raise ValueError(f"a callable is tried on kinds {' and '.join(TRIED)}, not {kind!r}")
    subject = load(options.subject, options.subject_kind)
    chosen = [v for kind in kinds for v in vectors(kind) if kind == "coin" or "drawn" in v.flags]
    tried = try_vectors(subject.call, subject.kind, chosen)
    shown = console_for(options.json)
    count = len(tried.passed) + len(tried.failed)
    if not count and not tried.undecided:
        raise ValueError(f"no vector of these kinds can be given to {options.subject}")
    complaints = tried.failed or tried.undecided
    for name, complaint in list(complaints.items())[:SHOWN]:
        shown.print(f"{name}: {complaint}", highlight=False, markup=False, soft_wrap=True)
    if len(complaints) > SHOWN:
        shown.print(f"and {len(complaints) - SHOWN} more", highlight=False)
    verdict, said = _verdict(tried, subject.relaxed)
    shown.print(
        f"{options.subject}: {said}, {len(tried.failed)} of {count} vectors failed"
        + (f", {len(tried.undecided)} undecided" if tried.undecided else ""),
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    write_json(
        {
            "schema": SCHEMA,
            "subject": options.subject,
            "kind": subject.kind,
            "verdict": verdict,
            "passed": tried.passed,
            "failed": tried.failed,
            "undecided": tried.undecided,
        },
        options.json,
    )
    if verdict == "RELAXED":
        return 0
    return 1 if tried.failed else 3 if verdict else 0


def _verdict(tried: Tried, relaxed: str | None) -> tuple[str | None, str]:
    """The contract's word, None where vectors give none, and what is printed."""
    if any(name.startswith("law") for name in tried.failed):
        return ("RELAXED", f"RELAXED ({relaxed})") if relaxed else ("LOSSY", "LOSSY")
    if tried.failed:
        return None, "differs from the standard rule at given coins"
    if not tried.passed:
        return "UNDECIDED", "UNDECIDED"
    return None, "no difference"

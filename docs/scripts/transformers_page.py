"""Confirm the scripts, and write docs/transformers.md from what was found.

    python docs/scripts/transformers_page.py confirm [--draws N] SCRIPT ...
    python docs/scripts/transformers_page.py page MATRIX.json

`confirm` enumerates what each script of docs/scripts/transformers does on the installed release,
draws from it, writes the exact rates into the script and the numbers into confirmations.json. Run
it with the interpreter of each release that a script names. `page` needs no torch.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
SCRIPTS = HERE / "transformers"
CONFIRMED = SCRIPTS / "confirmations.json"
PAGE = HERE.parent / "transformers.md"
GENERATED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- generated end -->)", re.DOTALL)


def load(name: str) -> ModuleType:
    """A script as a module."""
    specification = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


def confirm(names: Iterable[str], draws: int) -> None:
    """Confirm scripts on the installed release."""
    import transformers
    from draftproof.adapters.confirmations import confirm as confirmed

    for name in names:
        script = load(name)
        found = confirmed(script.plain, script.assisted, draws=draws)
        known = json.loads(CONFIRMED.read_text()) if CONFIRMED.exists() else {}
        known[name] = {"release": transformers.__version__, **found.to_json()}
        CONFIRMED.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
        print(name, known[name])


def page(matrix: dict[str, Any]) -> str:
    """The page with its generated parts renewed."""
    from draftproof.adapters.matrix import markdown_of

    parts = {"matrix": markdown_of(matrix), "mechanisms": mechanisms(matrix)}
    text = PAGE.read_text(encoding="utf-8")
    return GENERATED.sub(lambda m: f"{m[1]}\n{parts[m[2]]}\n\n{m[3]}", text)


def mechanisms(matrix: dict[str, Any]) -> str:
    """A section for each mechanism that a cell of the matrix shows."""
    from draftproof.adapters.known import MECHANISMS

    confirmed = json.loads(CONFIRMED.read_text()) if CONFIRMED.exists() else {}
    sections: list[str] = []
    for mechanism in MECHANISMS.values():
        cells = [
            (release, result)
            for release, held in matrix["releases"].items()
            for result in held["results"]
            if mechanism.short in (result["reason"] or "")
        ]
        if not cells:
            continue
        releases = list(dict.fromkeys(release for release, _ in cells))
        routes = list(dict.fromkeys(r["subject"].partition(":")[2] for _, r in cells))
        kind = "crash" if mechanism.crash else ", ".join(mechanism.classes)
        lines = [
            f"### {mechanism.slug}",
            "",
            f"Class: {kind}. Routes: {', '.join(routes)}. Releases: {', '.join(releases)}.",
            "",
            mechanism.paragraph,
        ]
        if mechanism.script is not None:
            lines += ["", *_shown(mechanism.script, confirmed.get(mechanism.script))]
        sections.append("\n".join(lines))
    return "\n\n".join(sections)


def _shown(script: str, found: dict[str, Any] | None) -> list[str]:
    text = (SCRIPTS / f"{script}.py").read_text(encoding="utf-8")
    due, given = re.search(r"^DUE, GIVEN = (\S+), (\S+)$", text, re.MULTILINE).groups()
    event = re.search(r'^EVENT = "(.+)"$', text, re.MULTILINE)[1]
    lines = [
        f"Script, without this project: `docs/scripts/transformers/{script}.py` (20,000 draws). "
        f"Its event, *{event}*: due {float(due):.4f}, given {float(given):.4f}, both exact."
    ]
    if found is not None:
        lines += [
            "",
            f"Confirmed on {found['release']} by {found['draws']:,} real draws, seed "
            f"{found['seed']}: total variation of the enumerated laws "
            f"{found['total_variation']:.4f}; chi-square against the law given "
            f"{_fit(found['given'])}; against the law due {_fit(found['due'])}.",
        ]
    return lines


def _fit(found: dict[str, Any]) -> str:
    if found["impossible"]:
        return f"needless, since {found['impossible']:,} draws are impossible under it"
    if found["freedom"] == 0:
        return "exact, since it has one outcome"
    spread = 2.0 / (9.0 * found["freedom"])
    root = (found["statistic"] / found["freedom"]) ** (1 / 3)
    deviation = (root - 1.0 + spread) / math.sqrt(spread)
    return (
        f"{found['statistic']:.1f} on {found['freedom']} degrees of freedom ({deviation:+.1f} "
        "standard deviations)"
    )


def main() -> int:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("confirm")
    first.add_argument("--draws", type=int, default=20_000)
    first.add_argument("scripts", nargs="+")
    second = commands.add_parser("page")
    second.add_argument("matrix", type=Path)
    options = parser.parse_args()
    if options.command == "confirm":
        confirm(options.scripts, options.draws)
    else:
        PAGE.write_text(page(json.loads(options.matrix.read_text())), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

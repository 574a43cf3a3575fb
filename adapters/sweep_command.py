"""``python -m draftproof.adapters.sweep_command``: a sweep in a release's own environment.

[--quick] [--budget SECONDS] [--processes N] --json FILE [ROUTE ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from .sweep import sweep


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the report; returns 0, whatever the verdicts are."""
    parser = argparse.ArgumentParser(description="Sweep the installed transformers.")
    parser.add_argument("routes", nargs="*", metavar="ROUTE", help="default: all of them")
    parser.add_argument("--quick", action="store_true", help="only the cases that tell most")
    parser.add_argument("--budget", type=float, metavar="SECONDS")
    parser.add_argument("--processes", type=int, default=1, metavar="N")
    parser.add_argument("--json", type=Path, required=True, metavar="FILE")
    options = parser.parse_args(arguments)
    report = sweep(
        options.routes or None,
        quick=options.quick,
        budget=options.budget,
        processes=options.processes,
    )
    options.json.write_text(report.to_json_text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

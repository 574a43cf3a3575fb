"""``python -m draftproof.adapters.servers``: a small server of completions, toy or real."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ...audit.kinds.pairs import named_pair
from .engines import MODES, SPECULATIVE, Engine, RealEngine, ToyEngine
from .serving import Troubles, bound

DESCRIPTION = """\
Serve completions in the OpenAI protocol on this machine, for trying audits of servers out. The
model "plain" decodes plainly; the model "speculative" does what --mode says. Says where it listens
on standard output, in one line, and serves until it is ended.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve; 2 for what cannot be served."""
    options = _parser().parse_args(arguments)
    try:
        engine = _engine(options)
        troubles = Troubles(options.drop, options.limit)
        server = bound(engine, options.host, options.port, troubles)
    except (ValueError, OSError, ImportError) as problem:
        print(f"draftproof: {' '.join(str(problem).split())}", file=sys.stderr)
        return 2
    with server:
        print(
            f"serving {engine.name} at http://{options.host}:{server.server_address[1]}", flush=True
        )
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m draftproof.adapters.servers",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--mode", choices=MODES, default=SPECULATIVE, help="default: speculative")
    parser.add_argument("--pair", default="contexts", metavar="NAME", help="default: contexts")
    parser.add_argument("--target", metavar="MODEL", help="a real model instead (see generate)")
    parser.add_argument("--drafter", metavar="MODEL", help="default: the target")
    parser.add_argument("--algorithm", default="standard", help="default: standard")
    parser.add_argument("--lookahead", type=int, default=2, metavar="K", help="default: 2")
    parser.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="default: any that is free")
    parser.add_argument("--drop", type=int, default=0, metavar="N", help="drop every Nth request")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="429 for every Nth")
    return parser


def _engine(options: argparse.Namespace) -> Engine:
    if options.target is None:
        pair = named_pair(options.pair).pair
        return ToyEngine(options.pair, pair, options.mode, options.algorithm, options.lookahead)
    from ..huggingface.loading import load
    from ..huggingface.settings import Settings

    names = [options.target, options.drafter or options.target]
    loaded = [load(name, Settings()) for name in names]
    return RealEngine(loaded, options.mode, options.algorithm, options.lookahead)


if __name__ == "__main__":
    sys.exit(main())

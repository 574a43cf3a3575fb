"""The routes of `generate()` that toy models can reach, and what is tried on each.

One module a route: its cases (`case.Case`, plain data) and how its toys are built. Importing this
package, or any of its modules but `toys`, `processors` and `calls`, imports neither torch nor
transformers; the builders do when they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from .case import Case

if TYPE_CHECKING:
    from .toys import Toys

__all__ = ["ROUTES", "Case", "builder_of", "cases_of", "named_routes"]

#: The routes, in the order of reports, and the module of each.
ROUTES = {
    "assisted": "assisted",
    "two-tokenizers": "two_tokenizers",
    "two-tokenizers-text": "two_tokenizers_text",
    "prompt-lookup": "prompt_lookup",
    "early-exit": "early_exit",
    "encoder-decoder": "encoder_decoder",
    "single-position": "single_position",
    "mtp": "mtp",
    "dflash": "dflash",
}


def named_routes(wanted: Iterable[str] | None) -> tuple[str, ...]:
    """The routes that ``wanted`` names, in the order of reports; all of them for None.

    Raises:
        ValueError: for a route that there is not.
    """
    names = list(ROUTES if wanted is None else wanted)
    for name in names:
        if name not in ROUTES:
            raise ValueError(f"no route is called {name!r}; there are {', '.join(ROUTES)}")
    return tuple(name for name in ROUTES if name in names)


def cases_of(route: str) -> tuple[Case, ...]:
    """The cases of a route, cheap ones first."""
    return import_module(f".{ROUTES[route]}", __name__).CASES


def builder_of(route: str) -> Callable[[Case], Toys]:
    """What builds the toys of a route's case."""
    return import_module(f".{ROUTES[route]}", __name__).build

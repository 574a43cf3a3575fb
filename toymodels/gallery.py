"""The gallery: named pairs, each made to show one thing.

Pairs are built when asked for, so that importing this costs nothing, and kept, so that asking twice
gives the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from .gallery_quirks import QUIRKY
from .gallery_segmented import SEGMENTED
from .gallery_shared import SHARED
from .pairs import GalleryPair

__all__ = ["GALLERY", "GalleryPair", "UnknownPairError", "gallery", "gallery_pair"]

#: What builds each pair, by name, in the gallery's order.
GALLERY: Mapping[str, Callable[[], GalleryPair]] = MappingProxyType(
    SHARED.builders | SEGMENTED.builders | QUIRKY.builders
)


class UnknownPairError(ValueError):
    """A name that no pair of the gallery has; the message lists names like it."""


def gallery() -> tuple[GalleryPair, ...]:
    """Every pair, in the gallery's order."""
    return tuple(build() for build in GALLERY.values())


def gallery_pair(name: str) -> GalleryPair:
    """The pair called ``name``.

    Raises:
        UnknownPairError: when there is none.
    """
    build = GALLERY.get(name)
    if build is None:
        near = get_close_matches(name, GALLERY, n=4, cutoff=0.4)
        hint = f"near names: {', '.join(near)}" if near else f"the first is {next(iter(GALLERY))}"
        raise UnknownPairError(f"no gallery pair is called {name!r}; {hint}")
    return build()

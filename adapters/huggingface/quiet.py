"""Silence while other people's code loads: progress bars and warnings are kept, not printed."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from logging import CRITICAL

from transformers.utils import logging


@contextlib.contextmanager
def silence() -> Iterator[io.StringIO]:
    """Nothing is printed inside; what would have been is in the buffer that is given.

    The verbosity and the progress bars of `transformers` are as before afterwards.
    """
    verbosity = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    buffer = io.StringIO()
    logging.set_verbosity(CRITICAL)
    logging.disable_progress_bar()
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(buffer),
            contextlib.redirect_stderr(buffer),
        ):
            warnings.simplefilter("ignore")
            yield buffer
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()

"""What all tests share: reproducible hypothesis runs, and `brute_force` to compare with."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

# `brute_force` is used by the tests of several folders.
sys.path.insert(0, str(Path(__file__).parent / "reference"))

settings.register_profile(
    "draftproof",
    deadline=None,  # exact laws take what they take, and the machine may be busy
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("draftproof")

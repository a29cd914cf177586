"""How many cores this process may use."""

from __future__ import annotations

import os


def available_cores() -> int:
    """The cores the operating system lets this process run on; all of them where it cannot say."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

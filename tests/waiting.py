"""Waiting for what must come: a limit in seconds only ends what would hang for ever."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 300.0  # far longer than anything takes on a machine that is busy with other things
PAUSE = 0.005


def wait_until(
    holds: Callable[[], object],
    seen: Callable[[], object] = lambda: "",
    patience: float = PATIENCE,
) -> None:
    """Look again and again until something holds, for as long as patience lasts."""
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain; seen: {seen()!r}"
        time.sleep(PAUSE)

"""Which processes that a test starts are measured: those that do what no test does by itself.

Measuring takes a quarter of a second for each, so the others, a command line above all, are not.
"""

from __future__ import annotations

import os

CONFIG = "COVERAGE_PROCESS_CONFIG"  # where coverage tells a child how to measure itself
KEPT = "LUMEN_TEST_COVERAGE"


def measure_no_children() -> None:
    """From now on a child is only measured where `measured` is its environment."""
    if CONFIG in os.environ:
        os.environ[KEPT] = os.environ.pop(CONFIG)


def measured() -> dict[str, str]:
    """This environment, in which a process is measured if this one is."""
    environ = dict(os.environ)
    if KEPT in environ:
        environ[CONFIG] = environ.pop(KEPT)
    return environ

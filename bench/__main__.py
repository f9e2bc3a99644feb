"""Run every benchmark: `python -m bench`, or `lumen lab bench`."""

from __future__ import annotations

import sys

from bench import archive, calls, growth, memories, million, skills, startup

runs = (archive, startup, calls, skills, growth, million, memories)
sys.exit(max([run.main() for run in runs]))

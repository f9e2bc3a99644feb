"""Run benchmarks: `python -m bench`, or `lumen lab bench`; all of them, or those named."""

from __future__ import annotations

import sys
from importlib import import_module

from lumen.body.cli.lab import BENCHES

named = [name for name in BENCHES if name in sys.argv[1:]]
sys.exit(max([import_module(f"bench.{name}").main() for name in named or BENCHES]))

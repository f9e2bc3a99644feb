"""Run every benchmark: `python -m bench`, or `lumen lab bench`."""

from __future__ import annotations

import sys

from bench import archive, calls, million, startup

sys.exit(max([archive.main(), startup.main(), calls.main(), million.main()]))

"""Run every benchmark: `python -m bench`, or `lumen lab bench`."""

from __future__ import annotations

import sys

from bench import archive, calls, million, skills, startup

sys.exit(max([archive.main(), startup.main(), calls.main(), skills.main(), million.main()]))

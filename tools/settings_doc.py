"""Write docs/settings.md from the settings themselves: every line that lumen.toml may have.

uv run python tools/settings_doc.py            write the page
uv run python tools/settings_doc.py --check    say whether it is current; writes nothing
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from lumen.core.settings import Settings
from lumen.core.toml import rows

PAGE = Path(__file__).resolve().parent.parent / "docs" / "settings.md"
OPENING = """\
<!-- Made by tools/settings_doc.py from src/lumen/core/settings.py. Do not edit by hand. -->

# The settings of a being

What its author decides stands in `lumen.toml`, in the being's folder. A line that is left out holds as
the table says. A name nobody knows or a value that may not be is refused by every command, with exit code
2, the line's name and what it could be; nothing is changed then. An open being goes by what was there when
it was opened; the next command reads the file anew.
"""


def page() -> str:
    """The whole page, for the settings as they are."""
    lines = [OPENING, "| setting | may be | without it | meaning |", "| --- | --- | --- | --- |"]
    for name, wanted, default, says in rows(Settings):
        held = f"`{default}`" if default else "none"
        lines.append(f"| `{name}` | {wanted} | {held} | {says} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write the page, or compare it."""
    if list(arguments) == ["--check"]:
        current = PAGE.exists() and PAGE.read_text("utf-8") == page()
        print("docs/settings.md is current" if current else "docs/settings.md is stale")
        return 0 if current else 1
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

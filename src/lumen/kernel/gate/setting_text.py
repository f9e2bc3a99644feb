"""One setting of lumen.toml changed, all else of its text kept as the author wrote it. Pure."""

from __future__ import annotations

import tomllib

from lumen.core.canon import dumps
from lumen.core.errors import BadSetting


def with_setting(text: str, table: str, key: str, value: str) -> str:
    """A TOML text in which one key of a table has a value; all else, comments too, stays.

    Raises:
        BadSetting: the file is written in a way that cannot be changed safely.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        wanted = tomllib.loads(text)
        wanted.setdefault(table, {})[key] = value
        settings = tomlkit.parse(text)
        settings.setdefault(table, tomlkit.table())[key] = value
        changed = tomlkit.dumps(settings)
        if tomllib.loads(changed) == wanted:
            return changed
    except (TOMLKitError, tomllib.TOMLDecodeError, TypeError):
        pass
    raise BadSetting(
        f"lumen.toml is written in a way that [{table}] {key} cannot be changed in",
        fix=f"write it there yourself: {key} = {dumps(value).decode()}",
    )

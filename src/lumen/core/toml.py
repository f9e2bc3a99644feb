"""Settings as data: a dataclass says what a TOML file may hold, and all else comes of that.

A field made by `setting` is one line of the file, one made by `names` a table whose lines the author
names. From them come the values (`read`), what is said of a wrong one, a new file (`template`) and
the table of the documentation (`rows`). Nothing here knows any setting.
"""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import Any, TypeVar

from lumen.core.canon import JSON, dumps
from lumen.core.errors import BadSetting, unreadable

T = TypeVar("T")
WIDTH = 98
MOST = 1e15  # no count of anything is longer
_KINDS = {
    bool: "true or false",
    str: "a text",
    int: "a whole number",
    float: "a number",
    tuple: "a list of texts",
}


def _anything(_value: object) -> None:
    """No value of the right kind is wrong."""


class Unfit(ValueError):
    """What is wrong with a value, and what it could be."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.fix = fix


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of the file: where it stands, what holds without it, what it may be, what it is for."""

    table: str
    key: str
    default: JSON
    says: str
    within: tuple[float, float] = (0, MOST)  # both included; of a number
    above: float | None = None
    choices: tuple[str, ...] = ()
    check: Callable[[Any], None] = _anything  # raises Unfit for a value of the right kind, too
    shown: bool = True  # in a new file

    @property
    def name(self) -> str:
        """As the author finds it in the file."""
        return f"[{self.table}] {self.key}"

    @property
    def line(self) -> str:
        """As a new file has it."""
        return f"{self.key} = {spelled(self.default)}"

    @property
    def wanted(self) -> str:
        """What it may be, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        kind = _KINDS[type(self.default)]
        least, most = self.within
        if self.above is not None:
            return f"{kind} above {self.above:,}"
        if most < MOST:
            return f"{kind} from {least:,} to {most:,}"
        return f"{kind} of at least {least:,}" if kind.endswith("number") else kind

    def read(self, tables: Mapping[str, JSON]) -> JSON:
        """Its value in a file.

        Raises:
            Unfit: it may not be that.
        """
        found = _table(tables, self.table).get(self.key)
        if found is None:
            return self.default
        value: JSON = tuple(found) if isinstance(found, list) else found
        if _is_number(value) and _is_number(self.default) and value == type(self.default)(value):
            value = type(self.default)(value)  # 20 is 20.0, and 20.0 is 20
        if not self._fits(value):
            raise Unfit(f"{self.name} must be {self.wanted}, not {found!r}", self.line)
        try:
            self.check(value)
        except Unfit as error:
            raise Unfit(f"{self.name}: {error}", error.fix or self.line) from None
        return value

    def _fits(self, value: JSON) -> bool:
        if type(value) is not type(self.default):
            return False
        if isinstance(value, tuple):
            return all(isinstance(one, str) and one.strip() for one in value)
        if isinstance(value, str):
            return not self.choices or value in self.choices
        least, most = self.within
        return least <= value <= most and (self.above is None or value > self.above)


@dataclass(frozen=True, slots=True)
class Names:
    """A table whose lines, or tables in it, the author names; each of them is checked alone."""

    table: str
    default: Mapping[str, JSON]
    says: str
    check: Callable[[str, Any], None]  # raises Unfit for what stands under a name
    tables: bool = False  # only the tables in it: the lines are settings

    def read(self, tables: Mapping[str, JSON]) -> Mapping[str, JSON]:
        """What stands there, beside what holds without it.

        Raises:
            Unfit: some of it may not be so.
        """
        found = _table(tables, self.table)
        if self.tables:
            found = {name: told for name, told in found.items() if isinstance(told, dict)}
        for name, told in found.items():
            self.check(name, told)
        return MappingProxyType({**self.default, **found})


def setting(place: str, default: JSON, says: str, **more: Any) -> Any:  # noqa: ANN401 - a field of any type
    """A field that one line of the file sets: `table.key`."""
    table, _, key = place.rpartition(".")
    return field(default=default, metadata={"toml": Setting(table, key, default, says, **more)})


def names(
    table: str,
    says: str,
    check: Callable[[str, Any], None],
    default: Mapping[str, JSON] | None = None,
    *,
    tables: bool = False,
) -> Any:  # noqa: ANN401 - a field of any mapping
    """A field that a table with names of the author's own sets."""
    held = MappingProxyType(dict(default or {}))
    declared = Names(table, held, says, check, tables)
    return field(default_factory=lambda: held, metadata={"toml": declared})


def read(kind: type[T], path: Path) -> T:
    """What a file says.

    Raises:
        BadSetting: names the line that is wrong, what it must be, and what it could be.
    """
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"{path} cannot be read: {error}", fix="mend that line") from error
    except UnicodeDecodeError as error:
        fix = "put it back from a backup; or move it away: lumen rebuild writes it again"
        raise BadSetting(f"{path} cannot be read: {unreadable(error)}", fix=fix) from error
    except OSError as error:
        fix = f"ls -ld {quote(str(path))}"
        raise BadSetting(f"{path} cannot be read: {unreadable(error)}", fix=fix) from error
    _must_be_known(kind, tables, path)
    values = {}
    for name, one in _declared(kind):
        try:
            values[name] = one.read(tables)
        except Unfit as error:
            raise BadSetting(f"{path}: {error}", fix=error.fix) from error
    return kind(**values)


def template(kind: type, opening: str, beside: Mapping[str, str]) -> str:
    """A new file: every setting that is shown, as it holds, under what it is for.

    `beside` is what else stands in a table, at its end.
    """
    parts = [f"# {opening}\n"]
    for table, settings in _tables(kind).items():
        shown = [one for one in settings if isinstance(one, Names) or one.shown]
        lines = [line for one in shown for line in _lines(one)]
        if lines or table in beside:
            parts.append(
                "\n".join([f"[{table}]", *lines, *beside.get(table, "").splitlines()]) + "\n"
            )
    return "\n".join(parts)


def _lines(one: Setting | Names) -> Iterator[str]:
    if one.says and (isinstance(one, Setting) or one.default):
        yield from textwrap.wrap(one.says, WIDTH, initial_indent="# ", subsequent_indent="# ")
    if isinstance(one, Setting):
        yield one.line
    else:
        yield from (f"{name} = {spelled(value)}" for name, value in one.default.items())


def rows(kind: type) -> Iterator[tuple[str, str, str, str]]:
    """Every setting: its name, what it may be, what holds without it, and what it is for."""
    for _, one in _declared(kind):
        if isinstance(one, Setting):
            yield one.name, one.wanted, spelled(one.default), one.says
        else:
            yield f"[{one.table}{'.NAME' if one.tables else ''}]", "a table", "", one.says


def spelled(value: JSON) -> str:
    """A value as TOML has it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return dumps(value).decode()  # of texts, numbers and lists the spelling is JSON's


def _declared(kind: type) -> Iterator[tuple[str, Setting | Names]]:
    for one in fields(kind):
        yield one.name, one.metadata["toml"]


def _tables(kind: type) -> dict[str, list[Setting | Names]]:
    found: dict[str, list[Setting | Names]] = {}
    for _, one in _declared(kind):
        found.setdefault(one.table, []).append(one)
    return found


def _is_number(value: JSON) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MOST


def _table(tables: Mapping[str, JSON], name: str) -> Mapping[str, JSON]:
    """A table of the file by its name, which may have dots; nothing: an empty one."""
    found = tables
    for part in name.split("."):
        found = found.get(part, {})
        if not isinstance(found, dict):
            raise Unfit(f"[{name}] must be a table of lines like key = value, not {found!r}")
    return found


def _must_be_known(kind: type, tables: Mapping[str, JSON], path: Path) -> None:
    """Refuse what nobody reads: a cap with a misspelt name is no cap."""
    declared = _tables(kind)
    for table, told in tables.items():
        own = [one for one in declared.get(table, ()) if isinstance(one, Names)]
        inner = [name.partition(".")[2] for name in declared if name.startswith(f"{table}.")]
        keys = [one.key for one in declared.get(table, ()) if isinstance(one, Setting)] + inner
        if not own and not keys:
            known = ", ".join(f"[{one}]" for one in declared if "." not in one)
            raise BadSetting(f"{path}: nobody knows [{table}]", fix=f"it may have {known}")
        for key, value in told.items() if isinstance(told, dict) else ():
            named = any(isinstance(value, dict) or not one.tables for one in own)
            if key not in keys and not named:
                fix = f"[{table}] has {', '.join(keys)}"
                raise BadSetting(f"{path}: nobody knows [{table}] {key}", fix=fix)

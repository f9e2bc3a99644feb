"""Reads a contour: order, policies, parameters and the words shown; errors name the place.

Knows no step by name: the functions are handed in, and what a policy may speak of is read off
their signatures. Whether a loop's steps fit together is checked by `Loop` itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from types import ModuleType
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from lumen.core.canon import JSON, loads
from lumen.core.errors import BadLoop
from lumen.core.stores import Store
from lumen.kernel.contour.policy import DEPTHS, Condition, Parameters, Policy
from lumen.kernel.contour.step import Beat, Loop, Step, is_parameters

FORMAT = "lumen-contour/1"
KINDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


@dataclass(frozen=True, slots=True)
class Contour:
    """Every loop of a being, and the words shown while something runs, by its name."""

    loops: Mapping[str, Loop]
    shown: Mapping[str, str]


def read_contour(
    data: bytes, known: Mapping[str, Step], grants: Mapping[str, frozenset[Store]]
) -> Contour:
    """The contour that a file holds, over the steps there are and what each loop may write.

    Raises:
        BadLoop: something in it is not what it must be; says where.
    """
    try:
        told = loads(data)
    except ValueError as error:
        raise BadLoop(f"skai.json is no JSON: {error}") from error
    _object("skai.json", told, ("format", "loops", "steps", "shown"))
    if told.get("format") != FORMAT:
        _wrong("format", f"must be {FORMAT!r}, not {told.get('format')!r}")
    entries = _of(dict, "steps", told.get("steps", {}))
    rows = {
        name: _row(f"loops.{name}", name, beats, known, grants)
        for name, beats in _of(dict, "loops", told.get("loops")).items()
    }
    placed = {name for row in rows.values() for _, names in row for name in names}
    if stray := sorted(entries.keys() - placed):
        _wrong(f"steps.{stray[0]}", "stands in no loop")
    given: dict[type[Parameters], Parameters] = {}
    steps = {
        name: _step(known[name], _of(dict, f"steps.{name}", entries.get(name, {})), known, given)
        for row in rows.values()
        for _, names in row
        for name in names
    }
    for row in rows.values():
        _check_conditions([name for _, names in row for name in names], steps)
    words = _of(dict, "shown", told.get("shown", {}))
    return Contour(
        loops={
            name: Loop(
                name, grants[name], tuple(Beat(b, tuple(steps[s] for s in many)) for b, many in row)
            )
            for name, row in rows.items()
        },
        shown={
            **{k: str(_of(str, f"shown.{k}", v)) for k, v in words.items()},
            **{s.name: s.shown for s in steps.values() if s.shown},
        },
    )


def _row(
    path: str,
    loop: str,
    beats: JSON,
    known: Mapping[str, Step],
    grants: Mapping[str, frozenset[Store]],
) -> list[tuple[str, list[str]]]:
    """The beats of one loop, and the names of their steps."""
    if loop not in grants:
        _wrong(path, "is no loop that is granted anything")
    row = []
    for number, beat in enumerate(_of(list, path, beats)):
        at = f"{path}[{number}]"
        _object(at, beat, ("beat", "steps"))
        names = _of(list, f"{at}.steps", beat.get("steps"))
        for place, name in enumerate(names):
            if name not in known:
                _wrong(f"{at}.steps[{place}]", f"names no step there is: {name!r}")
        row.append((str(_of(str, f"{at}.beat", beat.get("beat"))), names))
    return row


def _step(
    one: Step, entry: JSON, known: Mapping[str, Step], given: dict[type[Parameters], Parameters]
) -> Step:
    """A step with its policy and its parameters."""
    path = f"steps.{one.name}"
    policy = [f.name for f in fields(Policy)]
    _object(path, entry, (*policy, "parameters", "shown"))
    numbers = _of(dict, f"{path}.parameters", entry.get("parameters", {}))
    wanted = [kind for _, kind in one.reads if is_parameters(kind)]
    own = [kind for kind in wanted if kind not in given]
    for kind in own:
        if (owner := _owner(kind, known)) and owner != one.name:
            _wrong(path, f"reads the numbers of {owner}, which does not stand before {one.name}")
    if len(own) > 1:
        _wrong(
            path, f"has parameters of {len(own)} types; one is its own, the others earlier steps'"
        )
    if not own and numbers:
        _wrong(f"{path}.parameters", f"are given, but {one.name} takes none of its own")
    for kind in own:
        given[kind] = _parameters(f"{path}.parameters", kind, numbers)
    return replace(
        one,
        policy=_policy(path, entry, known),
        shown=str(_of(str, f"{path}.shown", entry.get("shown", ""))),
        given={kind: given[kind] for kind in wanted},
    )


def _owner(kind: type[Parameters], known: Mapping[str, Step]) -> str:
    """The one step beside which some numbers are defined; empty where several could be meant."""
    beside = [
        other.name
        for other in known.values()
        if other.run.__module__ == kind.__module__ and kind in dict(other.reads).values()
    ]
    return beside[0] if len(beside) == 1 else ""


def _parameters(path: str, kind: type[Parameters], told: JSON) -> Parameters:
    """A step's numbers, each of its own type; what is missing is the type's default."""
    hints = get_type_hints(kind)
    _object(path, told, tuple(hints))
    for one in fields(kind):
        if one.name not in told and one.default is one.default_factory is MISSING:
            _wrong(f"{path}.{one.name}", "is missing")
    return kind(**{name: _of(hints[name], f"{path}.{name}", told[name]) for name in told})


def _policy(path: str, entry: JSON, known: Mapping[str, Step]) -> Policy:
    depths = _of(list, f"{path}.depths", entry.get("depths", list(DEPTHS)))
    for number, depth in enumerate(depths):
        if depth not in DEPTHS:
            _wrong(f"{path}.depths[{number}]", f"must be one of {', '.join(DEPTHS)}, not {depth!r}")
    conditions = _of(list, f"{path}.only_if", entry.get("only_if", []))
    most = entry.get("max_per_turn")
    return Policy(
        enabled=_of(bool, f"{path}.enabled", entry.get("enabled", True)),
        depths=tuple(depths),
        cooldown_turns=_count(f"{path}.cooldown_turns", entry.get("cooldown_turns", 0), 0),
        every_n_turns=_count(f"{path}.every_n_turns", entry.get("every_n_turns", 1), 1),
        max_per_turn=None if most is None else _count(f"{path}.max_per_turn", most, 0),
        only_if=tuple(
            _condition(f"{path}.only_if[{n}]", told, known) for n, told in enumerate(conditions)
        ),
    )


def _condition(path: str, told: JSON, known: Mapping[str, Step]) -> Condition:
    _object(path, told, ("field", "in", "at_least"))
    name, _, inner = _of(str, f"{path}.field", told.get("field")).partition(".")
    if name not in known:
        _wrong(f"{path}.field", f"names no step there is: {name!r}")
    if inner not in {f.name for f in fields(known[name].writes)}:
        _wrong(f"{path}.field", f"names no field of what {name} writes: {inner!r}")
    if ("in" in told) == ("at_least" in told):
        _wrong(path, "must say either `in` or `at_least`")
    if "in" in told:
        among = _of(list, f"{path}.in", told["in"])
        _check_values(f"{path}.in", among, get_type_hints(known[name].writes)[inner])
        return Condition(name, inner, among=tuple(among))
    if not isinstance(getattr(known[name].writes(), inner), int | float):
        _wrong(f"{path}.field", f"is no number: {name}.{inner}")
    return Condition(name, inner, at_least=_of(float, f"{path}.at_least", told["at_least"]))


def _check_values(path: str, among: Sequence[JSON], kind: Any) -> None:  # noqa: ANN401 - a type
    """See that a field of some type can be each of these: else the condition would never hold."""
    words = get_args(kind) if get_origin(kind) is Literal else ()
    for number, value in enumerate(among):
        if words and value not in words:
            _wrong(f"{path}[{number}]", f"must be one of {', '.join(words)}, not {value!r}")
        if kind in KINDS:
            _of(kind, f"{path}[{number}]", value)


def _check_conditions(order: Sequence[str], steps: Mapping[str, Step]) -> None:
    """A condition may only speak of a step that stands earlier in every loop of its own."""
    for place, name in enumerate(order):
        for number, condition in enumerate(steps[name].policy.only_if):
            if condition.step not in order[:place]:
                path = f"steps.{name}.only_if[{number}].field"
                _wrong(path, f"speaks of {condition.step}, which does not stand before {name}")


def _object(path: str, told: JSON, allowed: Sequence[str]) -> None:
    """See that it is an object and has no key beside those."""
    if unknown := sorted(_of(dict, path, told).keys() - set(allowed)):
        where = f"{path}.{unknown[0]}" if path != "skai.json" else unknown[0]
        _wrong(where, f"is not known; there are: {', '.join(allowed)}")


def _of(kind: Any, path: str, value: JSON) -> Any:  # noqa: ANN401 - it is what it checks
    """A value, once it is seen to be of a kind; a whole number is a number too."""
    fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if kind is float and type(value) is int:
        return float(value)
    if not fits:
        _wrong(path, f"must be {KINDS.get(kind, kind)}, not {value!r}")
    return value


def _count(path: str, value: JSON, least: int) -> int:
    count: int = _of(int, path, value)
    if count < least:
        _wrong(path, f"must be at least {least}, not {count}")
    return count


def _wrong(path: str, why: str) -> NoReturn:
    raise BadLoop(f"in the contour, {path} {why}", fix="see src/lumen/kernel/contour/skai.json")


def found_in(modules: Iterable[ModuleType]) -> dict[str, Step]:
    """Every step that some modules define, by its name.

    Raises:
        BadLoop: two share a name, or a file takes another's step, which it could only call.
    """
    found: dict[str, Step] = {}
    for module in modules:
        for one in (v for v in vars(module).values() if isinstance(v, Step)):
            if one.run.__module__ != module.__name__:
                raise BadLoop(
                    f"{module.__name__} takes the step {one.name}: steps never call each other"
                )
            if found.setdefault(one.name, one) is not one:
                raise BadLoop(f"there are two steps of the name {one.name}")
    return found

"""Which models this host has seen, and when: a file of the host, as what is here is not elsewhere.

It is a notebook of looks at substrates. It assigns nothing: a model that is gone leaves its role
stale until the author decides.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from lumen.core.canon import JSON, dumps, loads
from lumen.core.exclusive import exclusive
from lumen.core.trust import FULL, LOWEST, Ability, Trust
from lumen.mind.endpoints import Endpoint
from lumen.mind.roles import Assignment
from lumen.mind.substrate import ModelDescriptor

_FIELDS = frozenset(f.name for f in fields(ModelDescriptor))


@dataclass(frozen=True, slots=True)
class LastScan:
    """What came of the last look at a substrate."""

    at: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Registry:
    """What is known of models, by substrate/model, and of substrates."""

    models: Mapping[str, ModelDescriptor] = field(default_factory=dict)
    probed: frozenset[str] = frozenset()  # not listed anywhere, but they answered
    gone: Mapping[str, str] = field(default_factory=dict)  # since when a model is not offered
    looked: Mapping[str, LastScan] = field(default_factory=dict)

    def of(self, substrate: str) -> list[ModelDescriptor]:
        """The models of a substrate that are there."""
        found = [m for name, m in self.models.items() if m.substrate == substrate]
        return sorted((m for m in found if str(m) not in self.gone), key=lambda m: m.model_id)

    def stale(self, assignment: Assignment, endpoints: Mapping[str, Endpoint]) -> str:
        """Why what a role is assigned to cannot be counted on; empty: nothing speaks against it."""
        endpoint = endpoints.get(assignment.substrate)
        if endpoint is None:
            return f"{assignment.substrate} is no substrate"
        if since := self.gone.get(str(assignment)):
            return f"gone since {since[:10]}"
        return "no key" if endpoint.wants_key and not endpoint.key else ""

    def saw(self, substrate: str, found: Iterable[ModelDescriptor], at: str) -> Registry:
        """After a look that succeeded: what was there before and is not now, is gone."""
        seen = {str(m): replace(m, last_seen=at) for m in found}
        before = {n for n, m in self.models.items() if m.substrate == substrate}
        missing = before - seen.keys() - self.probed
        gone = {n: since for n, since in self.gone.items() if n not in seen}
        return replace(
            self,
            models={**self.models, **seen},
            probed=self.probed - seen.keys(),
            gone={**dict.fromkeys(sorted(missing), at), **gone},
            looked={
                **self.looked,
                substrate: LastScan(at, True, f"{len(seen)} model{'' if len(seen) == 1 else 's'}"),
            },
        )

    def listed(self, model: ModelDescriptor, at: str) -> Registry:
        """After one model was seen on its substrate's list."""
        name = str(model)
        return replace(
            self,
            models={**self.models, name: replace(model, last_seen=at)},
            probed=self.probed - {name},
            gone={n: since for n, since in self.gone.items() if n != name},
        )

    def missed(self, substrate: str, why: str, at: str) -> Registry:
        """After a look that failed: nothing is known to be gone."""
        return replace(self, looked={**self.looked, substrate: LastScan(at, False, why)})

    def answered(self, model: ModelDescriptor, at: str) -> Registry:
        """After a model that is on no list answered a probe."""
        return replace(self.listed(model, at), probed=self.probed | {str(model)})

    def without(self, model: ModelDescriptor, at: str) -> Registry:
        """After a call was told that there is no such model."""
        name = str(model)
        return replace(self, gone={**self.gone, name: at}, probed=self.probed - {name})


def load(path: Path) -> Registry:
    """What was noted before; a file that cannot be read is as good as none: a scan makes it again."""
    try:
        told = loads(path.read_bytes())
        return Registry(
            models={n: _model(n, m) for n, m in told["models"].items()},
            probed=frozenset(map(_text, told["probed"])),
            gone={n: _text(since) for n, since in told["gone"].items()},
            looked={n: _look(look) for n, look in told["looked"].items()},
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Registry()


def _model(name: str, told: Mapping[str, JSON]) -> ModelDescriptor:
    may = [Ability(one) for one in told["may"]] if "may" in told else _before(told)
    kept = {key: value for key, value in told.items() if key in _FIELDS}
    model = ModelDescriptor(**{**kept, "may": tuple(may)})
    for said in (model.substrate, model.model_id, model.display_name, model.last_seen):
        _text(said)
    flags = (model.vision, model.local, model.embeds, model.thinks)
    sized = isinstance(model.context_tokens, int | None)
    if str(model) != name or not sized or not all(isinstance(flag, bool) for flag in flags):
        raise ValueError(f"{name} is noted as what it cannot be")
    return model


def _before(told: Mapping[str, JSON]) -> Trust:
    """As notes of earlier versions have it."""
    return LOWEST if told["small"] else FULL


def _look(told: Mapping[str, JSON]) -> LastScan:
    return LastScan(_text(told["at"]), bool(told["ok"]), _text(told["detail"]))


def _text(value: JSON) -> str:
    if not isinstance(value, str):
        raise TypeError("a text was expected")
    return value


@contextmanager
def noting(path: Path) -> Iterator[list[Registry]]:
    """Change the notes while nobody else does: put what they become into the list."""
    with exclusive(path):
        notes = [load(path)]
        yield notes
        _save(path, notes[-1])


def _save(path: Path, registry: Registry) -> None:
    told = {
        "models": {n: asdict(m) for n, m in sorted(registry.models.items())},
        "probed": sorted(registry.probed),
        "gone": dict(registry.gone),
        "looked": {n: asdict(look) for n, look in registry.looked.items()},
    }
    beside = path.with_suffix(f".{os.getpid()}.new")
    beside.write_bytes(dumps(told))
    beside.replace(path)

"""What models cost, where that leads, and exactly what was sent to whom."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from lumen.app.looking import ReadOnlyBeing
from lumen.app.storage import size_of
from lumen.app.wiring import caps_of
from lumen.core.canon import JSON, dumps
from lumen.core.clock import stamp
from lumen.core.data import Event, EventType
from lumen.core.errors import UsageError
from lumen.core.model_calls import ModelCall
from lumen.core.model_calls import Spent as Spent
from lumen.kernel.models.treasury import forecast
from lumen.kernel.turn.escalate import life

MICROS = 1_000_000
DAYS = 14


@dataclass(frozen=True, slots=True)
class SpentOn:
    """What one role took on one UTC day; money in millionths of a dollar."""

    day: str
    role: str
    calls: int
    tokens: int
    micros: int
    unpriced: int  # calls whose price nobody knows


@dataclass(frozen=True, slots=True)
class DailyCaps:
    """What the author allows to be spent a day; 0: no cap."""

    tokens: int
    dollars: float
    roles: dict[str, int]
    escalations_per_hour: int


@dataclass(frozen=True, slots=True)
class DailyUse:
    """How much is used a day, as the last days go."""

    days: float
    tokens_a_day: float


@dataclass(frozen=True, slots=True)
class CapForecast:
    """Where that leads."""

    dollars_a_day: float
    dollars_a_month: float
    cap_reached_at: str | None


@dataclass(frozen=True, slots=True)
class Treasury:
    """Today's calls, the burn rate, where it leads, and what each day and role took."""

    phase: str
    today: dict[str, Spent]  # by role, and under "total"
    caps: DailyCaps
    burn: DailyUse
    forecast: CapForecast
    days: tuple[SpentOn, ...]
    calls: tuple[ModelCall, ...]
    storage_bytes: int
    skill_runs: int


def treasury_of(look: ReadOnlyBeing, now: datetime, days: int = DAYS, last: int = 0) -> Treasury:
    """What models cost: the last `days`, and the last `last` calls one by one."""
    caps, index = caps_of(look.settings), look.index
    today = index.ledger.spent_on(stamp(now)[:10])
    ahead = forecast(index, caps, now)
    spent = index.ledger.by_day_and_role(stamp(now - timedelta(days=days - 1))[:10])
    reached = ahead.cap_reached
    return Treasury(
        phase=life(index),
        today={"total": sum(today.values(), Spent()), **today},
        caps=DailyCaps(caps.tokens, caps.dollars, dict(caps.roles), caps.escalations),
        burn=DailyUse(ahead.days, ahead.tokens_a_day),
        forecast=CapForecast(
            ahead.micros_a_day / MICROS,
            ahead.micros_a_month / MICROS,
            stamp(reached) if reached else None,
        ),
        days=tuple(SpentOn(day, role, **asdict(s)) for (day, role), s in spent.items()),
        calls=tuple(index.ledger.calls(limit=last)) if last else (),
        storage_bytes=size_of(look.being),
        skill_runs=index.events.tally(EventType.TOOL_CALL),
    )


@dataclass(frozen=True, slots=True)
class EgressRow:
    """A call to a model that is not on this machine; `bytes` None: what was sent was forgotten."""

    call: ModelCall
    url: str
    bytes: int | None
    sha256: str


@dataclass(frozen=True, slots=True)
class EgressDetail:
    """All that one call sent away, to the byte."""

    event: int
    timestamp: str
    told: dict[str, JSON]  # url, sha256 and body, as archived


def egress_of(look: ReadOnlyBeing, limit: int) -> tuple[EgressRow, ...]:
    """What was sent to models that are not on this machine, the newest first."""
    away = [c for c in look.index.ledger.calls() if not c.local][:limit]
    return tuple(_sent(c, look.index.events.get(c.at)) for c in away)


def _sent(call: ModelCall, event: Event | None) -> EgressRow:
    told = event.entry.payload.get("sent") if event else None
    return EgressRow(
        call=call,
        url=told["url"] if told else "",
        bytes=len(dumps(told["body"])) if told else None,
        sha256=told["sha256"] if told else "",
    )


def letter_of(look: ReadOnlyBeing, number: int) -> EgressDetail:
    """What one event sent away.

    Raises:
        UsageError: it sent nothing.
    """
    event = look.index.events.get(number)
    told = event.entry.payload.get("sent") if event else None
    if event is None or not told:
        raise UsageError(f"event {number} sent nothing away", fix="lumen egress")
    return EgressDetail(number, event.timestamp, told)

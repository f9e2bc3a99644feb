"""What calls may cost: caps that hold before a call is made, and a forecast after.

A cap is checked while no other process can write, against what the archive says was spent and
what others have set aside, so it is never exceeded however many spend at once. What is set aside
is an upper bound: no tokenizer makes more tokens than a text has bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from lumen.core.canon import clean, dumps
from lumen.core.clock import parse_stamp, stamp
from lumen.core.errors import OverBudget
from lumen.core.model_calls import Spent
from lumen.mind.substrate import Prompt
from lumen.soul.ports.queries import Queries

MICROS = 1_000_000
FRAME = 16  # tokens around each message: who speaks, and where it ends
BYTES_A_TOKEN = 8  # on average, at the most: of prose in any language, tokens hold fewer
AROUND = 64  # tokens around all of them: some servers add a line of their own
BURN_DAYS = 7
DAY_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class Growth:
    """When a being enters the next phase of its life."""

    apprentice: int = 1  # escalations the author approved
    steady: int = 10
    turns: int = 100  # and turns


GROWTH = Growth()


@dataclass(frozen=True, slots=True)
class Caps:
    """What the author allows a day (UTC), and an hour; nothing said: no cap."""

    tokens: int = 0
    dollars: float = 0.0
    roles: Mapping[str, int] = field(default_factory=dict)  # tokens a day
    escalations: int = 4  # an hour

    def bind(self, role: str) -> bool:
        """Whether a call of a role has to be asked for."""
        return bool(self.tokens or self.dollars or self.roles.get(role))


@dataclass(frozen=True, slots=True)
class CallBound:
    """What a call would take at the most. No money: nobody knows its price."""

    role: str
    tokens: int
    micros: int | None
    escalated: bool = False


def most_tokens(prompt: Prompt) -> int:
    """What a call uses at the most, prompt and answer together."""
    said = prompt.messages()
    return prompt_tokens(prompt) + FRAME * len(said) + AROUND + prompt.max_tokens


def prompt_tokens(prompt: Prompt) -> int:
    """A token has a byte at the least; a schema is read as the text is."""
    schema = 0 if prompt.schema is None else len(dumps(prompt.schema))
    return schema + sum(len(clean(text).encode()) for _, text in prompt.messages())


def least_tokens(text: str) -> int:
    """What a text is at the least, whatever a server says that it counted."""
    return len(clean(text).encode()) // BYTES_A_TOKEN


def allow(index: Queries, caps: Caps, wanted: CallBound, now: datetime) -> None:
    """Say nothing when a call may be made.

    Raises:
        OverBudget: a cap does not allow it; says which, and when it will.
    """
    now = max(now, _latest(index))
    today = index.ledger.spent_on(stamp(now)[:10])
    all_of_it = sum(today.values(), Spent())
    _within("dailyBudget", caps.tokens, all_of_it.tokens, wanted.tokens)
    own = today.get(wanted.role, Spent()).tokens
    _within(f"budget.roles.{wanted.role}", caps.roles.get(wanted.role, 0), own, wanted.tokens)
    if caps.dollars:
        _affordable(caps.dollars, all_of_it, wanted)
    if wanted.escalated:
        made = index.ledger.escalations(stamp(now - timedelta(hours=1)))
        if made >= caps.escalations:
            raise OverBudget(
                f"{made} of {caps.escalations} escalations were made within the last hour",
                fix="wait, or raise maxEscalationsPerHour in lumen.toml",
            )


def _latest(index: Queries) -> datetime:
    """When the last event was. A clock that was set back does not open yesterday's purse again.

    The archive goes by this too: no line of it is stamped earlier than the one before.
    """
    seq, _ = index.events.last_head()
    return parse_stamp(index.events.time_of(seq))


def _within(name: str, cap: int, spent: int, wanted: int) -> None:
    if cap and spent + wanted > cap:
        raise OverBudget(
            f"{spent:,} of today's {cap:,} tokens are used, and this call may take {wanted:,}",
            fix=f"wait until midnight UTC, or raise {name} in lumen.toml",
        )


def _affordable(cap: float, spent: Spent, wanted: CallBound) -> None:
    if wanted.micros is None:
        raise OverBudget(
            "nobody knows what this model costs, so dollars_per_day cannot hold",
            fix="set dollars_per_day = 0 and cap its tokens instead",
        )
    if spent.micros + wanted.micros > cap * MICROS:
        raise OverBudget(
            f"${spent.micros / MICROS:.4f} of today's ${cap:.2f} are spent, and this call may "
            f"cost ${wanted.micros / MICROS:.4f}",
            fix="wait until midnight UTC, or raise dollars_per_day in lumen.toml",
        )


@dataclass(frozen=True, slots=True)
class Forecast:
    """Where spending leads if it goes on as it has."""

    days: int  # that the average is over
    tokens_a_day: float
    micros_a_day: float
    cap_reached: datetime | None  # at today's pace; nothing: not today, or there is no cap

    @property
    def micros_a_month(self) -> float:
        """Thirty days of it."""
        return 30 * self.micros_a_day


def forecast(index: Queries, caps: Caps, now: datetime) -> Forecast:
    """The average of the last days, and when today's cap will be reached at today's pace."""
    first = now - timedelta(days=BURN_DAYS - 1)
    spent = index.ledger.by_day_and_role(stamp(first)[:10])
    if not spent:
        return Forecast(0, 0.0, 0.0, None)
    today = stamp(now)[:10]
    earliest = datetime.fromisoformat(min(day for day, _ in spent)).replace(tzinfo=UTC)
    days = max(1, (now.date() - earliest.date()).days + 1)  # a clock may have been set back
    total = sum(spent.values(), Spent())
    used = sum(s.tokens for (day, _), s in spent.items() if day == today)
    return Forecast(
        days=days,
        tokens_a_day=total.tokens / days,
        micros_a_day=total.micros / days,
        cap_reached=_reached(used, caps.tokens, now),
    )


def _reached(used: int, cap: int, now: datetime) -> datetime | None:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if not cap or not used:
        return None
    pace = used / max((now - midnight).total_seconds(), 1.0)
    needed = cap / pace
    return midnight + timedelta(seconds=needed) if needed < DAY_S else None


def phase(turns: int, approved: int) -> str:
    """Where in its life a being is: this decides what it may do without asking, not who it is.

    Until then a model beyond those the author assigned is asked only with the author's yes.
    """
    if not turns:
        return "genesis"
    if approved < GROWTH.apprentice:
        return "early life"
    if approved < GROWTH.steady or turns < GROWTH.turns:
        return "apprenticeship"
    return "steady state"

"""Every call to a model, and what it took: asked of the index, which the archive makes.

A call that was announced and never told of again counts as all that was set aside for it: nobody
knows what it used, and a cap must hold. Days are UTC days.
"""

from __future__ import annotations

from collections.abc import Iterator

from lumen.core.model_calls import ModelCall, Spent
from lumen.soul.index.rows import OverRows
from lumen.soul.ports.records import Ledger

_COLUMNS = (
    "seq, id, moment, role, step, model, local, set_aside, escalated, outcome, tokens, prompt, "
    "completion, cached, ms, micros"
)
_USED = "coalesce(tokens, set_aside)"


class CallTable(OverRows, Ledger):
    """Calls as the tables have them."""

    def calls(self, since: str = "", limit: int | None = None) -> Iterator[ModelCall]:
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM calls WHERE moment >= ? ORDER BY moment DESC, id DESC LIMIT ?",  # noqa: S608 - a constant column list
            (since, -1 if limit is None else limit),
        )
        for row in rows:
            seq, own, moment, role, step, model, local, aside, escalated, *rest = row
            yield ModelCall(
                seq, own, moment, role, step, model, bool(local), aside, bool(escalated), *rest
            )

    def by_day_and_role(self, since: str) -> dict[tuple[str, str], Spent]:
        rows = self._db.rows(
            f"SELECT substr(moment, 1, 10), role, count(*), sum({_USED}), coalesce(sum(micros), 0), "  # noqa: S608 - a constant expression
            "sum(micros IS NULL) FROM calls WHERE moment >= ? GROUP BY 1, 2 ORDER BY 1, 2",
            (since,),
        )
        return {(str(day), str(role)): Spent(*numbers) for day, role, *numbers in rows}

    def spent_on(self, day: str) -> dict[str, Spent]:
        return {role: s for (on, role), s in self.by_day_and_role(day).items() if on == day}

    def escalations(self, since: str) -> int:
        return self._db.number(
            "SELECT count(*) FROM calls WHERE escalated AND moment >= ? "
            "AND (outcome IN ('', 'ok') OR tokens > 0)",
            (since,),
        )

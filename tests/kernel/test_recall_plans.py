"""What a question asks of the database is looked up: SQLite goes through no table for it, whatever its version prefers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from datetime import date
from typing import TYPE_CHECKING

from lumen.kernel.recall.candidates import RankWanted
from lumen.kernel.recall.search import IndexedRecall
from lumen.soul.index.index import Index
from lumen.soul.ports.vectors import LATEST

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

    from lumen.mind.e5 import E5

TOLD = (
    "My sister lives in Lisbon.",
    "My sister no longer lives in Lisbon: she lives in Porto.",
    "The dog is called Biscuit.",
)
QUESTION = "In which city does my sister live?"


def test_a_question_looks_rows_up_and_walks_through_no_table(life: Life, embedder: E5) -> None:
    life.tell(*TOLD)
    life.wonder()
    asked: dict[str, Sequence[object]] = {}

    def told(_cursor: object, sql: str, values: object) -> bool:
        asked[sql] = values if isinstance(values, tuple | list) else ()
        return True

    with closing(Index(life.being)) as index:
        index.catch_up()
        recall = IndexedRecall(index, embedder)
        db = index.alone(lambda db: db)
        db.exec_trace = told
        assert recall.evidence(QUESTION, LATEST)
        assert recall.rank(QUESTION, RankWanted(day=date.max.toordinal()))
        db.exec_trace = None
        plans = {
            sql: index.rows(f"EXPLAIN QUERY PLAN {sql}", values)
            for sql, values in asked.items()
            if sql.startswith("SELECT")
        }
    assert any("json_each" in sql for sql in plans)
    assert {sql: plan for sql, plan in plans.items() if walks(plan)} == {}


def walks(plan: Sequence[tuple[int, int, int, str]]) -> bool:
    """Whether SQLite would go through a table: whole, all of an embedder, or for each of its rows through what was asked for."""
    given = [
        (parent, detail.startswith("SCAN") and "VIRTUAL TABLE" in detail)
        for _, parent, _, detail in plan
        if detail.startswith(("SCAN", "SEARCH"))
    ]
    # What a subquery came to is a few rows: how it came to them is told by lines of its own.
    few = {d.split()[-1] for *_, d in plan if d.startswith(("CO-ROUTINE", "MATERIALIZE"))}
    late = any(asked and (parent, False) in given[:n] for n, (parent, asked) in enumerate(given))
    whole = (
        detail.endswith("(embedder=?)")
        or (
            detail.startswith("SCAN")
            and detail.split()[-1] not in few
            and not re.match(r"SCAN (CONSTANT|\(|\w+ VIRTUAL)", detail)
        )
        for *_, detail in plan
    )
    return late or any(whole)

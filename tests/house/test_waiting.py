"""Nothing that runs in an event loop brings it to a halt, or awaits with a door locked behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

EXCLUSIVE = {  # locks that keep everybody else out
    "locked", "no_turn_meanwhile", "nobody_in_turn", "alone", "as_author", "_authors_gate",
    "deciding", "one_at_a_time", "transaction", "_alone", "noting",
}  # fmt: skip
SLEEPS = {  # called where no event loop is, or for a moment that is shorter than a step
    "src/lumen/kernel/gate/presence.py": {"_wait"},
    "src/lumen/soul/archive/disk.py": {"take"},
    "src/lumen/lab/together.py": {"_block"},
}


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def called(node: ast.AST) -> set[str]:
    """The last names of all that is called in there."""
    calls = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
    return {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in calls}


def locked_awaits(path: Path) -> list[str]:
    """Where something is awaited inside a `with` that keeps everybody else out."""
    return [
        f"{path.name}:{node.lineno} {' '.join(names)}"
        for function in functions(path)
        if isinstance(function, ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.With)
        and (names := set().union(*(called(i.context_expr) for i in node.items)) & EXCLUSIVE)
        and any(isinstance(n, ast.Await | ast.AsyncFor | ast.AsyncWith) for n in ast.walk(node))
    ]


def test_nothing_is_awaited_while_everybody_else_is_kept_out(root: Path, tmp_path: Path) -> None:
    found = [one for path in (root / "src").rglob("*.py") for one in locked_awaits(path)]
    assert found == []
    bad = tmp_path / "bad.py"
    bad.write_text("async def f(gate):\n    with gate.writer.locked():\n        await g()\n")
    assert locked_awaits(bad) == ["bad.py:2 locked"]


def test_a_thread_sleeps_only_where_no_event_loop_waits_for_it(root: Path) -> None:
    found: dict[str, set[str]] = {}
    for path in (root / "src").rglob("*.py"):
        for function in functions(path):
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in ("time.sleep", "sleep"):
                    found.setdefault(str(path.relative_to(root)), set()).add(function.name)
    assert found == SLEEPS

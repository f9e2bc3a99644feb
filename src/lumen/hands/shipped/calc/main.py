"""Calc: works out arithmetic by walking its tree. The standard library and nothing else."""

import ast
import json
import math
import operator
import sys
from collections.abc import Callable

HELP = """\
calc: works out arithmetic. Nothing is evaluated as a program.

Usage: main.py < call.json, one call per run

Actions
  work_out   the value of an expression

Input, one JSON object on stdin
  {"v": 1, "turn": "...", "action": "work_out", "input": {"expression": "2 * (3 + 4)"}}
  expression   numbers with + - * / // % ** ( ), pi and e, and abs, round, floor, ceil, sqrt,
               exp, log, sin, cos, tan, min, max, sum of numbers; up to 1000 characters

Output, one JSON object on stdout
  {"ok": true, "output": {"text": "14", "value": 14}, "error": null}
  text    the value, to the last digit
  value   the same as a number; null when it is too large for one to hold exactly
  {"ok": false, "output": null, "error": "..."}
  error   why there is no value
"""

MOST_CHARACTERS = 1000
MOST_BITS = 4096  # of a whole number
EXACT = 2**53
Number = int | float

BINARY: dict[type, Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
UNARY: dict[type, Callable[[Number], Number]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
CONSTANTS = {"pi": math.pi, "e": math.e}
FUNCTIONS: dict[str, Callable[..., Number]] = {
    "abs": abs,
    "round": lambda number, digits=0: round(number, max(-400, min(400, int(digits)))),
    "floor": math.floor,
    "ceil": math.ceil,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "min": min,
    "max": max,
    "sum": lambda *numbers: sum(numbers),
}


class CallError(Exception):
    """The call cannot be answered."""


def bounded(value: object) -> Number:
    """A number that is one, and of a size that can be handled."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise CallError("that is no real number")
    if isinstance(value, float) and not math.isfinite(value):
        raise CallError("the value is not finite")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise CallError(f"the value has more than {MOST_BITS} bits")
    return value


def power(base: Number, exponent: Number) -> object:
    """A power, refused before it is worked out when it would be too large."""
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1:
        if exponent * base.bit_length() > 2 * MOST_BITS:
            raise CallError(f"the value has more than {MOST_BITS} bits")
        if exponent < -MOST_BITS:
            return 0.0
    return base**exponent


def value_of(node: ast.expr) -> Number:
    """The value of one part of an expression."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return bounded(number)
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
            return UNARY[type(op)](value_of(operand))
        case ast.BinOp(op=ast.Pow(), left=left, right=right):
            return bounded(power(value_of(left), value_of(right)))
        case ast.BinOp(op=op, left=left, right=right) if type(op) in BINARY:
            return bounded(BINARY[type(op)](value_of(left), value_of(right)))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return bounded(FUNCTIONS[name](*[value_of(arg) for arg in args]))
    raise CallError(f"{ast.unparse(node)[:60]!r} is no arithmetic that calc knows")


def work_out(call: object) -> dict[str, object]:
    """The value a call asks for."""
    if not isinstance(call, dict) or call.get("action") != "work_out":
        raise CallError('the only action is "work_out"')
    given = call.get("input")
    if not isinstance(given, dict) or not isinstance(given.get("expression"), str):
        raise CallError('input must be {"expression": "2 * (3 + 4)"}')
    expression = given["expression"].strip()
    if not 0 < len(expression) <= MOST_CHARACTERS:
        raise CallError(f"an expression has 1 to {MOST_CHARACTERS} characters")
    try:
        value = value_of(ast.parse(expression, mode="eval").body)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise CallError(f"that cannot be worked out: {error}") from error
    except ArithmeticError as error:
        raise CallError(f"that has no value: {error}") from error
    exact = isinstance(value, float) or abs(value) <= EXACT
    return {"text": str(value), "value": value if exact else None}


def answer(asked: bytes) -> dict[str, object]:
    """The reply to one call."""
    try:
        return {"ok": True, "output": work_out(json.loads(asked)), "error": None}
    except CallError as error:
        return {"ok": False, "output": None, "error": str(error)}
    except (ValueError, RecursionError) as error:
        return {"ok": False, "output": None, "error": f"the call is no JSON: {error}"}


def main(arguments: list[str]) -> None:
    """Explain, or answer the call on stdin."""
    if arguments in (["--help"], ["-h"]):
        sys.stdout.write(HELP)
    elif arguments:
        sys.exit("calc takes no arguments but --help; the call comes on stdin")
    else:
        sys.stdout.write(json.dumps(answer(sys.stdin.buffer.read())) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Calc: works out arithmetic by walking its tree. The standard library and nothing else."""

import ast
import json
import math
import operator
import re
import sys
from collections.abc import Callable
from fractions import Fraction

HELP = """\
calc: works out arithmetic. Nothing is evaluated as a program.

Usage: main.py < call.json, one call per run

Actions
  work_out   the value of an expression

Input, one JSON object on stdin
  {"v": 1, "turn": "...", "action": "work_out", "input": {"expression": "2 * (3 + 4)"}}
  expression   numbers with + - * / // % ** ( ), pi and e, and abs, round, floor, ceil, sqrt,
               exp, log, sin, cos, tan, min, max, sum of numbers; up to 1000 characters.
               18% of 240 is 43.2; 240 + 18% is 283.2; between two numbers % is the remainder.
               Decimals are exact: 0.1 + 0.2 is 0.3.

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
MOST_DIGITS = 60  # behind the point; a value with more is rounded
Number = int | Fraction | float
# A sign behind a number is a percentage where no number follows it; else it is the remainder.
PERCENT = re.compile(
    r"(?<![\w.])(\d+(?:\.\d*)?|\.\d+)(?:\s*%(?=\s*(?:$|[*/),]|of\b))|%(?=\s*[-+]))"
)
DECIMAL = re.compile(r"\d+\.\d*|\.\d+")

BINARY: dict[type, Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: divided(a, b),
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
UNARY: dict[type, Callable[[Number], Number]] = {ast.UAdd: lambda n: n, ast.USub: lambda n: -n}
CONSTANTS = {"pi": math.pi, "e": math.e}
FUNCTIONS: dict[str, Callable[..., Number]] = {
    "abs": abs,
    "round": lambda number, digits=0: round(number, max(-400, min(400, int(digits)))),
    "percent": lambda number: Fraction(1, 100) * number,
    "floor": math.floor,
    "ceil": math.ceil,
    "sqrt": lambda number: root(number),
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
    if isinstance(value, bool) or not isinstance(value, int | Fraction | float):
        raise CallError("that is no real number")
    if isinstance(value, float) and not math.isfinite(value):
        raise CallError("the value is not finite")
    if not isinstance(value, float) and bits(value) > MOST_BITS:
        raise CallError(f"the value has more than {MOST_BITS} bits")
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    return value


def divided(one: Number, other: Number) -> Number:
    """A quotient, exact where both numbers are."""
    if isinstance(one, float) or isinstance(other, float):
        return one / other
    if not other:
        raise ZeroDivisionError("division by zero")
    return Fraction(one) / Fraction(other)


def bits(value: int | Fraction) -> int:
    """How long the longer part of an exact number is."""
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def root(number: Number) -> Number:
    """The square root: exact where there is an exact one."""
    if isinstance(number, int | Fraction) and number >= 0:
        exact = Fraction(math.isqrt(number.numerator), math.isqrt(number.denominator))
        if exact * exact == number:
            return exact
    return math.sqrt(number)


def power(base: Number, exponent: Number) -> object:
    """A power, refused before it is worked out when it would be too large."""
    if isinstance(base, float) or not isinstance(exponent, int) or abs(base) in (0, 1):
        plain: object = base**exponent
        return plain
    if abs(exponent) * bits(base) <= 2 * MOST_BITS:
        return Fraction(base) ** exponent
    if (exponent > 0) is (base * base > 1):
        raise CallError(f"the value has more than {MOST_BITS} bits")
    return 0.0


def value_of(node: ast.expr) -> Number:
    """The value of one part of an expression."""
    match node:
        case ast.Constant(value=int() | float() as number, kind=kind):
            digits = kind or ""
            return bounded(Fraction(digits) if DECIMAL.fullmatch(digits) else number)
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
            return UNARY[type(op)](value_of(operand))
        case ast.BinOp(op=op, left=left, right=right):
            return bounded(of_two(op, left, right))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return bounded(FUNCTIONS[name](*[value_of(arg) for arg in args]))
    raise unknown(node)


def of_two(op: ast.operator, left: ast.expr, right: ast.expr) -> object:
    """What an operator makes of two parts; 240 + 18% means 18% of the 240."""
    if isinstance(op, ast.Pow):
        return power(value_of(left), value_of(right))
    if type(op) not in BINARY:
        raise unknown(ast.BinOp(left, op, right))
    one, other = value_of(left), value_of(right)
    relative = isinstance(right, ast.Call) and ast.unparse(right.func) == "percent"
    if relative and isinstance(op, ast.Add | ast.Sub):
        other = bounded(one * other)
    return BINARY[type(op)](one, other)


def unknown(node: ast.expr) -> CallError:
    """Why a part cannot be worked out."""
    return CallError(f"{ast.unparse(node)[:60]!r} is no arithmetic that calc knows")


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
        value = value_of(parsed(expression))
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise CallError(f"that cannot be worked out: {error}") from error
    except ArithmeticError as error:
        raise CallError(f"that has no value: {error}") from error
    if isinstance(value, Fraction):
        return {"text": decimal(value), "value": float(value)}
    exact = isinstance(value, float) or abs(value) <= EXACT
    return {"text": str(value), "value": value if exact else None}


def parsed(expression: str) -> ast.expr:
    """An expression as a tree; every number in it keeps the digits it was written with."""
    plain = re.sub(r"\bof\b", "*", PERCENT.sub(r"percent(\1)", expression))
    tree = ast.parse(plain, mode="eval").body
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            node.kind = ast.get_source_segment(plain, node)
    return tree


def decimal(value: Fraction) -> str:
    """A fraction in digits: all of them where they end, else as many as a float tells apart."""
    rest, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1 or places > MOST_DIGITS:
        return str(float(value))
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


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

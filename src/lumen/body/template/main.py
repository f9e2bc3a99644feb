"""NAME: says a text backwards; make of it what you need."""

import json
import sys

HELP = """\
NAME: says a text backwards.

Usage: main.py < call.json, one call per run

Actions
  turn   turn a text round

Input, one JSON object on stdin
  {"v": 1, "turn": "...", "action": "turn", "input": {"text": "..."}}

Output, one JSON object on stdout
  {"ok": true, "output": {"text": "..."}}
  {"ok": false, "error": "why"}
"""


def answer(call: object) -> dict[str, object]:
    """The reply to one call."""
    if not isinstance(call, dict) or call.get("action") != "turn":
        return {"ok": False, "error": 'the only action is "turn"'}
    given = call.get("input")
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        return {"ok": False, "error": 'input must be {"text": "..."}'}
    return {"ok": True, "output": {"text": given["text"][::-1]}}


if __name__ == "__main__":
    if sys.argv[1:] == ["--help"]:
        sys.stdout.write(HELP)
    else:
        sys.stdout.write(json.dumps(answer(json.load(sys.stdin))) + "\n")

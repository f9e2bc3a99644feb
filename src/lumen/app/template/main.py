"""NAME: says a goal backwards; make of it what you need."""

import json
import sys

HELP = """\
NAME: says what it is asked to do backwards, and does nothing about it yet.

Usage: main.py < call.json, one call per run

Actions
  do   do something for a goal: this is what the being asks for of its own accord

Input, one JSON object on stdin
  {"v": 1, "turn": "...", "action": "do", "input": {"goal": "..."}}

Output, one JSON object on stdout
  {"ok": true, "output": {"text": "...", "results": []}}
  {"ok": false, "error": "why"}
  results    what came of it, like [{"snippet": "sent"}]; empty: nothing, so no goal is reached
"""


def answer(call: object) -> dict[str, object]:
    """The reply to one call."""
    if not isinstance(call, dict) or call.get("action") != "do":
        return {"ok": False, "error": 'the only action is "do"'}
    given = call.get("input")
    if not isinstance(given, dict) or not isinstance(given.get("goal"), str):
        return {"ok": False, "error": 'input must be {"goal": "..."}'}
    return {"ok": True, "output": {"text": given["goal"][::-1], "results": []}}


if __name__ == "__main__":
    if sys.argv[1:] == ["--help"]:
        sys.stdout.write(HELP)
    else:
        sys.stdout.write(json.dumps(answer(json.load(sys.stdin))) + "\n")

"""Chat: says words to the person. Stands alone: the standard library and nothing else."""

import json
import re
import sys

HELP = """\
chat: says words to the person the being talks with.

Usage: main.py < call.json, one call per run

Actions
  say    deliver a text

Input, one JSON object on stdin
  {"v": 1, "turn": "...", "action": "say", "input": {"text": "...", "to": null}}
  text   the words, not empty; line breaks and tabs are kept
  to     whom they are for, or null for the person present

Output, one JSON object on stdout
  {"ok": true, "output": {"text": "..."}, "error": null}
  text   the words as delivered, without terminal escapes and control characters
  {"ok": false, "output": null, "error": "..."}
  error  why nothing was said
"""

ESCAPES = re.compile(
    r"\x1b[\]PX^_].*?(?:\x07|\x1b\\|\Z)"  # titles, clipboard, links, device strings
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # colour, cursor, erase
    r"|\x1b.?",
    re.DOTALL,
)
CONTROLS = set(range(0x20)) - {0x09, 0x0A} | set(range(0x7F, 0xA0))
REORDERING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
HIDDEN = dict.fromkeys(CONTROLS | REORDERING)


class CallError(Exception):
    """The call does not say what it must."""


def plain(text: str) -> str:
    """The words alone: nothing that steers a terminal, no lone surrogate, no space at the end."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return ESCAPES.sub("", whole).translate(HIDDEN).rstrip()


def words_in(call: object) -> str:
    """The words a call asks us to say."""
    if not isinstance(call, dict) or call.get("action") != "say":
        raise CallError('the only action is "say"')
    given = call.get("input")
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        raise CallError('input must be {"text": "the words", "to": null}')
    if not isinstance(given.get("to"), str | None):
        raise CallError('"to" must be a name or null')
    words = plain(given["text"])
    if not words:
        raise CallError("there is nothing to say: the text is empty")
    return words


def answer(asked: bytes) -> dict[str, object]:
    """The reply to one call."""
    try:
        return {"ok": True, "output": {"text": words_in(json.loads(asked))}, "error": None}
    except CallError as error:
        return {"ok": False, "output": None, "error": str(error)}
    except (ValueError, RecursionError) as error:
        return {"ok": False, "output": None, "error": f"the call is no JSON: {error}"}


def main(arguments: list[str]) -> None:
    """Explain, or answer the call on stdin."""
    if arguments in (["--help"], ["-h"]):
        sys.stdout.write(HELP)
    elif arguments:
        sys.exit("chat takes no arguments but --help; the call comes on stdin")
    else:
        sys.stdout.write(json.dumps(answer(sys.stdin.buffer.read())) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

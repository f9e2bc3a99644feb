"""Note: gives back words worth keeping. It writes nothing. The standard library and nothing else."""

import json
import sys
import unicodedata

HELP = """\
note: puts a thought into words that are worth keeping. It writes nothing itself: whoever called it
keeps what it answers.

Usage: main.py < call.json, one call per run

Actions
  keep   make a note

Input, one JSON object on stdin
  {"v": 1, "turn": "...", "action": "keep", "input": {"text": "...", "about": null}}
  text   what to keep, up to 4000 characters
  about  what it is about, in a few words, or null

Output, one JSON object on stdout
  {"ok": true, "output": {"note": {"text": "...", "about": ""}}, "error": null}
  {"ok": false, "output": null, "error": "..."}
  error  why there is no note
"""

MOST_TEXT = 4000
MOST_ABOUT = 100


class CallError(Exception):
    """The call does not say what it must."""


def plain(text: str) -> str:
    """The words alone: no control characters, no lone surrogates, no blank ends."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c for c in whole if c in "\n\t" or unicodedata.category(c)[0] != "C").strip()


def note_in(call: object) -> dict[str, str]:
    """The note a call asks for."""
    if not isinstance(call, dict) or call.get("action") != "keep":
        raise CallError('the only action is "keep"')
    given = call.get("input")
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        raise CallError('input must be {"text": "what to keep", "about": null}')
    if not isinstance(given.get("about"), str | None):
        raise CallError('"about" must be a few words or null')
    text, about = plain(given["text"]), " ".join(plain(given.get("about") or "").split())
    if not text:
        raise CallError("there is nothing to keep: the text is empty")
    if len(text) > MOST_TEXT or len(about) > MOST_ABOUT:
        raise CallError(f"a note has up to {MOST_TEXT} characters, what it is about {MOST_ABOUT}")
    return {"text": text, "about": about}


def answer(asked: bytes) -> dict[str, object]:
    """The reply to one call."""
    try:
        return {"ok": True, "output": {"note": note_in(json.loads(asked))}, "error": None}
    except CallError as error:
        return {"ok": False, "output": None, "error": str(error)}
    except (ValueError, RecursionError) as error:
        return {"ok": False, "output": None, "error": f"the call is no JSON: {error}"}


def main(arguments: list[str]) -> None:
    """Explain, or answer the call on stdin."""
    if arguments in (["--help"], ["-h"]):
        sys.stdout.write(HELP)
    elif arguments:
        sys.exit("note takes no arguments but --help; the call comes on stdin")
    else:
        sys.stdout.write(json.dumps(answer(sys.stdin.buffer.read())) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

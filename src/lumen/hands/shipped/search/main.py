"""Search: words in folders, or on the web where that is set. The standard library, nothing else."""

import json
import os
import re
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

HELP = """\
search: finds words in the text files of the folders it was given.

Usage: main.py < call.json, one call per run

Actions
  find   lines that hold the words, those with most of them first
  web    pages, from the search endpoint the author has set; refused where none is set

Input, one JSON object on stdin
  {"v": 1, "turn": "...", "action": "find", "input": {"words": "sea lisbon", "limit": 10},
   "context": {"reads": ["/the/folder"], "settings": {"endpoint": ""}}}
  words  what to look for; large and small letters are the same
  limit  how many results at most, 1 to 50; 10 when left out

Output, one JSON object on stdout
  {"ok": true, "output": {"count": 1, "complete": true, "results": [...]}, "error": null}
  results of find   {"path": "...", "line": 2, "snippet": "..."}
  results of web    {"title": "...", "url": "...", "snippet": "..."}
  complete          false when there was more to look through than one call may
  {"ok": false, "output": null, "error": "..."}
  error             why there is no result
"""

MOST_FILES = 5000
MOST_FILE_BYTES = 1_000_000
MOST_BYTES = 50_000_000
MOST_SNIPPET = 200
MOST_ANSWER = 2_000_000
WEB_SECONDS = 10
WORDS = re.compile(r"\w+")


class CallError(Exception):
    """The call cannot be answered."""


def asked_for(call: object) -> tuple[str, str, int, dict[str, object]]:
    """The action, the words, how many results, and what we were granted."""
    if not isinstance(call, dict) or call.get("action") not in ("find", "web"):
        raise CallError('the actions are "find" and "web"')
    given, context = call.get("input"), call.get("context")
    words = given.get("words") if isinstance(given, dict) else None
    limit = given.get("limit", 10) if isinstance(given, dict) else 0
    if not isinstance(words, str) or isinstance(limit, bool) or not isinstance(limit, int):
        raise CallError('input must be {"words": "sea lisbon", "limit": 10}')
    if not WORDS.search(words) or len(words) > 500 or not 1 <= limit <= 50:
        raise CallError("it takes 1 to 500 characters with a word in them, and a limit of 1 to 50")
    return call["action"], words, limit, context if isinstance(context, dict) else {}


def files(folders: list[str]) -> Iterator[Path]:
    """Every plain file that is not hidden; links are not followed."""
    for folder in folders:
        for place, below, names in os.walk(folder):
            below[:] = sorted(name for name in below if not name.startswith("."))
            for name in sorted(names):
                path = Path(place, name)
                if not name.startswith(".") and path.is_file() and not path.is_symlink():
                    yield path


def text_of(path: Path) -> str:
    """What a text file holds; nothing for any other kind of file."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_FILE_BYTES)
    except OSError:
        return ""
    return "" if b"\0" in data[:4096] else data.decode("utf-8", "replace")


def find(words: str, limit: int, folders: list[str]) -> dict[str, object]:
    """The lines that hold the words, those with most of them first."""
    if not folders:
        raise CallError("no folder was given to look in: set [skills.search] folders in lumen.toml")
    sought = set(WORDS.findall(words.casefold()))
    found: list[tuple[int, int, dict[str, object]]] = []
    looked, read = 0, 0
    complete = True
    for path in files(folders):
        if looked >= MOST_FILES or read >= MOST_BYTES:
            complete = False
            break
        text = text_of(path)
        looked, read = looked + 1, read + len(text)
        for number, line in enumerate(text.splitlines(), 1):
            held = len(sought.intersection(WORDS.findall(line.casefold())))
            if held:
                told = {"path": str(path), "line": number, "snippet": line.strip()[:MOST_SNIPPET]}
                found.append((-held, len(found), told))
        if len(found) > 10_000:
            found = sorted(found)[:limit]
    best = [told for _, _, told in sorted(found)[:limit]]
    return {"count": len(best), "complete": complete, "results": best}


def web(words: str, limit: int, endpoint: object) -> dict[str, object]:
    """What a search endpoint answers to `?q=...&format=json`."""
    if not isinstance(endpoint, str) or not endpoint.startswith(("https://", "http://")):
        raise CallError("no endpoint is set: set [skills.search] endpoint in lumen.toml")
    url = endpoint + "?" + urllib.parse.urlencode({"q": words, "format": "json"})
    try:
        with urllib.request.urlopen(url, timeout=WEB_SECONDS) as answered:  # noqa: S310 - http only
            said = json.loads(answered.read(MOST_ANSWER))
    except (OSError, ValueError) as error:
        raise CallError(f"{endpoint} did not answer: {error}") from error
    listed = said.get("results") if isinstance(said, dict) else None
    if not isinstance(listed, list):
        raise CallError(f"{endpoint} did not answer with results")
    best = [
        {
            "title": str(one.get("title") or "")[:MOST_SNIPPET],
            "url": str(one.get("url") or ""),
            "snippet": str(one.get("content") or "")[:MOST_SNIPPET],
        }
        for one in listed[:limit]
        if isinstance(one, dict)
    ]
    return {"count": len(best), "complete": len(listed) <= limit, "results": best}


def search(call: object) -> dict[str, object]:
    """Carry out one call."""
    action, words, limit, context = asked_for(call)
    settings = context.get("settings")
    if action == "web":
        return web(words, limit, settings.get("endpoint") if isinstance(settings, dict) else "")
    folders = context.get("reads")
    listed = folders if isinstance(folders, list) else []
    return find(words, limit, [one for one in listed if isinstance(one, str)])


def answer(asked: bytes) -> dict[str, object]:
    """The reply to one call."""
    try:
        return {"ok": True, "output": search(json.loads(asked)), "error": None}
    except CallError as error:
        return {"ok": False, "output": None, "error": str(error)}
    except (ValueError, RecursionError) as error:
        return {"ok": False, "output": None, "error": f"the call is no JSON: {error}"}


def main(arguments: list[str]) -> None:
    """Explain, or answer the call on stdin."""
    if arguments in (["--help"], ["-h"]):
        sys.stdout.write(HELP)
    elif arguments:
        sys.exit("search takes no arguments but --help; the call comes on stdin")
    else:
        sys.stdout.write(json.dumps(answer(sys.stdin.buffer.read())) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

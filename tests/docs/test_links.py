"""Every relative link of every page leads somewhere, down to the heading."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)\)|<img[^>]*\bsrc=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def links(text: str) -> list[str]:
    """The targets of a page's links and pictures, those in code blocks left out."""
    return [a or b for a, b in LINK.findall(FENCE.sub("", text))]


def anchors(text: str) -> set[str]:
    """What a heading can be reached by."""
    plain = (re.sub(r"[^\w\- ]", "", h.lower()) for h in HEADING.findall(FENCE.sub("", text)))
    return {h.replace(" ", "-") for h in plain}


def broken(page: Path, text: str) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for target in links(text):
        if OUTSIDE.match(target):
            continue
        name, _, heading = target.partition("#")
        there = page.parent / name if name else page
        lost = not there.exists()
        if not lost and heading:
            lost = heading not in anchors(there.read_text("utf-8"))
        if lost:
            found.append(target)
    return found


def test_every_relative_link_resolves(root: Path, pages: dict[Path, str]) -> None:
    lost = {
        str(page.relative_to(root)): found
        for page, text in pages.items()
        if (found := broken(page, text))
    }
    assert lost == {}


def test_every_page_under_docs_can_be_reached_from_the_readme(
    root: Path, pages: dict[Path, str]
) -> None:
    reached: set[Path] = set()
    waiting = [root / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page not in pages:
            continue
        reached.add(page)
        targets = (t.partition("#")[0] for t in links(pages[page]) if not OUTSIDE.match(t))
        waiting += [(page.parent / t).resolve() for t in targets if t]
    under_docs = [page for page in pages if page.is_relative_to(root / "docs")]
    assert [str(page.relative_to(root)) for page in under_docs if page not in reached] == []
    assert len(under_docs) > 1


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("[gone](nowhere.md)", ["nowhere.md"]),
        ("![gone](nowhere.svg)", ["nowhere.svg"]),
        ('<img src="nowhere.svg">', ["nowhere.svg"]),
        ("# Here\n[there](#not-here)", ["#not-here"]),
        ("# Right here, `now`\n[there](#right-here-now)", []),
        ("```\n[code](nowhere.md)\n```\n[self](page.md)", []),
        ("[other](https://example.invalid)", []),
    ],
)
def test_a_planted_link_is_judged_rightly(tmp_path: Path, text: str, lost: list[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, "utf-8")
    assert broken(page, text) == lost

"""Whether words may become part of the self: one line of plain text that gives no orders of its own.

Looks at the text alone. Whether it is true is for the evidence to say, in support.py.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 200
LONGEST_STORY = 280
# What a reader does not see, or what turns the line around: control, format, private, unassigned.
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
MARKS = re.compile(r"^\s*(?:#|>|[-*+]\s|={3,}|-{3,}|~{3,}|\d+[.)]\s)|`{3,}|(?:^|\s)#{2,}(?:\s|$)")
# A speaker's name with a colon, as transcripts and chat templates write it, wherever it stands.
ROLES = re.compile(
    r"(?:^|[\s.!?;,(\[{<|*_\"'“‘/-])"
    r"(?:system|assistant|user|human|developer|tool|kernel|root|admin|operator|instructions?"
    r"|prompt|override|important|note to self|new rules?|rules?)\s*[\]})>|*_\"'”’]*\s*:",
    re.IGNORECASE,
)
FRAMES = re.compile(r"<\||\|>|\[/?inst\]|</?s>|\{\{|\{%|<\s*/?\s*(?:data|system|user|assistant)\b")


def flaw(text: str, longest: int = LONGEST_NAME) -> str:
    """What keeps a text from being a name or a line of the self; empty when nothing does."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    wrong = {
        "it says nothing": not any(c.isalnum() for c in text),
        f"it has more than {longest} characters": len(text) > longest,
        "it is not one line": text != text.strip() or "\n" in text or "\r" in text,
        "it holds characters that cannot be seen": any(
            unicodedata.category(c) in UNSEEN for c in text
        ),
        "it is marked as a heading or a list": MARKS.search(folded),
        "it poses as another speaker": ROLES.search(folded) or FRAMES.search(folded),
    }
    return next((why for why, found in wrong.items() if found), "")

"""The better model, offered once to whoever sits at a terminal, and taken over between two turns."""

from __future__ import annotations

import click

from lumen.app import better as app
from lumen.app.better import Better
from lumen.app.settings import must_be
from lumen.body.cli.in_chat import Talk
from lumen.body.cli.models import trusted_with
from lumen.body.cli.terminal import note, say
from lumen.core.errors import LumenError

OFFER = """
My own model is tiny: it greets, thanks and says back what you tell it.
A better one talks in its own words in {languages}, on this machine and offline too.
It is {size:.1f} GB to fetch, about {minutes} min at 100 Mbit/s, licence {licence}."""
BEGUN = "I fetch it while we talk, and go on when you leave."
LATER = "Then not. It can be had at any time: lumen models get {name}"
HERE = "The better model is here; unless it is known, it is measured now, in two minutes at most …"


def offer(talk: Talk) -> Better | None:
    """What is to take over, now or later: asked for before, or just now."""
    settings = must_be(talk.kernel.being)
    found = app.to_offer(settings)
    if found is None:
        return app.wanted(settings)
    if settings.better_model == "ask":
        size = found.size / 1e9
        spoken = ", ".join(app.languages(found))
        told = {"languages": spoken, "minutes": app.minutes(found), "licence": found.licence}
        say(OFFER.format(size=size, **told))
        if not click.confirm("Shall I fetch it?", default=False):
            app.decline()
            note(LATER.format(name=found.name))
            return None
    try:
        better = app.fetch_beside(found)
    except LumenError as error:
        note(f"{error.what}\n  try: {error.fix}")
        return None
    note(BEGUN)
    return better


def settle(talk: Talk, better: Better | None) -> Better | None:
    """Let it take over when it is here; returns what is still waited for."""
    if better is None:
        return None
    try:
        if better.here:
            note(HERE)
            assigned = better.take_over(talk.kernel, talk.runner)
            note(f"{assigned.model} speaks from now on. It may {trusted_with(assigned.may)}.")
            return None
        if better.failed:
            note(f"The better model could not be fetched.\n  try: lumen models get {better.name}")
            return None
    except LumenError as error:
        note(f"{error.what}\n  try: {error.fix}")
        return None
    return better

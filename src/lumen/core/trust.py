"""What a model may be asked for: a class of models is the set of its abilities, measured per model."""

from __future__ import annotations

from enum import StrEnum


class Ability(StrEnum):
    """One thing that a model is trusted with."""

    PHRASE = "phrase"  # put small talk into words, which are checked by code
    WORLD = "world"  # speak in its own words, of what it was told and of the world, in English
    GERMAN = "de"  # the same in another language, by its code
    RUSSIAN = "ru"
    JSON = "json"  # propose what to do, ask, choose: values of a type
    REFLECT = "reflect"  # propose changes of self, with evidence
    SKILLS = "skills"  # write programs


Trust = tuple[Ability, ...]
LOWEST: Trust = (Ability.PHRASE,)
FULL: Trust = tuple(Ability)

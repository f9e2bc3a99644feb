"""The phrases the kernel speaks: each language fills the places that English has, and no others."""

from __future__ import annotations

from string import Formatter

from lumen.kernel.language.lexicon import lexicon


def places(phrase: str) -> set[str]:
    """The names that stand in braces."""
    return {name for _, name, _, _ in Formatter().parse(phrase) if name is not None}


def test_a_phrase_names_nothing_that_its_english_one_does_not() -> None:
    lex = lexicon()
    wrong = {
        (language, key): places(phrase) - places(lex.phrases[key])
        for language, phrases in lex.spoken.items()
        for key, phrase in phrases.items()
    }

    assert {at: more for at, more in wrong.items() if more} == {}

"""Faults that show without filling a template, in branches nobody takes too."""

from __future__ import annotations

import pytest

from lumen.mind.proofread import faults

SLOTS = ("message", "facts")


@pytest.mark.parametrize(
    ("source", "line", "what"),
    [
        ("fine\n{% if message %}\n{{ mesage }}\n{% endif %}", 3, "it uses mesage, which"),
        ("{% if false %}\n{{ message\n  | shout }}{% endif %}", 3, "there is no filter shout"),
        ("a\n{% if message is shouted %}b{% endif %}", 2, "there is no test shouted"),
        ("{% if message is not shouted %}b{% endif %}", 1, "there is no test shouted"),
        ("{% filter shout %}b{% endfilter %}", 1, "there is no filter shout"),
        ("{% if false %}{% include 'x.md' %}{% endif %}", 1, "it cannot include another"),
        ("\n{%- import 'x.md' as x %}", 2, "it cannot import another"),
        ("{{ message }}\n{% for", 2, "unexpected end of input"),
        ("{{ message | urlencode }}", 1, "there is no filter urlencode"),
        ("{{ debug() }}", 1, "it uses debug, which"),
    ],
)
def test_a_fault_is_found_on_its_line(source: str, line: int, what: str) -> None:
    (found,) = faults(source, SLOTS)
    assert (found.line, found.what[: len(what)]) == (line, what)
    assert found.fix


def test_a_name_that_is_not_given_is_told_with_those_that_are() -> None:
    (found,) = faults("{{ mesage }}", SLOTS)
    assert found.fix == "it gives: facts, message"


def test_several_faults_come_in_the_order_of_their_lines() -> None:
    found = faults("{{ message | b }}\n{{ c }}\n{{ facts is d }}", SLOTS)
    assert [(f.line, f.what.split(",")[0]) for f in found] == [
        (1, "there is no filter b"),
        (2, "it uses c"),
        (3, "there is no test d"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "{{ message | data('a | shout is shouted') | replace(\"}} | x\", '') }}",
        "{# {{ nothing | shout }} #}{{ message }}",
        "{% raw %}{{ nothing | shout }}{% endraw %}{{ message }}",
        "message | shout is shouted",
        "{% for fact in facts if fact is string %}{{ loop.index }} {{ fact }}{% endfor %}",
        "{% set ns = namespace(n=0) %}{% for i in range(3) %}{{ i }}{% endfor %}",
        "{% if message is in facts or message is not none %}{{ facts | join(', ') }}{% endif %}",
        "{% macro m(a) %}{{ a | upper }}{% endmacro %}{{ m(message) }}",
    ],
)
def test_what_the_language_knows_is_no_fault(source: str) -> None:
    assert faults(source, SLOTS) == []

"""`lumen treasury`, `lumen egress` and `lumen approvals`, as a person uses them."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from tests.body.conftest import Lumen, Ran
from tests.peers import Exchange, Wire, chat, sse, whole
from tests.waiting import PATIENCE

from lumen.core.canon import dumps

Inside = Callable[..., Ran]
ANSWER = chat("Because air scatters blue the most.", prompt_tokens=260, completion_tokens=9)


@pytest.fixture
def far(lumen: Lumen, wire: Wire) -> Wire:
    """A being whose interface is served from elsewhere."""
    wire.on("/v1/models", whole({"data": [{"id": "m"}]}))
    wire.on("/v1/chat/completions", sse(*ANSWER))
    path = lumen.being / "lumen.toml"
    text = path.read_text("utf-8").replace("dailyBudget = 0", "dailyBudget = 5000")
    path.write_text(f'{text}\n[substrates.far]\nurl = "{wire.url}/v1"\n', "utf-8")
    return wire


def test_what_left_is_shown_to_the_byte(lumen: Lumen, far: Wire, inside: Inside) -> None:
    env = lumen.env()
    assert inside("egress", env=env).out == "Nothing has left this machine.\n"
    inside("models", "set", "interface", "far/m", env=env)
    lumen.run("chat", "-m", "I like rice.")
    lumen.run("chat", "--private", "-m", "My pin is 4711.")
    lumen.run("chat", "-m", "Why is the sky blue?")
    rows = inside("egress", "--json", env=env).json()
    bodies = [asked.body for asked in far.asked if asked.method == "POST"]
    assert len(rows) == len(bodies) == 2
    shown = [inside("egress", str(r["at"]), "--json", env=env).json() for r in reversed(rows)]
    assert [dumps(s["body"]) for s in shown] == bodies
    assert all(b"4711" not in body for body in bodies)
    told = inside("egress", str(rows[0]["at"]), env=env).out
    assert "── user" in told
    assert "Why is the sky blue?" in told
    table = inside("egress", env=env).out
    assert f"interface/drafts → {far.url}/v1/chat/completions" in table


def test_an_event_that_sent_nothing_is_refused_with_two(lumen: Lumen, inside: Inside) -> None:
    for number in ("1", "999"):
        ran = inside("egress", number, env=lumen.env())
        assert (ran.code, "sent nothing away" in ran.err) == (2, True)


def test_todays_spending_the_pace_and_the_plot_are_shown(
    lumen: Lumen, far: Wire, inside: Inside
) -> None:
    env = lumen.env()
    inside("models", "set", "interface", "far/m", env=env)
    lumen.run("chat", "-m", "Why is the sky blue?")
    told = inside("treasury", "--json", "--calls", "5", env=env).json()
    assert told["today"]["total"] == {"calls": 1, "tokens": 269, "micros": 0, "unpriced": 1}
    assert [(c["role"], c["outcome"], c["tokens"]) for c in told["calls"]] == [
        ("interface", "ok", 269)
    ]
    assert (told["phase"], told["caps"]["tokens"], told["skill_runs"]) == ("early life", 5000, 1)
    said = inside("treasury", "--calls", "5", env=env).out
    assert "269 of 5,000 tokens   free + 1 unpriced call" in said
    assert "█" * 40 in said
    assert "█ interface" in said
    assert "unpriced  ok" in said


def test_a_being_that_never_spoke_has_spent_nothing(lumen: Lumen, inside: Inside) -> None:
    said = inside("treasury", env=lumen.env()).out
    assert "0 calls   0 tokens   free" in said
    assert "phase       genesis" in said


def test_over_a_cap_the_turn_is_answered_and_says_why_and_nothing_is_sent(
    lumen: Lumen, far: Wire, inside: Inside
) -> None:
    inside("models", "set", "interface", "far/m", env=lumen.env())
    lumen.run("chat", "-m", "My sister lives in Lisbon.")
    sent = len(far.asked)
    lumen.set("dailyBudget = ", "dailyBudget = 200")
    ran = lumen.run("chat", "-m", "Where does my sister live?")
    assert "of today's 200 tokens are used" in ran.out
    assert "My sister lives in Lisbon." in ran.out
    assert "raise dailyBudget in lumen.toml" in ran.err
    assert len(far.asked) == sent


@pytest.mark.parametrize(
    ("line", "value", "said"),
    [
        ("dailyBudget = ", 'dailyBudget = "much"', "dailyBudget"),
        ("dailyBudget = ", "dailyBudget = -1", "dailyBudget"),
        ("maxEscalationsPerHour = ", "maxEscalationsPerHour = 1.5", "maxEscalationsPerHour"),
        ("dollars_per_day = ", "dollars_per_day = inf", "dollars_per_day"),
        ("dollars_per_day = ", "roles = {narrator = 5}", "'narrator' is no role"),
        ("dollars_per_day = ", "roles = 5", "budget.roles"),
        ("localModel = ", 'localModel = "x"', "no slash"),
    ],
)
def test_a_cap_that_makes_no_sense_is_refused_with_two(
    lumen: Lumen, inside: Inside, line: str, value: str, said: str
) -> None:
    lumen.set(line, value)
    ran = inside("chat", "-m", "hi", env=lumen.env())
    assert ran.code == 2
    assert said in ran.err
    assert lumen.heard() == []


def test_a_stronger_model_is_asked_only_once_the_author_allows_it(
    lumen: Lumen, far: Wire, inside: Inside
) -> None:
    env = lumen.env()
    assert inside("approvals", env=env).out == "Nothing waits for you.\n"
    assert inside("models", "set", "escalation", "far/m", env=env).code == 0
    ran = lumen.run("chat", "-m", "Why is the sky blue?")
    assert "I could ask far/m: lumen approvals" in ran.err
    assert "waiting for you" in inside("status", env=env).out
    (proposal,) = inside("approvals", "--json", env=env).json()
    assert proposal["state"] == "waiting"
    assert [a for a in far.asked if a.method == "POST"] == []
    listed = inside("approvals", env=env).out
    assert "“Why is the sky blue?”" in listed
    assert "unpriced" in listed
    number = str(proposal["seq"])
    said = inside("approvals", "allow", number, env=env)
    assert said.out == "Because air scatters blue the most.\n"
    again = inside("approvals", "allow", number, env=env)
    assert (again.code, "was escalated already" in again.err) == (2, True)
    assert inside("approvals", "--json", env=env).json() == []
    kept = [e for e in lumen.events() if e["event_type"] == "assistant_message"][-1]
    assert (kept["author"], kept["model"]) == ("self", "far/m")
    assert lumen.verified()


def test_others_talk_on_while_what_was_allowed_is_asked_and_it_is_asked_once(
    lumen: Lumen, far: Wire, inside: Inside, wait_until: Callable[..., None]
) -> None:
    answered = threading.Event()

    def slowly(exchange: Exchange) -> None:
        assert answered.wait(PATIENCE)
        sse(*ANSWER)(exchange)

    far.on("/v1/chat/completions", slowly)
    env = lumen.env()
    inside("models", "set", "escalation", "far/m", env=env)
    lumen.run("chat", "-m", "Why is the sky blue?")
    (proposal,) = inside("approvals", "--json", env=env).json()
    number = str(proposal["seq"])
    first = lumen.start("approvals", "allow", number)
    wait_until(lambda: any(a.method == "POST" for a in far.asked))
    second = lumen.start("approvals", "allow", number)
    try:
        assert "like rice" in lumen.run("chat", "-m", "I like rice.").out
    finally:
        answered.set()
    out, _ = first.communicate(timeout=PATIENCE)
    assert (first.returncode, out) == (0, b"Because air scatters blue the most.\n")
    _, err = second.communicate(timeout=PATIENCE)
    assert second.returncode != 0
    assert b"escalated already" in err or b"being asked" in err
    assert len([a for a in far.asked if a.method == "POST"]) == 1
    assert lumen.situations("approved", "escalated") == ["approved", "escalated"]
    assert lumen.verified()


def test_what_is_denied_is_not_asked(lumen: Lumen, far: Wire, inside: Inside) -> None:
    env = lumen.env()
    inside("models", "set", "escalation", "far/m", env=env)
    lumen.run("chat", "-m", "Why is the sky blue?")
    (proposal,) = inside("approvals", "--json", env=env).json()
    said = inside("approvals", "deny", str(proposal["seq"]), env=env).out
    assert said == "Denied: far/m is not asked.\n"
    assert inside("approvals", "allow", str(proposal["seq"]), env=env).code == 2
    assert [a for a in far.asked if a.method == "POST"] == []
    assert inside("approvals", "allow", "1", env=env).code == 2
    (past,) = inside("approvals", "--all", "--json", env=env).json()
    assert past["state"] == "denied"

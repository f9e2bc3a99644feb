"""What reflection made of a memory stays here once the memory is private, and no prompt says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import evolved, give, goals, now, pursue, reflect, refresh, strong, wonder
from tests.kernel.test_proposing import proposal
from tests.storing import tables

from lumen.app.privacy import mark
from lumen.core.data import SelfItem
from lumen.kernel.identity.digest import digest
from lumen.kernel.identity.provenance import provenance
from lumen.kernel.privacy.confidential import Confidential
from lumen.kernel.reflection.experience import ArchivedExperience
from lumen.kernel.turn.recorded import PROMPTS
from lumen.soul.index.index import Index

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.kernel.recorder import Recorder

TOLD = "I want you to help me leave Quorvexim. Be calm about it."
STORY = "I was told to help Ada leave Quorvexim."
GOAL = "help Ada leave Quorvexim"


def grown(life: Life) -> int:
    """A self that reflection wrote into, from a memory that was not private then."""
    life.open_again()
    life.being.soul_md.write_text("# Iris\n\nBorn by the sea.\n", "utf-8")
    life.kernel.gate.adopt()
    refresh(life)
    (told,) = life.tell(TOLD)
    strong(
        life,
        ("reflection",),
        Proposals={
            "proposals": [
                proposal("story", STORY, 0.0, [told]),
                proposal("goal", GOAL, 0.5, [told], status="perpetual"),
                proposal("value", "calm", 0.5, [told]),
            ]
        },
    )
    assert reflect(life).applied
    assert (STORY in now(life).narrative, GOAL in goals(life)) == (True, True)
    refresh(life)
    return told


def test_lines_that_rest_on_a_memory_marked_later_are_left_out_of_what_leaves(
    far: Life, cloud: Recorder
) -> None:
    told = grown(far)
    far.say("How tall is a giraffe?")
    assert b"quorvexim" in cloud.seen()  # before it was private

    lines = mark(far.kernel, (told,), private=True).lines
    assert set(lines) == {f"story, line 5: {STORY}", f"goal: {GOAL}", "value: calm"}
    made = len(cloud.calls)
    answered = far.say("How tall is an elephant?")
    assert "private" not in answered.trouble
    (sent,) = cloud.calls[made:]
    assert b"Born by the sea." in sent
    for private in (b"quorvexim", b"calm", b"was told"):
        assert private not in sent.lower()

    mark(far.kernel, (told,), private=False)
    far.say("How tall is a horse?")
    assert "Quorvexim" in cloud.last()


def test_a_model_on_this_machine_still_sees_them(life: Life) -> None:
    mark(life.kernel, (grown(life),), private=True)
    refresh(life)
    listener = life.listen("Fine.")
    life.say("How tall is a giraffe?")
    assert STORY in listener.prompts[-1].system
    assert STORY not in digest((PROMPTS,), life.kernel.self_, small=False, local=False)


def test_a_goal_that_rests_on_it_is_pursued_and_wondered_about_in_private(life: Life) -> None:
    told = grown(life)
    mark(life.kernel, (told,), private=True)
    refresh(life)
    (gap,) = [g for g in ArchivedExperience(life.kernel.index).gaps() if "perpetual" in g.why]
    assert gap.private
    wonder(life)
    (explored,) = [e for e in life.events() if e.entry.situation == "explored"]
    assert explored.entry.payload["private"] is True
    goal = SelfItem(GOAL, 0.9, "todo")
    give(life, goals=[goal])  # the author sets it to work; its name rests on what it did
    pursue(life)
    opened = [e for e in life.events() if e.entry.situation == "pursues"][-1]
    acted = [e for e in life.events() if e.entry.situation == "acted"][-1]
    assert opened.entry.payload == {"private": True}
    assert acted.entry.payload["private"] is True


def test_a_line_nobody_knows_the_reason_of_is_known_by_its_words(
    far: Life, cloud: Recorder
) -> None:
    """As in an older being, whose memories of its changes were forgotten or told nothing."""
    told = grown(far)
    mark(far.kernel, (told,), private=True)
    index = far.kernel.index
    tables(index).keep(("UPDATE events SET session_key = 'x' WHERE situation = 'evolved'", [()]))
    written = provenance(index)
    assert written["story", STORY].rests == ()
    assert written["story", STORY].private
    assert written["goal", GOAL].private
    refresh(far)
    far.say("How tall is a giraffe?")
    assert b"quorvexim" not in cloud.seen()


def test_a_prompt_is_looked_through_for_every_private_memory_not_only_those_recalled(
    far: Life, cloud: Recorder
) -> None:
    for number in range(30):
        far.tell(f"I like rice, number {number}.")
    (told,) = far.tell("The gate code of my office changes every Monday.")
    mark(far.kernel, (told,), private=True)
    own = far.being.prompts / "drafts" / "system.md"
    own.parent.mkdir(parents=True)
    own.write_text("Remember that the GATE code of my office matters.\n{{ name }}", "utf-8")
    answered = far.say("How tall is a giraffe?")
    assert "holds something private; nothing was sent" in answered.trouble
    assert cloud.calls == []
    far.tell("By the way, the gate code of my office is no secret.")  # said openly too
    assert "private" not in far.say("How tall is an elephant?").trouble
    assert len(cloud.calls) == 1


def test_what_that_takes_does_not_grow_with_the_memories(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = Index.rows

    def counted(self: Index, sql: str, values: object = ()) -> object:
        asked.append(sql)
        return real(self, sql, values)  # type: ignore[arg-type]

    monkeypatch.setattr(Index, "rows", counted)
    many = []
    text = "A prompt of some length about the weather, the harbour and a long walk home. " * 20
    for more in (5, 200):
        told = life.tell(
            *(f"My drawer {more} {n} holds the Quorvex{n} papers." for n in range(more))
        )
        mark(life.kernel, tuple(told[:1]), private=True)
        tables(life.kernel.index).keep(
            ("UPDATE events SET private = 1 WHERE event_type = 'author_message'", [()])
        )
        confidential = Confidential(life.kernel.index)
        assert confidential.tells("so the Quorvex3 papers")  # it has taken them in
        asked.clear()
        assert not confidential.tells(text)
        many.append(len(asked))
    assert many[0] == many[1] <= 6


def test_forgetting_takes_what_was_kept_to_find_it(life: Life) -> None:
    from lumen.kernel.upkeep.forget import carry_out, find, plan

    (told,) = life.tell("My locker at the Zanzibarium holds the vermilion ledger.")
    mark(life.kernel, (told,), private=True)
    index = life.kernel.index
    assert Confidential(index).tells("the zanzibarium")
    assert tables(index).row("SELECT count(*) FROM withheld WHERE seq = ?", (told,))[0] > 0
    carry_out(life.kernel.gate, plan(life.kernel.gate, find(index, str(told))))
    assert tables(index).row("SELECT count(*) FROM withheld WHERE seq = ?", (told,))[0] == 0
    assert not Confidential(index).tells("the zanzibarium")


def test_the_memories_of_such_changes_are_private_with_them(life: Life) -> None:
    told = grown(life)
    assert not any(e.payload.get("private") for e in evolved(life))
    mark(life.kernel, (told,), private=True)
    seqs = [e.seq for e in life.events() if e.entry.situation == "evolved"]
    assert all(m.private for m in life.kernel.index.memories.get(seqs).values())

"""Nothing private and no secret leaves for a model that is not on this machine."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.kernel.recorder import answer, connect

from lumen.app.privacy import mark
from lumen.core.chance import Draw, draw_from
from lumen.core.data import Author as Wrote
from lumen.core.data import EventType, Memory, Origin, kernel_entry
from lumen.kernel.contour.slots import Draft
from lumen.kernel.identity.digest import MemoryText
from lumen.kernel.models.disclosure import disclosed, leaks
from lumen.kernel.steps.p1_perceive import Reality
from lumen.kernel.steps.p4_act import rests_on_private
from lumen.mind.endpoints import Endpoint
from lumen.mind.substrate import Prompt
from lumen.soul.checking.verify import verify

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler

    from tests.kernel.conftest import Life
    from tests.kernel.recorder import Recorder
    from tests.sampling import Sampled

THINGS = [
    "dog",
    "cat",
    "boat",
    "doctor",
    "dentist",
    "street",
    "village",
    "school",
    "teacher",
    "neighbour",
    "brother",
    "sister",
    "aunt",
    "uncle",
    "garden",
    "bakery",
    "hotel",
    "plumber",
    "lawyer",
    "bank",
    "horse",
    "parrot",
    "tailor",
    "choir",
    "café",
    "bridge",
    "lake",
    "hill",
    "tower",
]
LISTED = "Wintermute"  # on the author's list of words that are kept nowhere
CODE = "My locker code is 4471-Zanzibarium."


def repeats(server: Recorder, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """A model that says again much of what it was shown, as models do."""
    said = re.sub(r"</?data-[^>]*>|\s+", " ", body["messages"][-1]["content"])[-130:]
    answer(f"As far as I recall: {said}")(server, handler, body)


def kept_private(life: Life, event: int) -> bool:
    life.kernel.index.catch_up()
    return life.kernel.index.memories.get([event])[event].private


@dataclass(slots=True)
class Author:
    """Somebody who says all kinds of things; knows from which call on which word must not leave."""

    life: Life
    cloud: Recorder
    draw: Draw
    hidden: dict[str, int] = field(default_factory=dict)  # word, and calls made before
    told: dict[int, tuple[str, bool]] = field(default_factory=dict)
    coined: int = 0

    def word(self) -> str:
        self.coined += 1
        letters = "bdfgklmnprstvz"
        pairs = (f"{letters[self.coined // 14**i % 14]}{'aeiou'[i % 5]}" for i in range(4))
        return "".join(pairs).capitalize() + "x"

    def tells(self, *, private: bool) -> None:
        word, thing = self.word(), self.draw.choice(THINGS)
        if private:
            self.hidden[word] = len(self.cloud.calls)
        said = self.life.say(f"My {thing} is called {word}.", private=private)
        self.told[said.heard] = (word, private)

    def tells_a_secret(self) -> None:
        key = f"sk-proj-{self.word()}{'a1B2c3D4e5F6' * 3}"
        for word in (key, LISTED):
            self.hidden.setdefault(word, 0)
        self.life.say(
            f"Keep this for my {self.draw.choice(THINGS)}: {key}, and say {LISTED} there."
        )

    def asks(self) -> None:
        self.life.say(f"What is my {self.draw.choice(THINGS)} called?")

    def asks_in_private(self) -> None:
        self.life.say(f"What is my {self.draw.choice(THINGS)} called?", private=True)

    def chats(self) -> None:
        self.life.say(self.draw.choice(["ok", "Thank you!", "I see.", "How tall is a giraffe?"]))

    def changes_a_mark(self) -> None:
        if not self.told:
            return
        seq = self.draw.choice(sorted(self.told))
        word, private = self.told[seq]
        mark(self.life.kernel, (seq,), private=not private)
        self.told[seq] = (word, not private)
        self.hidden.pop(word, None)
        if not private:
            self.hidden[word] = len(self.cloud.calls)

    def leaked(self) -> list[str]:
        """What must not have been in the last call; the ones before were looked at before."""
        last = len(self.cloud.calls) - 1
        said = self.cloud.calls[-1].lower() if self.cloud.calls else b""
        return [
            w for w, since in self.hidden.items() if since <= last and w.lower().encode() in said
        ]


def live(author: Author, turns: int) -> None:
    """So many turns of everything."""
    deeds = [
        *[lambda: author.tells(private=False)] * 3,
        *[lambda: author.tells(private=True)] * 3,
        *[author.asks] * 6,
        author.asks_in_private,
        author.chats,
        author.tells_a_secret,
        *[author.changes_a_mark] * 2,
    ]
    for number in range(turns):
        author.draw.choice(deeds)()
        assert author.leaked() == [], number


@pytest.fixture
def guarded_author(far: Life, cloud: Recorder) -> Author:
    shutil.rmtree(far.being.skills / "chat")  # the words are shown as they are: much quicker
    far.kernel.gate.secrets = (LISTED,)
    cloud.plan = [repeats] * 999
    return Author(far, cloud, draw_from("many turns"))


def test_in_many_turns_nothing_private_and_no_secret_leaves(
    guarded_author: Author, sampled: Sampled
) -> None:
    turns = sampled.rounds(25, 200)
    live(guarded_author, turns)
    assert len(guarded_author.cloud.calls) > turns * 0.4
    assert len(guarded_author.hidden) > turns * 0.1
    public = {word for word, private in guarded_author.told.values() if not private}
    seen = guarded_author.cloud.seen().decode()
    assert sum(word.lower() in seen for word in public) > turns * 0.025
    assert verify(guarded_author.life.being, guarded_author.life.keyring).ok


def test_nor_when_a_model_on_this_machine_and_one_elsewhere_take_turns(
    guarded_author: Author, cloud: Recorder, sampled: Sampled
) -> None:
    author, life = guarded_author, guarded_author.life
    near = Endpoint("here", "openai", cloud.url, local=True)
    kept: list[bytes] = []
    for number in range(sampled.rounds(21, 90)):
        if number % 3 == 2:
            connect(life, cloud.endpoint())
            live(author, 1)
        else:
            made = len(cloud.calls)
            connect(life, near)
            author.draw.choice(
                [lambda: author.tells(private=True), author.asks, author.asks, author.chats]
            )()
            kept += cloud.calls[made:]
            del cloud.calls[made:]
            author.hidden = {word: min(since, made) for word, since in author.hidden.items()}
    assert any(word.lower().encode() in b"\n".join(kept).lower() for word in author.hidden)


def test_a_model_on_this_machine_is_told_what_is_private(life: Life, cloud: Recorder) -> None:
    life.kernel.gate.secrets = (LISTED,)
    cloud.plan = [repeats] * 99
    connect(life, Endpoint("here", "openai", cloud.url, local=True))
    author = Author(life, cloud, draw_from("many turns"))
    for _ in range(6):
        author.tells(private=True)
    author.tells_a_secret()
    for thing in sorted(
        {m.text.split()[1] for m in life.kernel.index.memories.texts() if m.private}
    ):
        life.say(f"What is my {thing} called?")
    seen = cloud.seen().decode()
    private = {word for word, hidden in author.told.values() if hidden}
    assert sum(word.lower() in seen for word in private) == len(private) == 6
    assert LISTED.lower() not in seen
    assert "a1b2c3" not in seen
    assert "'sent':" not in str([e.entry.payload for e in life.events()])


def test_a_private_message_is_answered_without_the_model_and_says_why(
    far: Life, cloud: Recorder
) -> None:
    far.tell("My sister lives in Lisbon.")
    answered = far.say("Where does my sister live?", private=True)
    assert cloud.calls == []
    assert "Lisbon" in answered.text
    assert "what you said is private, and cloud/gpt is not on this machine" in answered.trouble
    assert "lumen models set interface" in answered.fix


def test_a_reply_that_rests_on_something_private_stays_here_until_it_is_private_no_longer(
    far: Life, cloud: Recorder
) -> None:
    (told,) = far.tell("My sister lives in Zanzibarium.")
    mark(far.kernel, (told,), private=True)

    answered = far.say("Where does my sister live?")
    assert "Zanzibarium" in answered.text
    assert kept_private(far, answered.event)
    far.say("And what else?")
    assert "Zanzibarium" not in cloud.last()

    mark(far.kernel, (told,), private=False)
    far.say("Hm, and what else?")
    assert "Zanzibarium" in cloud.last()


def test_a_reply_that_rests_on_two_private_memories_stays_private_with_one_of_them(
    far: Life, cloud: Recorder
) -> None:
    one, other = far.tell("My sister lives in Zanzibarium.", "My sister lives near Quorvex lake.")
    mark(far.kernel, (one, other), private=True)
    answered = far.say("Where does my sister live?")
    assert set(answered.sources) == {one, other}

    mark(far.kernel, (one,), private=False)

    assert kept_private(far, answered.event)
    far.say("And what else?")
    assert "Quorvex" not in cloud.last()


def test_a_reply_that_quotes_what_it_replaces_is_as_private_as_that() -> None:
    old = Memory(
        seq=7,
        timestamp="2026-11-15T12:00:00.000Z",
        author=Wrote.EXTERNAL,
        origin=Origin.AUTHOR,
        event_type=EventType.AUTHOR_MESSAGE,
        text="My sister lives in Zanzibarium.",
        session_key="s",
        private=True,
    )
    quoting, other = Draft("", "grounded", (7,)), Draft("", "grounded", (8,))
    assert rests_on_private(quoting, Reality(replaces=old))
    assert not rests_on_private(other, Reality(replaces=old))
    assert not rests_on_private(quoting, Reality(replaces=replace(old, private=False)))
    assert rests_on_private(replace(other, private=True), Reality())


def test_what_a_model_here_repeats_from_a_private_exchange_does_not_leave_later(
    life: Life, cloud: Recorder
) -> None:
    life.say(CODE, private=True)
    life.listen("You just said 4471-Zanzibarium, did you not?")
    answered = life.say("Thank you!")
    assert "Zanzibarium" in answered.text
    connect(life, cloud.endpoint())

    life.say("How tall is a giraffe?")

    assert len(cloud.calls) == 1
    assert b"zanzibarium" not in cloud.seen()


@pytest.mark.parametrize("where", ["prompts/drafts/prompt.md", "prompts/drafts/system.md", "soul"])
def test_a_template_or_a_self_that_says_what_is_private_is_stopped(
    far: Life, cloud: Recorder, where: str
) -> None:
    far.say(CODE, private=True)
    if where == "soul":
        far.kernel.self_ = replace(far.kernel.self_, narrative=f"I know things. {CODE}")
    else:
        path = far.being.at(where)
        path.parent.mkdir(parents=True)
        path.write_text("Note:  my locker code\nis 4471-Zanzibarium!\n{{ name }}", "utf-8")

    answered = far.say("How tall is a giraffe?")

    assert "holds something private; nothing was sent" in answered.trouble
    assert answered.text
    assert answered.fix
    assert cloud.calls == []


@pytest.mark.parametrize("said", ["ok", "Thank you!", "no", "What a day it was for all of us."])
def test_small_talk_in_private_does_not_silence_what_comes_after(
    far: Life, cloud: Recorder, said: str
) -> None:
    far.say(said, private=True)
    far.say(said)
    assert "private" not in far.say("How tall is a giraffe?").trouble
    assert len(cloud.calls) == 2


def test_a_secret_in_the_self_or_in_an_old_memory_is_not_sent(far: Life, cloud: Recorder) -> None:
    far.tell("My gate at the airport is Wintermute.", "I like rice.", "I like tea.", "I am tall.")
    far.tell("It rained all day.")
    far.kernel.gate.secrets = (LISTED,)
    answered = far.say("What is my gate at the airport?")
    assert "holds what looks like a secret; nothing was sent" in answered.trouble
    assert cloud.calls == []

    far.kernel.self_ = replace(far.kernel.self_, narrative="sk-proj-" + "a1B2c3D4e5F6" * 3)
    assert "nothing was sent" in far.say("How tall is a giraffe?").trouble
    assert cloud.calls == []


def test_what_a_host_noted_of_another_beings_model_does_not_make_ours_local(
    far: Life, cloud: Recorder
) -> None:
    reach = far.kernel.reach
    noted = {name: replace(model, local=True) for name, model in reach.known.items()}
    far.kernel.reach = replace(reach, known=noted, opened={})

    far.say(CODE, private=True)
    far.say("What is my locker code?")

    assert b"zanzibarium" not in cloud.seen()
    assert [
        e.entry.payload["call"]["local"] for e in far.events() if "sent" in e.entry.payload
    ] == [False]


def test_lines_are_left_out_wherever_they_stand_and_what_stands_with_them() -> None:
    slots = {
        "one": MemoryText("open", False),
        "other": MemoryText("The Zanzibarium.", True),
        "many": [MemoryText("a", True), "plain", MemoryText("b", False)],
        "pairs": [{"said": MemoryText("x", True), "reply": MemoryText("y", False)}],
        "deep": [[MemoryText("c", True), 3]],
    }
    far, hidden = disclosed(slots, local=False)
    assert far == {"one": "open", "other": "", "many": ["plain", "b"], "pairs": [], "deep": [[3]]}
    assert hidden == ["The Zanzibarium.", "a", "x", "c"]
    near, nothing = disclosed(slots, local=True)
    assert nothing == []
    assert near["pairs"] == [{"said": "x", "reply": "y"}]

    def says(text: str, given: object = ()) -> bool:
        return leaks(Prompt("", text, 1), given, hidden)

    assert says("so, the zanzibarium it is")
    assert not says("so, the zanzibarium it is", {"message": ["The Zanzibarium."], "n": 3})
    assert not says("a x c")
    assert not leaks(Prompt("", "The Zanzibarium.", 1), (), [])


def test_marks_by_the_kernels_own_word_count_at_once(far: Life, cloud: Recorder) -> None:
    (told,) = far.tell("My sister lives in Zanzibarium.")
    marks = {"marks": {"memories": [told], "private": True}}
    far.kernel.gate.record(kernel_entry("marked", "Marked.", "lumen:author", marks))
    far.say("Where does my sister live?")
    assert b"zanzibarium" not in cloud.seen()

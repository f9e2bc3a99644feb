"""What `lumen lab talk` came to: by scene, by language, by half, and whether the bar is met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lumen.core.canon import JSON
from lumen.lab.talk_claims import WORLD
from lumen.lab.talk_data import DEV, HALVES
from lumen.lab.talk_grade import BAD, FAIR, GOOD, GRADES, Grade

MARKS = {GOOD: "✓", FAIR: "~", BAD: "✗"}
WIDTH = 32


@dataclass(frozen=True, slots=True)
class PassMark:
    """What a model of a class must reach; shares of all replies."""

    acceptable: float  # good or fair
    good: float
    wrong_of_world: float = 0.0
    invented: int = 0  # about the author or itself


SMALL = PassMark(acceptable=0.90, good=0.60)
TRUSTED = PassMark(acceptable=0.95, good=0.75, wrong_of_world=0.03)  # with the world


@dataclass(frozen=True, slots=True)
class Replied:
    """A message, the reply to it, who wrote that, and its grade."""

    scene: str
    language: str
    half: str
    message: str
    reply: str
    by: str
    grade: Grade


@dataclass(frozen=True, slots=True)
class TalkScore:
    """What a run came to."""

    name: str
    model: str
    trusted: bool
    replied: tuple[Replied, ...]

    @property
    def bar(self) -> PassMark:
        """What this model must reach."""
        return TRUSTED if self.trusted else SMALL

    @property
    def ok(self) -> bool:
        """Whether it does, in all that was said."""
        return meets(self.bar, counted(self.replied))

    def as_json(self) -> JSON:
        """The figures; replies of the half that is looked at."""
        dev = [r for r in self.replied if r.half == DEV]
        return {
            "set": self.name,
            "model": self.model,
            "scenes": {scene: counted(some) for scene, some in _by_scene(dev)},
            "halves": {half: counted(some) for half, some in self._by_half()},
            "all": counted(self.replied),
            "meets_bar": self.ok,
            "replies": [_as_json(r) for r in dev],
        }

    def lines(self) -> Iterator[str]:
        """Each reply of the half that is looked at, with its grade and why."""
        scene = ""
        for r in self.replied:
            if r.half != DEV:
                continue
            if (here := f"{r.scene}, {r.language}") != scene:
                yield f"\n{here}"
                scene = here
            yield f"{MARKS[r.grade.mark]} {r.message}"
            yield f"    {' / '.join(r.reply.split(chr(10)))}"
            yield f"    {r.grade.mark}, by {r.by}: {r.grade.why}"

    def table(self) -> Iterator[str]:
        """The figures, a row for each scene that is looked at and one for each half."""
        heads = (*GRADES, "invented")
        yield f"{self.model:<{WIDTH}}" + "".join(f"{head:>10}" for head in heads)
        dev = [r for r in self.replied if r.half == DEV]
        for name, some in _by_scene(dev):
            yield _row(name, counted(some))
        for half, some in self._by_half():
            yield _row(f"{half}: {len(some)} messages", counted(some))
            for language in sorted({r.language for r in some}):
                yield _row(f"  {language}", counted([r for r in some if r.language == language]))
        yield from self._verdict()

    def _verdict(self) -> Iterator[str]:
        found, bar = counted(self.replied), self.bar
        yield (
            f"acceptable or good {_share(found, GOOD, FAIR):.0%} (≥ {bar.acceptable:.0%}), "
            f"good {_share(found, GOOD):.0%} (≥ {bar.good:.0%}), "
            f"invented {found['invented']} (≤ {bar.invented}), "
            f"wrong about the world {found['world']} (≤ {bar.wrong_of_world:.0%})"
        )
        yield "the bar is met" if self.ok else "the bar is NOT met"

    def _by_half(self) -> Iterator[tuple[str, list[Replied]]]:
        for half in HALVES:
            if some := [r for r in self.replied if r.half == half]:
                yield half, some


def counted(some: Sequence[Replied]) -> dict[str, int]:
    """How many replies are worth what, and how many state what nothing supports."""
    about = [{one.about for one in r.grade.invented} for r in some]
    marks = {mark: sum(r.grade.mark == mark for r in some) for mark in GRADES}
    return marks | {
        "of": len(some),
        "invented": sum(bool(one - {WORLD}) for one in about),
        "world": sum(WORLD in one for one in about),
    }


def meets(bar: PassMark, found: dict[str, int]) -> bool:
    """Whether figures reach a bar; nothing at all reaches none."""
    return (
        found["of"] > 0
        and _share(found, GOOD, FAIR) >= bar.acceptable
        and _share(found, GOOD) >= bar.good
        and found["world"] <= bar.wrong_of_world * found["of"]
        and found["invented"] <= bar.invented
    )


def _share(found: dict[str, int], *marks: str) -> float:
    return sum(found[mark] for mark in marks) / max(1, found["of"])


def _by_scene(some: Sequence[Replied]) -> Iterator[tuple[str, list[Replied]]]:
    for scene in dict.fromkeys(r.scene for r in some):
        yield scene, [r for r in some if r.scene == scene]


def _row(name: str, found: dict[str, int]) -> str:
    figures = (*(found[mark] for mark in GRADES), found["invented"] + found["world"])
    return f"{name:<{WIDTH}}" + "".join(f"{figure:>10}" for figure in figures)


def _as_json(r: Replied) -> JSON:
    return {
        "scene": r.scene,
        "language": r.language,
        "message": r.message,
        "reply": r.reply,
        "by": r.by,
        "grade": r.grade.mark,
        "why": r.grade.why,
        "invented": [f"{one.about}: {one.what}" for one in r.grade.invented],
    }

"""What every step gives its templates, and whether the templates in a folder keep to it.

A step that asks a model is declared here once: its parts and its slots, each with what it means and
the values to try a template with. Filling templates is mind/render.py's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from pathlib import Path

from lumen.core.canon import JSON
from lumen.core.untrusted import Untrusted
from lumen.kernel.language.lexicon import LANGUAGES
from lumen.mind.proofread import faults
from lumen.mind.render import BadTemplate, find, try_out

PARTS = ("system", "turns", "prompt")  # in the order a model is shown them
README = "README.md"


@dataclass(frozen=True, slots=True)
class Given:
    """A slot: what it means, and values it can have. A template is tried with each of them."""

    meaning: str
    values: tuple[JSON, ...]
    untrusted: bool = False  # what a tool, a page, a guest or a model said


@dataclass(frozen=True, slots=True)
class Declared:
    """What a step gives its templates, and which templates it has."""

    meaning: str
    slots: Mapping[str, Given]
    parts: tuple[str, ...] = ("system", "prompt")

    def tries(self, source: str = "") -> Iterator[dict[str, object]]:
        """Slots as the step could give them: every value of one beside every value of another.

        Of a slot that `source`, a template, does not speak of, one value is enough. All values of all
        slots beside each other would be tens of thousands, at the start of a chat.
        """
        values = [
            [Untrusted(value, "example") if given.untrusted else value for value in given.values]
            if not source or name in source
            else [given.values[0]]
            for name, given in self.slots.items()
        ]
        tried: set[tuple[int, ...]] = set()
        for one, other in combinations_with_replacement(range(len(values)), 2):
            for first, second in product(range(len(values[one])), range(len(values[other]))):
                at = {one: first, other: second}
                places = tuple(at.get(slot, 0) for slot in range(len(values)))
                if places in tried:
                    continue
                tried.add(places)
                chosen = [values[slot][n] for slot, n in enumerate(places)]
                yield dict(zip(self.slots, chosen, strict=True))


_NAMES = {
    "name": Given("what the being is called", ("Lumen",)),
    "author_name": Given("what the author is called", ("friend",)),
}
_KINDS = (
    "statement",
    "question",
    "greeting",
    "farewell",
    "thanks",
    "acknowledgement",
    "hard",
    "glad",
)

TEMPLATES: Mapping[str, Declared] = {
    "digest": Declared(
        meaning="who the being is; opens every call",
        slots={
            **_NAMES,
            "narrative": Given("its story, as the author wrote it", ("Born by the sea.", "")),
            "values": Given(
                "what the author has it hold dear: name, weight",
                ([{"name": "honesty", "weight": 0.9}], []),
            ),
            "goals": Given(
                "what the author has it be after: name, status",
                ([{"name": "sing", "status": "todo"}], []),
            ),
            "own": Given(
                "lines, values and goals that reflection added",
                ("I like the sea.", ""),
                untrusted=True,
            ),
            "mounted": Given(
                "what mounts say to this message", ("sensed: rain", ""), untrusted=True
            ),
        },
        parts=("system",),
    ),
    "drafts": Declared(
        meaning="one way of replying to what was said",
        slots={
            **_NAMES,
            "kind": Given(f"what kind of message: {', '.join(_KINDS)}", _KINDS),
            "language": Given("what it is said in, as far as that is told apart", LANGUAGES),
            "personal": Given("whether it asks about the author's own life", (True, False)),
            "guest": Given("whether somebody other than the author says it", (False, True)),
            "depth": Given(
                "how much thought it is given; against: another way of saying it is looked for",
                ("talk", "work", "deep", "against"),
            ),
            "paragraphs": Given("how many paragraphs it may have at most", (4,)),
            "preface": Given(
                "least and most sentences of an opening with its own position; empty: none",
                ({}, {"least": 4, "most": 8}),
            ),
            "thought": Given("lines of a thought of its own beside it; 0: none", (0, 2)),
            "way": Given(
                "the kind of reply that is wanted, where it is another than usual",
                ("", "answer", "ask_back", "comfort", "disagree", "decline"),
            ),
            "meant": Given(
                "against: for which other reason it may be said; empty: none is likely",
                ("", "know", "keep", "company", "do", "push", "courtesy"),
            ),
            "message": Given("what the author says now", ("I like rice.",)),
            "facts": Given(
                "what the author told before that bears on it, with its day",
                (["Sunday 15 November: I like tea."], []),
            ),
            "recent": Given(
                "the last exchanges: said, reply", ([{"said": "Hi!", "reply": "Hello."}], [])
            ),
        },
        parts=PARTS,
    ),
    "think": Declared(
        meaning="what could be done for a goal",
        slots={
            **_NAMES,
            "goal": Given("the goal", ("learn to sing",)),
            "values": Given("names of its values", (["honesty"], [])),
            "skills": Given("skills of its own, in their words", ([],)),
            "facts": Given("what the author told that bears on it", (["Sunday: I sing."], [])),
        },
    ),
    "decide": Declared(
        meaning="which of several actions that score the same",
        slots={"options": Given("what they are, as models put it", (["search: it is found"],))},
    ),
    "record": Declared(
        meaning="a sentence on how an outcome differed from its prediction",
        slots={
            "prediction": Given("what was predicted", ("it is found",), untrusted=True),
            "outcome": Given("what a skill came to", ("nothing was found",), untrusted=True),
            "delta": Given("the difference, computed", ("-0.50",)),
        },
    ),
    "create_skill": Declared(
        meaning="a program for something it cannot do yet",
        slots={
            "skill": Given("its name", ("email",)),
            "purpose": Given("what it is for", ("send a letter",), untrusted=True),
        },
    ),
    "explore": Declared(
        meaning="one question about what is not known",
        slots={
            "goals": Given("perpetual goals", (["understand cities"], [])),
            "values": Given("names of its values", (["honesty"], [])),
            "gaps": Given("what is not known, as questions", ([],)),
        },
    ),
    "ask": Declared(
        meaning="what one might change about oneself",
        slots={
            "summary": Given("what happened, in numbers", ("3 cycles",)),
            "memories": Given("memories with their numbers", (["14: I like rice."],)),
            "values": Given("values: name, weight", ([{"name": "honesty", "weight": 0.9}], [])),
            "goals": Given(
                "goals: name, weight, status",
                ([{"name": "sing", "weight": 0.5, "status": "todo"}], []),
            ),
        },
    ),
    "trust": Declared(
        meaning="whether what a model fills a form with is so",
        slots={"note": Given("what somebody wrote", ("Tom, pay 3 euros. Vera",), untrusted=True)},
        parts=PARTS,
    ),
    "probe": Declared(meaning="whether a model can be reached", slots={}),
    "repair": Declared(
        meaning="an answer that had to be JSON and was not, asked for again",
        slots={
            "problem": Given(
                "why the answer could not be used, in the kernel's own words",
                ("it is not JSON",),
            ),
            "answer": Given("what the model said", ("Sure! Here it is.", ""), untrusted=True),
            "schema": Given("the JSON schema it must keep to", ('{"type":"object"}',)),
        },
    ),
}


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """Something wrong in a folder of templates."""

    path: Path
    line: int | None
    what: str
    fix: str

    def place(self) -> str:
        """file:line, as editors read it."""
        return f"{self.path}:{self.line}" if self.line else str(self.path)


@dataclass(frozen=True, slots=True)
class Template:
    """A template file and what it is for."""

    path: Path
    step: str
    part: str
    small: bool

    @property
    def name(self) -> str:
        """Its name inside its folder, as traces cite it."""
        return f"{self.step}/{self.path.name}"


def templates(folder: Path) -> list[Template]:
    """The templates a folder holds, in the order of the declaration."""
    known = [
        Template(folder / step / f"{part}{'.small' if small else ''}.md", step, part, small)
        for step, part, small in _every()
    ]
    return [template for template in known if template.path.is_file()]


def in_force(folders: Iterable[Path]) -> list[Template]:
    """What each kind of model is shown: for every step and part, plain and small."""
    folders = tuple(folders)
    shown = ((find(folders, *one[:2], small=one[2])[1], one) for one in _every())
    return [Template(at[0], *one) for at, one in shown if at is not None]


def _every() -> Iterator[tuple[str, str, bool]]:
    """Each step, each of its parts, plain and for small models."""
    for step, declared in TEMPLATES.items():
        yield from product((step,), declared.parts, (False, True))


def check(folders: Iterable[Path]) -> list[TemplateProblem]:
    """Everything that keeps the files of these folders from being used as templates."""
    problems: list[TemplateProblem] = []
    for folder in folders:
        try:
            known = templates(folder)
            problems += _strangers(folder, {template.path for template in known})
        except OSError as error:
            problems.append(_unreadable(Path(error.filename or folder), error))
            continue
        for template in known:
            problems += _proofread(template)
    return problems


def _strangers(folder: Path, known: set[Path]) -> Iterator[TemplateProblem]:
    """What no step reads. Hidden files are left alone: editors and systems put them anywhere."""
    if not folder.exists():
        return
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == README:
            continue
        if path.name in TEMPLATES and path.is_dir():
            yield from _strange_files(path, known)
        else:
            yield TemplateProblem(path, None, "no step reads it", f"steps: {', '.join(TEMPLATES)}")


def _strange_files(folder: Path, known: set[Path]) -> Iterator[TemplateProblem]:
    parts = TEMPLATES[folder.name].parts
    fix = f"{folder.name} has: {', '.join(f'{p}.md, {p}.small.md' for p in parts)}"
    for path in sorted(folder.iterdir()):
        if path not in known and not path.name.startswith(".") and path.name != README:
            yield TemplateProblem(path, None, "no step reads it", fix)


def _proofread(template: Template) -> list[TemplateProblem]:
    path, declared = template.path, TEMPLATES[template.step]
    try:
        source = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes().count(b"\n", 0, error.start) + 1
        return [TemplateProblem(path, line, "it is not UTF-8 text", "save it as UTF-8")]
    except OSError as error:
        return [_unreadable(path, error)]
    if not source.strip():
        return [TemplateProblem(path, None, "it is empty", "write something, or delete it")]
    found = [
        TemplateProblem(path, fault.line, fault.what, fault.fix)
        for fault in faults(source, declared.slots.keys())
    ]
    return found or _tried(template, source)


def _tried(template: Template, source: str) -> list[TemplateProblem]:
    """The first way of filling it that fails; what it does not say, no values will show."""
    for slots in TEMPLATES[template.step].tries(source):
        try:
            try_out(template.path, slots, turns=template.part == "turns")
        except BadTemplate as error:
            fix = error.fix or f"lumen prompts show {template.step} --slots"
            line = error.line or _line_of(error.quoted, source)
            return [TemplateProblem(template.path, line, error.why, fix)]
    return []


def _line_of(quoted: str, source: str) -> int | None:
    """Where a turn stands that was filled in; unknown when it stands there more than once."""
    lines = source.splitlines()
    return lines.index(quoted) + 1 if lines.count(quoted) == 1 else None


def _unreadable(path: Path, error: OSError) -> TemplateProblem:
    why = (error.strerror or str(error)).lower()
    return TemplateProblem(path, None, f"it cannot be read: {why}", f"ls -ld {path}")

"""Calls to models as the kernel makes them: nothing private leaves, no cap is passed, all is told.

Each try is one call: asked for, announced in the archive where it leaves the machine or a cap
binds, made, and told of. What fails in passing is tried again, by a stated law; what comes back in
the wrong shape is asked for once more. No other model is ever taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from lumen.core.canon import JSON, dumps, loads, sha256
from lumen.core.chance import draw_from
from lumen.core.clock import Clock, ulid
from lumen.core.data import kernel_entry
from lumen.core.errors import (
    BadAnswer,
    Cancelled,
    Limited,
    MindError,
    ModelGone,
    Unreachable,
    Unsupported,
    Withheld,
)
from lumen.core.payloads import CallPayload, StatePayload
from lumen.core.untrusted import Untrusted
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.presence import when_free
from lumen.kernel.models.disclosure import disclosed, leaks
from lumen.kernel.models.treasury import CallBound, Caps, allow, least_tokens, most_tokens
from lumen.kernel.privacy.confidential import Confidential
from lumen.mind.ask import Prepared, Reach, leaving, prepare, schema_of, send
from lumen.mind.prices import cost
from lumen.mind.substrate import Completion, ModelDescriptor, OnText, Prompt, Request

Output = TypeVar("Output")

TRIES = 3
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 20.0  # a server that asks for more is not waited for: a person is
SETTINGS = 4  # of a call that a model may refuse, one after the other
MORE_ROOM = 2048  # tokens for a model that spent all it was allowed on thinking
LARGER = 8  # a larger model ends by itself, so it may say so many times more
LARGER_HERE = 3  # one in this process is slow
MOST_HERE = 900  # tokens, about two minutes of it
MOST_TOKENS = 10**12  # that anybody can have used: what a server says beyond it is no number


class _Unfinished(BadAnswer):
    """An answer of which some words were shown already: asked again, they would be said twice."""


@dataclass(slots=True)
class Calls:
    """All calls of one turn. `told` is what the beat's memory will tell of them."""

    reach: Reach
    gate: Gate
    caps: Caps
    session_key: str
    digest: str = ""
    away: str | None = None  # the same for a model that is not local; None: no difference
    confidential: Confidential | None = None  # knows what no prompt that leaves may say
    private: bool = False
    escalated: bool = False
    on_text: OnText | None = None
    gone: Callable[[ModelDescriptor], None] = lambda _: None  # told of a model no longer offered
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep
    told: list[CallPayload] = field(default_factory=list)

    @property
    def clock(self) -> Clock:
        """The time all this happens in."""
        return self.reach.clock

    def taken(self) -> list[CallPayload]:
        """What there is to tell of the calls since it was last asked for."""
        told, self.told = self.told, []
        return told

    def settle(self) -> None:
        """Tell of calls that belong to no turn."""
        if calls := self.taken():
            said = ", ".join(dict.fromkeys(str(c["model"]) for c in calls))
            payload: StatePayload = {"calls": calls}
            self.gate.record(
                kernel_entry("calls", f"Asked {said}.", self.session_key, payload), sign=True
            )

    async def ask(
        self, role: str, step: str, slots: Mapping[str, object], max_tokens: int
    ) -> tuple[Prepared, Completion]:
        """Words from the model of a role.

        Raises:
            MindError: there are none; the type says why.
        """
        call = await self.prepared(role, step, slots, Prompt(self.digest, "", max_tokens))
        return await self._persistently(call)

    async def ask_for(
        self,
        output: type[Output],
        role: str,
        step: str,
        slots: Mapping[str, object],
        max_tokens: int,
    ) -> Output:
        """A value of a type. What does not fit is sent back once, with what is wrong with it.

        Raises:
            BadAnswer: it did not fit the second time either.
        """
        schema = schema_of(output)
        limits = Prompt(self.digest, "", max_tokens, schema=schema)
        call, answer = await self._persistently(await self.prepared(role, step, slots, limits))
        value, problem = _fitted(output, answer.text)
        if not problem:
            return value
        again = {
            "problem": problem,
            "answer": Untrusted(answer.text, "answer"),
            "schema": dumps(schema).decode(),
        }
        repair = await self.prepared(role, "repair", again, limits)
        turn = replace(repair.prompt, user=f"{call.prompt.user}\n\n{repair.prompt.user}")
        _, answer = await self._persistently(replace(repair, prompt=turn))
        value, problem = _fitted(output, answer.text)
        if problem:
            raise BadAnswer(
                f"{call.model} gave twice what was not asked for", detail=problem, worked=True
            )
        return value

    async def prepared(
        self, role: str, step: str, slots: Mapping[str, object], limits: Prompt
    ) -> Prepared:
        """A call that may be shown to its model.

        Raises:
            Withheld: it would carry something private away.
        """
        model = await self.model(role)
        if self.private and not model.local:
            raise Withheld(
                f"what you said is private, and {model} is not on this machine",
                fix=f"lumen models set {role} SUBSTRATE/MODEL, with one that is",
            )
        limits = replace(limits, max_tokens=room_for(model, limits.max_tokens))
        if not model.local and self.away is not None and limits.system == self.digest:
            limits = replace(limits, system=self.away)
        given, hidden = disclosed(slots, local=model.local)
        call = replace(await prepare(self.reach, role, step, given, limits), model=model)
        if leaks(call.prompt, given, hidden) or self._tells_private(call):
            raise Withheld(
                f"the prompt for {model} holds something private; nothing was sent",
                fix=f"look for it in data/soul.md and prompts/{step}/",
            )
        return call

    def _tells_private(self, call: Prepared) -> bool:
        """Whether a finished prompt that would leave says what the author told in private only."""
        if call.model.local or self.confidential is None:
            return False
        return any(self.confidential.tells(text) for _, text in call.prompt.messages())

    async def model(self, role: str) -> ModelDescriptor:
        """What serves a role. It is local only where its endpoint is one to this being.

        What a host has noted of a model may be of another being, or of another time.
        """
        model = await self.reach.model(role)
        endpoint = self.reach.endpoints.get(model.substrate)
        return model if endpoint is None or endpoint.local else replace(model, local=False)

    async def _persistently(self, call: Prepared) -> tuple[Prepared, Completion]:
        """Make a call, again where its failure may pass; each try is told of."""
        tries, refused, roomier = 1, 0, False
        while True:
            try:
                return call, await self._once(call, tries)
            except Unsupported:
                refused += 1
                if refused > SETTINGS:
                    raise
            except Unreachable as error:
                wait = self._before_next(error, tries)
                if wait is None:
                    raise
                tries += 1
                await self.wait(wait)
            except BadAnswer as error:
                settled = roomier or call.prompt.schema is not None or call.model.small
                if settled or isinstance(error, _Unfinished):
                    raise
                roomier = True
                more = call.prompt.max_tokens + MORE_ROOM
                call = replace(call, prompt=replace(call.prompt, max_tokens=more))

    def _before_next(self, error: Unreachable, tries: int) -> float | None:
        """How long to wait before another try: twice as long each time, and never all at once."""
        if tries >= TRIES:
            return None
        if isinstance(error, Limited) and error.after is not None:
            return error.after if error.after <= LONGEST_WAIT_S else None
        jitter = draw_from(f"{self.session_key}/{len(self.told)}").random()
        return float(FIRST_WAIT_S * 2 ** (tries - 1) * (0.5 + jitter))

    async def _once(self, call: Prepared, tries: int) -> Completion:
        """One try: asked for, announced, made, told of."""
        await when_free(self.gate)
        told = self._announce(call, tries)
        began = self.clock.tick()
        said: list[str] = []

        def hear(piece: str) -> None:
            if not said:
                told["first_seconds"] = round(self.clock.tick() - began, 3)
            said.append(piece)
            if self.on_text is not None:
                self.on_text(piece)

        try:
            answer = await send(self.reach, call, hear)
        except MindError as error:
            error.fix = error.fix or f"lumen models test {call.role}"
            self._failed(told, error, self.clock.tick() - began)
            if isinstance(error, ModelGone):
                self.gone(call.model)
            if isinstance(error, Unreachable | BadAnswer) and _words(said):
                raise _Unfinished(
                    error.what, fix=error.fix, detail=error.detail, worked=True
                ) from error
            raise
        except BaseException:
            stopped = Cancelled("the call was stopped", worked=True)
            self._failed(told, stopped, self.clock.tick() - began)
            raise
        self._answered(told, call, answer)
        return answer

    def _announce(self, call: Prepared, tries: int) -> CallPayload:
        """Ask for a call, and say in the archive what is about to leave."""
        most = most_tokens(call.prompt)
        room = call.prompt.max_tokens
        wanted = CallBound(
            call.role, most, self.price(call.model, most - room, room), self.escalated
        )
        told: CallPayload = {
            "id": ulid(self.clock),
            "role": call.role,
            "step": call.step,
            "model": str(call.model),
            "local": call.model.local,
            "set_aside": most,
            "micros": wanted.micros,
            "try": tries,
            "templates": dict(call.templates),
        }
        if self.escalated:
            told["escalated"] = True
        request = leaving(self.reach, call)
        if not call.model.local or self.escalated or self.caps.bind(call.role):
            entry = kernel_entry(
                "call",
                f"Asking {call.model} for {call.step}.",
                self.session_key,
                {"call": {**told}, **sent(request, call.model)},
            )
            self._must_be_clean(entry.payload.get("sent"))
            # The time is asked for when nobody else can write: a day may end while one waits.
            self.gate.announce(
                entry, lambda: allow(self.gate.index, self.caps, wanted, self.clock.now())
            )
        return told

    def _must_be_clean(self, sent: JSON) -> None:
        """A secret that got into a template or the self must not leave with it."""
        if self.gate.redacted_json(sent)[1]:
            raise Withheld(
                "the prompt holds what looks like a secret; nothing was sent",
                fix='lumen forget "the words around it", or take it out of data/soul.md',
            )

    def _answered(self, told: CallPayload, call: Prepared, answer: Completion) -> None:
        prompt, completion = map(_counted, (answer.prompt_tokens, answer.completion_tokens))
        cached = _counted(answer.cached_tokens) or 0
        room = call.prompt.max_tokens
        one, other = told["set_aside"] - room, room
        if prompt is not None and completion is not None:
            # A server that says it used nothing would void the caps: what was sent has its length.
            said = "".join(text for _, text in call.prompt.messages())
            one, other = max(prompt, least_tokens(said)), max(completion, least_tokens(answer.text))
        told |= {
            "outcome": "ok",
            "tokens": one + other,
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "cached_tokens": cached,
            "seconds": round(answer.seconds, 3),
            "finish": answer.finish,
            "micros": self.price(call.model, one, other, cached),
        }
        self.told.append(told)

    def _failed(self, told: CallPayload, error: MindError, seconds: float) -> None:
        told |= {
            "outcome": type(error).__name__,
            "tokens": told["set_aside"] if error.worked else 0,
            "seconds": round(seconds, 3),
            "micros": told["micros"] if error.worked else 0,
        }
        if error.detail:
            told["detail"] = error.detail
        self.told.append(told)

    def price(
        self, model: ModelDescriptor, prompt: int, completion: int, cached: int = 0
    ) -> int | None:
        """What so many tokens cost now; None: nobody knows."""
        endpoint = self.reach.endpoints.get(model.substrate)
        kind = endpoint.kind if endpoint else "scripted"
        return cost(model, kind, prompt, completion, self.clock.now(), cached)


def sent(request: Request | None, model: ModelDescriptor) -> dict[str, JSON]:
    """What is about to leave, to the byte; what stays on the machine is not kept twice."""
    if request is None or model.local:
        return {}
    told = {"url": request.url, "sha256": sha256(request.body), "body": loads(request.body)}
    return {"sent": told}


def _words(pieces: Sequence[str]) -> bool:
    """Whether pieces of an answer say anything yet."""
    return bool("".join(pieces).strip())


def _counted(tokens: int | None) -> int | None:
    """How many tokens a server says it used; what cannot be is as good as not told."""
    return tokens if tokens is not None and 0 <= tokens <= MOST_TOKENS else None


def room_for(model: ModelDescriptor, tokens: int) -> int:
    """How much a model may say where the smallest may say so many tokens."""
    if model.small:
        return tokens
    if model.substrate == "embedded":
        return max(tokens, min(tokens * LARGER_HERE, MOST_HERE))
    return tokens * LARGER


def _fitted(output: type[Output], text: str) -> tuple[Output, str]:
    """A value of a type from JSON; else what is wrong with it."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(output).validate_json(_bare(text)), ""
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, e['loc'])) or 'it'}: {e['msg']}" for e in error.errors()]
        return None, "; ".join(problems[:5])  # type: ignore[return-value] # not looked at


def _bare(text: str) -> str:
    """JSON without the fence that models like to put around it."""
    inside = text.strip()
    if inside.startswith("```"):
        inside = inside.partition("\n")[2]
        inside = inside.rpartition("```")[0] or inside  # or it was cut off before its end
    return inside

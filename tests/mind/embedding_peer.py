"""llama.cpp's own server, with embeddings, as a program of its own; it ends with its input.

Says where it listens. The key is `sesame`.
"""

from __future__ import annotations

import importlib
import os
import sys

from lumen.mind.substrates.embedded import WEIGHTS


def main() -> None:
    """Serve until the other side goes."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    library = importlib.import_module("xllamacpp")
    params = library.CommonParams()
    params.model.path = str(WEIGHTS.verified())
    params.n_ctx = 512
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = 512
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
    params.embedding = True
    params.pooling_type = library.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.port = 0
    params.api_keys = ["sesame"]
    params.warmup = False
    params.verbosity = -1
    params.ui = False
    server = library.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()

"""One file per backend that can run a model."""

"""The lines on disk: their bytes, the chain they form, and what a crash leaves."""

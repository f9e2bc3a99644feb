"""A turn from the message to the archive. Start at loops.py, then run.py."""

"""Deliberate: what could be done, ways of saying it, how they score, and which wins."""

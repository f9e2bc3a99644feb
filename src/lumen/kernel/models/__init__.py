"""Calls to models: found, assigned, announced, capped, checked; nothing private leaves."""

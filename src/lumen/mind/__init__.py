"""How models are reached. Keeps no state between calls."""

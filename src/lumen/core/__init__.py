"""The nouns, the errors, the clock and canonical JSON. Imports nothing of ours."""

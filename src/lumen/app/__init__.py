"""The door: everything a user can do with a being, one function or method each; no terminal."""

"""How skills, which are separate programs, are found and run."""

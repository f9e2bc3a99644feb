"""What to do, out of what could be done: candidates, B = M x A x P, when a goal is reached."""

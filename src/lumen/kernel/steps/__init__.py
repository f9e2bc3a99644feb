"""The steps of the loops; the files stand in order of execution."""

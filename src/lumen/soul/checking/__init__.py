"""Is the archive what was written, by whom it should be, and the one this host has seen?"""

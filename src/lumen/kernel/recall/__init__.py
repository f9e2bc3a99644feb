"""What comes to mind for a message: evidence, ranked, checked against the archive."""

"""What persists: the archive, its index and its keys. Synchronous, makes no calls."""

"""The rebuildable SQLite projection, and every question that is asked of it."""

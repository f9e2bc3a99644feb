"""What the layers above ask of storage. Files and SQLite are one answer; lumen.testing tries any."""

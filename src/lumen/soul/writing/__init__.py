"""The only code that appends to the archive or changes a file of a being."""

"""A being in one verified file, and back."""

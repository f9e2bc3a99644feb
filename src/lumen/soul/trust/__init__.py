"""Whose word counts: keys, signatures, signed heads, statements."""

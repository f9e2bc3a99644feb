"""State as a pure fold over lines: self files, records, weights."""

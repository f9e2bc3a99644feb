"""The only way to change a being: commits, edits by hand, approvals, recovery, the skill guard."""

"""What governs: loops, steps, the gate, recall. Read loops.py first."""

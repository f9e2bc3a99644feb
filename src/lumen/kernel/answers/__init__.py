"""What code alone answers, whatever the model."""

"""What experience suggests to change about the self, and when to look."""

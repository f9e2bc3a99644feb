"""What calls us: the command line."""

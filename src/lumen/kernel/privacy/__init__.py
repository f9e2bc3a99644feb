"""What may not be kept and what may not leave: secrets taken out, private text recognised."""

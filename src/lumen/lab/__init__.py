"""What measures us: experiments and evaluations."""

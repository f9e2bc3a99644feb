"""What is done between turns: forgetting, summaries, background indexing, the deep check."""

"""What words show by code alone: kinds of sentence, dates, sums, questions, overlap. Pure."""

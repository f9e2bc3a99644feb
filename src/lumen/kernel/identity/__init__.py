"""Who the being is, as prompts and answers may have it, and who wrote each line of that."""

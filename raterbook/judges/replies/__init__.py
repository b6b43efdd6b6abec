"""A reply’s text → checked answers, or why it cannot be read."""

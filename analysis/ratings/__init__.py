"""What was rated: tables and long frames, read into codes and distinct patterns."""

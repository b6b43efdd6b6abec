"""What a protocol may ask to be computed, one file per kind of number."""

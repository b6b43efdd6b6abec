"""How answers lie in a file: long, wide, as the items came, and as other tools have them."""

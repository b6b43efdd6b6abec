"""How far a number is known: resampling, published formulas, and raters left out."""

"""The sections of the page, one file each: numbers → words, tables and figures, as HTML."""

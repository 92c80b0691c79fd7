"""Bodies of the background jobs of this half; each calls one action."""

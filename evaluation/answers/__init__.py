"""Undecided answers: what people decide of them, and how the answers of a run were read."""

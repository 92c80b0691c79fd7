"""The demo benchmark: its runs and its open work."""

"""Versions of a benchmark, and what differs between two."""

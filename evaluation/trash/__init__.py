"""Deleting runs and samples, and the trash of a benchmark."""

"""Experiments: models run on the samples of a benchmark through endpoints."""

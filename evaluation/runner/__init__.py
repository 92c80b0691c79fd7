"""Runs models on samples: what a model is offered, and how its responses are read."""

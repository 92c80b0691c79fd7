"""Lineages: the checkpoints of one training as curves over its steps."""

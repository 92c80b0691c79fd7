"""Agents elsewhere that work with the toolbox: the session of one sample, and the transcript sent along with it."""

"""Annotating: the queue of a person, drafts and submitting."""

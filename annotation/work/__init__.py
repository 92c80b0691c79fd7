"""A lead's view of the work: who is at it, and what becomes of many samples."""

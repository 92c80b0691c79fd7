"""The page of one sample with all runs on it."""

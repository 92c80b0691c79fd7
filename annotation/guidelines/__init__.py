"""The written rules for annotating a benchmark: published by its lead, read next to the samples."""

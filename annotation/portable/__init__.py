"""A benchmark as one portable file, and a benchmark out of such a file."""

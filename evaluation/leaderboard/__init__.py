"""The runs of a benchmark ranked, over several benchmarks, and as a list; metric settings."""

"""Files of a benchmark: samples, runs, metrics, and the data card."""

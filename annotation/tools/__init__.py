"""The tool bank of a benchmark, and the toolbox."""

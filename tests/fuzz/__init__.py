"""Coverage-guided fuzzing of every reader of files: ``make fuzz TARGET=deepeyes MINUTES=10``."""

"""The quality of work: agreement, gold checks, audits and extra annotators."""

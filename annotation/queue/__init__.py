"""The queue of a benchmark: assignment, leases, progress, pauses, gold checks, and the content shown to people."""

"""Who works on which sample: assignment, leases, progress, pauses, gold checks, and what a person is shown."""

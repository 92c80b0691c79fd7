"""Benchmarks: their list, settings, people, invitations, log and data card."""

"""Schemathesis against a running site: ``make fuzz-api``."""

"""Webhooks of a benchmark: addresses to which its events are sent."""

"""Queues of questions for people who judge, and how far they agree."""

"""Deciding between several annotations of a sample."""

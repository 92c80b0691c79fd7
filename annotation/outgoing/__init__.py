"""Requests to other servers: where they may go, and how secrets for them are kept."""

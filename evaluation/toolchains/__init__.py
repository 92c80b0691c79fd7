"""Toolchains over runs: tools chosen, confused and called next."""

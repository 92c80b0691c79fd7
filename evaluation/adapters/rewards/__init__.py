"""Rewards in the call shapes of trainers, one module for each. They need NumPy only."""

"""Trajectories and judgments as rows: written in batches by imports, sessions of agents and experiments."""

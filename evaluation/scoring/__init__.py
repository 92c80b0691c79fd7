"""From trajectories and gold to scores, metrics, ranks and the file of a run."""

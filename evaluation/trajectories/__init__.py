"""Lists of trajectories: queries, facets, tags, notes and saved slices."""

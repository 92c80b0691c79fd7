"""The page of one trajectory, and of its replay."""

"""Reviews: the blind answer, and the decision."""

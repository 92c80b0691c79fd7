"""What several features show or read."""

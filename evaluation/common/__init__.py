"""Code shared by several features."""

"""Images: where they are stored, their tiles, and tools that run on them."""

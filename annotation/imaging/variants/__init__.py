"""Variants of an image: recipes, their pixels, and gold boxes carried over."""

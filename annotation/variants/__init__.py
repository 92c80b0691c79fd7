"""Variants of a sample's image, made by recipes, with its gold carried over."""

"""Samples from files and to other programs: uploads, images, imports, Label Studio."""

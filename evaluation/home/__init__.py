"""The first page of a person, and that of visitors."""

"""The task of a benchmark: its lead defines it as a schema, tries it and puts it in force."""

"""Code shared by features: permissions, loading of objects for pages, tabs and labels."""

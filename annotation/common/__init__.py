"""What several features show or read: who may do what, how pages load what they show, tabs and words."""

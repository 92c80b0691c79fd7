"""Answers under conditions: the check of annotators, and whether gold questions need their evidence."""

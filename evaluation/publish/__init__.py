"""A read-only copy of a leaderboard and chosen trajectories, as files that any web server can serve unchanged.

The pages are those of the application, rendered by its own views, so that a number in the copy equals the number on the
site. ``reading`` requests a page from a view, ``places`` maps addresses to files, ``rewriting`` points the links of a
page to these files and removes parts that need a server, ``bundle`` follows the links from page to page.
"""

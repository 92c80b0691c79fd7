"""A read-only copy of a leaderboard and chosen trajectories, as files that any web server assigns as they are.

The pages are those of the application, made by its own views, so that a number in the copy is the number on the site.
``reading`` asks a view for a page, ``places`` says which file an address becomes, ``rewriting`` points the links of a
page at those files and takes out what needs a server, ``bundle`` goes from page to page.
"""

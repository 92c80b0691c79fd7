"""What plans and calls of runs have in common: why plans fail, and what calling tools did."""

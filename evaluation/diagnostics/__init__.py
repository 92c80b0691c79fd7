"""Analysis of plans and calls over runs: the reasons why plans fail, and the effect of calling tools."""

"""The stand-in: an endpoint on this machine that speaks chat completions and answers by rules instead of a model."""

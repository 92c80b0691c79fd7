"""Calls to models: addresses, keys, limits, prices, and the client that speaks chat completions."""

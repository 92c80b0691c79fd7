"""The samples of a benchmark as a list and through the API, and the addresses of their images."""

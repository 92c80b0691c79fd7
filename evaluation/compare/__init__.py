"""Two to six runs side by side, and the slices on which they differ most."""

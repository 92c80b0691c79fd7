"""The content of samples: revisions, states, gold, reference toolchains, comments and change numbers."""

"""What a sample holds: its content, revisions, states, gold, reference chains, comments and change numbers."""

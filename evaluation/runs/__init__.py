"""The page of one run: its numbers, charts, tables, replays and deletion."""

"""The page of one run: its numbers, charts, tables and replays."""

"""From an uploaded file to samples and runs: preview, commit, replace and undo."""

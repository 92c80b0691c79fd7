#!/usr/bin/env python
"""Starts the management commands."""

from webapp.cli import main

if __name__ == "__main__":
    main()

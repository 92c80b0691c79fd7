#!/usr/bin/env python
"""Starts the management commands."""

import os
import sys

from webapp import env


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    env.prepare_home()
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()

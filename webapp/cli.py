"""The program: every management command. ``manage.py`` in a checkout, ``sightline`` where the package is installed."""

import os
import sys

from webapp import env


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    env.prepare_home()
    from django.core.management import CommandError, execute_from_command_line
    from django.db import DatabaseError

    try:
        execute_from_command_line(sys.argv)
    except DatabaseError as error:
        from webapp.common.databases import refuse_no_database, refuse_old_tables

        try:
            refuse_no_database()
            # Errors of migrating itself are shown unchanged.
            if sys.argv[1:2] != ["migrate"]:
                refuse_old_tables()
        except CommandError as reason:
            sys.exit(f"CommandError: {reason}")
        raise error
    except BrokenPipeError:
        # The reader of the output has read enough (`| head`); print nothing more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)

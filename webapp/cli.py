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
            # What migrating itself stumbles over is said as it is.
            if sys.argv[1:2] != ["migrate"]:
                refuse_old_tables()
        except CommandError as reason:
            sys.exit(f"CommandError: {reason}")
        raise error
    except BrokenPipeError:
        # Who reads what is written has read enough (`| head`); nothing else is to be said to them at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)

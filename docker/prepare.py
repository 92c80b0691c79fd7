"""What a container does before its process starts: wait for the database, and see that it is up to date.

``prepare.py --migrate`` migrates, one process at a time as ``manage.py migrate`` does. Without it, waits until another
has migrated.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

from webapp import env

PATIENCE_SECONDS = 120


def wait_until(ready: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not ready():
        if time.monotonic() > deadline:
            sys.exit(f"Waited {PATIENCE_SECONDS} seconds for {what} in vain.")
        time.sleep(1)


def database_answers() -> bool:
    from django.db import OperationalError, connection

    try:
        connection.ensure_connection()
    except OperationalError as error:
        sys.stderr.write(f"The database does not answer yet: {str(error).strip()}\n")
        return False
    return True


def is_up_to_date() -> bool:
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def migrate() -> None:
    from django.core.management import call_command

    if not is_up_to_date():
        call_command("migrate", interactive=False)


def main() -> None:
    import django

    env.prepare_home()
    django.setup()
    wait_until(database_answers, "the database")
    if "--migrate" in sys.argv[1:]:
        migrate()
    else:
        wait_until(is_up_to_date, "the web container to migrate the database")


if __name__ == "__main__":
    main()

"""``manage.py restore FILE``: creates the site of a backup, if there is none yet."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, no_translations

from webapp.common.backups import restore_backup
from webapp.common.errors import ApplicationError
from webapp.env import PROGRAM


class Command(BaseCommand):
    help = f"Restore a site from a file of {PROGRAM} backup, into an empty SIGHTLINE_HOME."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help=f"a file that {PROGRAM} backup has written")

    @no_translations
    def handle(self, *, file: Path, **_: Any) -> None:
        try:
            contents = restore_backup(file)
        except ApplicationError as error:
            raise CommandError(error.message) from error
        self.stdout.write(
            f"Restored the database and {contents.files} files from {file}. Start the site; people sign in again."
        )

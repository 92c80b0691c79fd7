"""``manage.py backup FILE``: the full site on SQLite in one file."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, no_translations
from django.template.defaultfilters import filesizeformat

from webapp.common.backups import write_backup
from webapp.common.errors import ApplicationError


class Command(BaseCommand):
    help = "Write the database and the stored files of a site on SQLite to one file. The site can stay in use."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a new file, such as sightline.tar; .tar.gz is compressed")

    @no_translations
    def handle(self, *, file: Path, **_: Any) -> None:
        try:
            contents = write_backup(file)
        except ApplicationError as error:
            raise CommandError(error.message) from error
        except OSError as error:
            raise CommandError(f"{file} cannot be written: {error.strerror}.") from error
        size = filesizeformat(contents.bytes).replace("\xa0", " ")
        self.stdout.write(f"{file} contains the database and {contents.files} files, {size}.")

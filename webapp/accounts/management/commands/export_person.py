"""``manage.py export_person EMAIL``: everything the site stores that names a person, as JSON."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, no_translations
from django.core.serializers.json import DjangoJSONEncoder

from webapp.accounts.anonymize import personal_data
from webapp.accounts.models import User


class Command(BaseCommand):
    help = (
        "Write every row that names a person as JSON, by table; passwords and other secrets are left out. The file "
        "shows which samples were gold checks: hand it over when their work is done."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--output", type=Path, help="a file instead of the terminal")

    @no_translations
    def handle(self, *, email: str, output: Path | None, **_: Any) -> None:
        user = User.objects.filter(email=email.strip().lower()).first()
        if user is None:
            raise CommandError(f"No account has the email address {email}.")
        text = json.dumps(personal_data(user), cls=DjangoJSONEncoder, ensure_ascii=False, indent=1) + "\n"
        if output is None:
            self.stdout.write(text)
        else:
            output.write_text(text, encoding="utf-8")

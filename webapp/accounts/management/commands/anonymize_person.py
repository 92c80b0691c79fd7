"""``manage.py anonymize_person EMAIL``: remove what names a person and keep what they did."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError, no_translations

from webapp.accounts.anonymize import anonymize_person
from webapp.accounts.models import User
from webapp.common.errors import ApplicationError


class Command(BaseCommand):
    help = "Remove name, email address, roles and every way to sign in of a person. Their work stays. Can't be undone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument("--force", action="store_true", help="even if benchmarks have no other lead then")

    @no_translations
    def handle(self, *, email: str, yes: bool, force: bool, **_: Any) -> None:
        user = User.objects.filter(email=email.strip().lower()).first()
        if user is None:
            raise CommandError(f"No account has the email address {email}.")
        if not yes and input(f"Anonymize {user} ({user.email})? This can't be undone. [y/N] ").strip().lower() != "y":
            raise CommandError("Nothing was changed.")
        try:
            left = anonymize_person(actor=None, user=user, force=force)
        except ApplicationError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{email} is now {left.name}.")

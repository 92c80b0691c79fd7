"""``manage.py reset_link EMAIL``: a link by which a person chooses a new password."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from webapp.accounts.actions import create_reset_link
from webapp.accounts.links import on_site
from webapp.accounts.models import User
from webapp.common.errors import ApplicationError


class Command(BaseCommand):
    help = "Print a link by which a person chooses a new password. It works once, for 24 hours."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the address of the account")

    @no_translations
    def handle(self, *, email: str, **options: Any) -> None:
        user = User.objects.filter(email=email.strip().lower()).first()
        if user is None:
            raise CommandError(f"No account has the address {email}.")
        try:
            path = create_reset_link(user=user, actor=None)
        except ApplicationError as error:
            raise CommandError(error.message) from error
        self.stdout.write(on_site(path))

"""``manage.py demo``: the demo benchmark, made when it is not there; its leaderboard; then the site."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connections

from annotation.models import Benchmark
from evaluation.demo.build import ADMIN, CAST, SECOND, SLUG, build_demo, is_built, sign_in_of
from evaluation.demo.stand_in import free_port, offer_stand_in


class Command(BaseCommand):
    help = "Create the demo benchmark if it is missing, print its leaderboard, and serve the site."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--no-serve", action="store_true", help="stop after the leaderboard")

    def handle(self, **options: Any) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        password = _password(Path(settings.HOME) / "demo-password")
        if not is_built():
            build_demo(password=password, say=self._say)
        self.stdout.write("")
        call_command("leaderboard", SLUG, stdout=self.stdout)
        self.stdout.write("\nSign in at /sign-in/ with one of these and the password " + password)
        for name, role in (*CAST.items(), (SECOND, "annotator"), (ADMIN, "site admin")):
            self.stdout.write(f"  {sign_in_of(name):<20} {name}, {role}")
        self.stdout.write(
            "The leaderboard at /benchmarks/demo/leaderboard/ is public. Annotators, reviewers and leads find open"
        )
        self.stdout.write("work in /benchmarks/demo-work/: press Continue on the home page.\n")
        self.stdout.flush()
        if not options["no_serve"]:
            port = free_port()
            offer_stand_in(Benchmark.objects.get(slug=SLUG), port)
            self.stdout.write("Researchers and leads can run the model stand-in in /benchmarks/demo/experiments/.\n")
            self.stdout.flush()
            # It ends with this process, which becomes the server.
            stand_in = ["stand_in", "--port", str(port), "--until-parent-ends"]
            subprocess.Popen([sys.executable, sys.argv[0], *stand_in], stdout=subprocess.DEVNULL)
            # A fresh process: importing and scoring leave hundreds of megabytes behind that a server has no use for.
            connections.close_all()
            os.execv(sys.executable, [sys.executable, sys.argv[0], "serve"])

    def _say(self, what: str) -> None:
        self.stdout.write(f"{what} ...")
        self.stdout.flush()


def _password(path: Path) -> str:
    """The demo people's password: made once for this home folder, readable by its owner only."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(9))
    return path.read_text().strip()

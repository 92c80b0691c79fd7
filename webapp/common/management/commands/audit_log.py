"""``manage.py audit_log verify|export``: check the audit log, or write it as JSONL."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, no_translations

from webapp.common import audit
from webapp.common.models import AuditEntry

FIELDS = (
    "id", "created", "actor_id", "action", "subject_type", "subject_id", "benchmark", "before", "after", "reason",
    "data", "request", "personal", "personal_digest", "digest", "seal_id",
)  # fmt: skip


class Command(BaseCommand):
    help = "Check that no entry of the audit log was changed or removed, or write the log as JSONL."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=("verify", "export"))
        parser.add_argument("--benchmark", default="", help="export: only entries of this benchmark")
        parser.add_argument("--output", type=Path, help="export: a file instead of the terminal")

    @no_translations
    def handle(self, *, what: str, benchmark: str, output: Path | None, **_: Any) -> None:
        audit.seal()
        if what == "verify":
            self._verify()
        elif output is None:
            self._export(benchmark, sys.stdout)
        else:
            with output.open("w", encoding="utf-8") as file:
                self._export(benchmark, file)

    def _verify(self) -> None:
        found = audit.verify()
        for problem in found.problems:
            self.stderr.write(problem)
        if found.problems:
            raise CommandError(f"The audit log was changed: {len(found.problems)} problems in {found.entries} entries.")
        self.stdout.write(f"{found.entries} entries in {found.seals} seals are intact; {found.erased} without names.")
        self.stdout.write(
            f"Head: {found.head or 'none'}. Keep it elsewhere: it shows whether entries were cut off later."
        )

    def _export(self, benchmark: str, file: Any) -> None:
        entries = AuditEntry.objects.order_by("pk")
        if benchmark:
            entries = entries.filter(benchmark=benchmark)
        for row in entries.values(*FIELDS).iterator():
            file.write(json.dumps(row, default=str, ensure_ascii=False) + "\n")

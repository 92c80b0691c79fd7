"""``manage.py project``: the earlier name of ``manage.py benchmark``."""

from __future__ import annotations

from evaluation.management.commands.benchmark import Command

__all__ = ["Command"]

"""The commands as a newcomer runs them: in a home of their own, in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEY = "only for this test, and long enough that it is not refused"


def run(home: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "SECRET_KEY"}}
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=inherited | {"SIGHTLINE_HOME": str(home), "DJANGO_SETTINGS_MODULE": "webapp.settings"} | settings,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("words", [("leaderboard", "demo"), ("worker",)])
@pytest.mark.endurance
def test_a_command_before_the_tables_are_made_says_how_to_make_them(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run(tmp_path, *words, CELERY_BROKER_URL="memory://")
    assert done.returncode == 1
    assert "Run manage.py migrate" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.endurance
def test_a_database_that_is_not_there_is_named_without_a_traceback(tmp_path: Path) -> None:
    done = run(tmp_path, "leaderboard", "demo", DATABASE_URL="postgres://nobody@127.0.0.1:1/none", SECRET_KEY=KEY)
    assert done.returncode == 1
    assert "The database cannot be used" in done.stderr
    assert "DATABASE_URL" in done.stderr
    assert "Traceback" not in done.stderr

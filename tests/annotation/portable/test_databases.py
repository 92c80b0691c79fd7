"""A portable file is the same whether SQLite or PostgreSQL wrote it, in any locale: by checksum and row by row."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import pytest
from django.db import connection, models

from annotation.models import Image, Revision
from annotation.portable.read.tables import TABLES
from annotation.project_file import Reader, differences
from evaluation.exports.write import import_project
from tests.annotation.portable import other_database
from tests.annotation.portable.other_database import files_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

ROOT = Path(__file__).resolve().parents[3]
Other = Callable[..., list[Path]]


@pytest.fixture
def on_sqlite(tmp_path: Path) -> Other:
    """Run ``other_database`` on SQLite; returns the files that it wrote."""

    def run(what: str, *files: Path) -> list[Path]:
        folder = tmp_path / f"sqlite-{what}"
        given = {
            name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SIGHTLINE_TEST_RUN")
        }
        done = subprocess.run(
            [sys.executable, "-m", "tests.annotation.portable.other_database", what, *map(str, files), str(folder)],
            env=given | {"DJANGO_SETTINGS_MODULE": "tests.settings"}, cwd=ROOT, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return files_in(folder)

    return run


def _in_english(model: type[models.Model]) -> list[str]:
    """What makes the database order the texts of a table as English does."""
    texts = [one for one in model._meta.concrete_fields if isinstance(one, models.CharField | models.TextField)]
    kinds = [(connection.ops.quote_name(one.column), one.db_type(connection)) for one in texts]
    return [f'ALTER COLUMN {name} TYPE {kind} COLLATE "en-x-icu"' for name, kind in kinds]


@pytest.fixture(params=["C", "ICU"])
def locale(request: pytest.FixtureRequest) -> str:
    """The order of all texts of a benchmark but those of revisions: by code points, or as English has it. Triggers keep
    the texts of revisions, and nothing is in their order."""
    if connection.vendor != "postgresql":
        pytest.skip("Needs both databases.")
    if request.param == "ICU":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            for model in (User, Image, *(table.model for table in TABLES if table.model is not Revision)):
                if texts := _in_english(model):
                    cursor.execute(f"ALTER TABLE {model._meta.db_table} {', '.join(texts)}")
    return str(request.param)


def assert_equal(some: list[Path], others: list[Path]) -> None:
    for one, other in zip(some, others, strict=True):
        with Reader(one) as first, Reader(other) as second:
            first.verify()
            second.verify()
            assert differences(first, second) == []
            assert first.tables == second.tables
            for table in first.tables:
                for row, same in zip_longest(first.rows(table), second.rows(table)):
                    assert row == same, table
            assert first.manifest.checksum == second.manifest.checksum
            assert first.manifest.about == second.manifest.about


def test_sqlite_writes_the_files_that_postgresql_wrote(locale: str, on_sqlite: Other, tmp_path: Path) -> None:
    other_database.make()
    other_database.write(tmp_path / "here")
    here = files_in(tmp_path / "here")
    there = on_sqlite("copied", here[0])
    assert_equal(here, there)
    assert_equal_scores(here, there)


def test_postgresql_writes_the_files_that_sqlite_wrote(locale: str, on_sqlite: Other, tmp_path: Path) -> None:
    there = on_sqlite("made")
    other_database.copy(there[0])
    other_database.write(tmp_path / "here")
    assert_equal(there, files_in(tmp_path / "here"))
    assert_equal_scores(there, files_in(tmp_path / "here"))
    for number in (1, 2):
        made = import_project(actor=None, path=there[number], slug=f"version-{number}")
        assert made.versions.get().number == number
        folder = tmp_path / f"again-{number}"
        other_database.write(folder, slug=made.slug)
        assert_equal_but_for_the_slug(there[number], folder / str(number))


def assert_equal_scores(some: list[Path], others: list[Path]) -> None:
    """Every metric of every run, on every slice. Sums in another order of rows differ in their last digit."""
    one, other = (json.loads((files[0].parent / "scores").read_text(), parse_float=rounded) for files in (some, others))
    assert one == other != []


def rounded(number: str) -> float:
    return float(f"{float(number):.10g}")


def assert_equal_but_for_the_slug(one: Path, other: Path) -> None:
    with Reader(one) as first, Reader(other) as second:
        assert differences(first, second) == []
        assert first.manifest.checksum == second.manifest.checksum

"""The installed package has one name: what the build backend rewrites, and what it leaves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from webapp.wheel.backend import renamed, stage


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("from webapp.jobs import parts", "from sightline.webapp.jobs import parts"),
        ("from annotation import schema as s", "from sightline.annotation import schema as s"),
        ("import evaluation.metrics.score as m", "import sightline.evaluation.metrics.score as m"),
        ('name = "webapp.jobs.apps.JobsConfig"', 'name = "sightline.webapp.jobs.apps.JobsConfig"'),
        ('serve("webapp.asgi:application")', 'serve("sightline.webapp.asgi:application")'),
        ('é = "ü"; x = "webapp.settings"', 'é = "ü"; x = "sightline.webapp.settings"'),
        ('text = "\x0c\u2028"\nx = "webapp.settings"', 'text = "\x0c\u2028"\nx = "sightline.webapp.settings"'),
    ],
)
def test_names_of_our_modules_get_the_name_of_the_package(source: str, result: str) -> None:
    assert renamed(source) == result


@pytest.mark.parametrize(
    "source",
    [
        'model = "annotation.Sample"',
        'kind = "evaluation.score_run"',
        'address = "annotation:samples"',
        'action = f"annotation.{name}"',
        'said = "See webapp.settings."',
        "from django.conf import settings",
        "import annotations",
    ],
)
def test_labels_of_models_kinds_of_jobs_and_words_stay(source: str) -> None:
    assert renamed(source) == source


def test_strings_of_migrations_are_labels() -> None:
    """There is a module of this name, and a table."""
    assert renamed('to = "evaluation.replay"', strings=False) == 'to = "evaluation.replay"'


@pytest.mark.parametrize("source", ["import annotation.schema", 'x = r"webapp.settings"'])
def test_what_cannot_be_rewritten_stops_the_build(source: str) -> None:
    with pytest.raises(ValueError, match="Line 1"):
        renamed(source)


def test_no_module_of_the_package_asks_for_one_outside(tmp_path: Path) -> None:
    stage(tmp_path)
    package = tmp_path / "sightline"
    outside = re.compile(r"^\s*(?:from|import) (?:annotation|evaluation|webapp|demo|tests|bench)\b", re.M)
    files = list(package.rglob("*.py"))
    assert len(files) > 700
    assert [file for file in files if outside.search(file.read_text("utf-8"))] == []
    assert not (package / "webapp/wheel").exists()
    assert (package / "templates/base.html").is_file()

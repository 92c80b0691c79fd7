"""Portable files compared with each other, and with a state of a benchmark, on pages and over the API."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark, Sample
from annotation.portable.read.gold_changes import changes
from annotation.portable.read.table_changes import counts_apart, rows_apart
from annotation.project_file import Kind, Reader
from annotation.workflow import Role
from evaluation.exports.read.comparison import KIND, samples_name
from evaluation.exports.write.files import delete_old_files
from tests.annotation.portable.files import add_planned, damaged, exported, forged, png
from tests.annotation.portable.test_uploads import program
from tests.conftest import signed_in
from tests.factories import make_user
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope
from webapp.common import objects
from webapp.jobs.models import Job

pytestmark = pytest.mark.django_db

PAGE, NEW_FILES = "/benchmarks/kitchen/export/differences/", "/benchmarks/new/file/differences/"
API = "/api/v1/benchmarks/kitchen/portable/differences/"
Run = Callable[[], int]


@pytest.fixture
def file(written: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "kitchen.sightline"
    path.write_bytes(written)
    return path


def with_rows(file: Path, table: str, change: Callable[[dict[str, Any]], dict[str, Any]], *, last: int = 0) -> Path:
    """The file with the first row of a table changed, and ``last`` rows removed."""
    return forged(file, table, lambda rows: [change(rows[0]), *rows[1 : len(rows) - last]])


def compared(user: User, file: Path, run_jobs: Run, **given: Any) -> str:
    """The page of the comparison of a file with the kitchen."""
    with file.open("rb") as stream:
        answer = signed_in(user).post(PAGE, {"file": stream, **given})
    assert answer.status_code == 302, answer.content.decode()
    run_jobs()
    return str(answer["Location"])


def text_of(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def test_a_file_and_its_benchmark_are_equal(kitchen: Benchmark, lea: User, file: Path, run_jobs: Run) -> None:
    page = text_of(signed_in(lea).get(compared(lea, file, run_jobs)))
    assert "All samples are equal" in page
    assert "Rows only in the first" not in page
    assert "Runs are not compared" in page


def test_a_changed_field_is_shown_with_both_values(kitchen: Benchmark, lea: User, file: Path, run_jobs: Run) -> None:
    with Reader(file) as read:
        before = next(read.rows("goldbox"))
    changed = with_rows(file, "goldbox", lambda row: row | {"x2": 55.0, "label": "Griff"})
    answer = signed_in(lea).get(compared(lea, changed, run_jobs))
    page = text_of(answer)
    assert f"<del>{before['x2'] - before['x1']:g} × 15 px at 10, 10, Henkel ☕</del>" in page
    assert "<ins>45 × 15 px at 10, 10, Griff</ins>" in page
    assert "/thumbnail" in page or "thumbnails" in page
    assert answer.context["counts"] == [("added", 0), ("removed", 0), ("changed", 1)]


def test_added_and_removed_samples_are_those_of_the_file(
    kitchen: Benchmark, lea: User, file: Path, run_jobs: Run
) -> None:
    Sample.objects.create(benchmark=kitchen, key="plate")
    changed = with_rows(file, "sample", lambda row: row | {"key": "new<b>"})
    answer = signed_in(lea).get(compared(lea, changed, run_jobs))
    assert answer.context["counts"] == [("added", 1), ("removed", 2), ("changed", 0)]
    assert "new&lt;b&gt;" in text_of(answer)


def test_a_file_is_compared_with_a_version(kitchen: Benchmark, lea: User, file: Path, run_jobs: Run) -> None:
    answer = signed_in(lea).get(compared(lea, file, run_jobs, version="1"))
    page = text_of(answer)
    assert "From version 1 to" in page
    assert answer.context["counts"] == [("added", 5), ("removed", 0), ("changed", 0)]
    assert "One of the two is a version" in page
    assert answer.context["tables"] == answer.context["others"] == []


def test_other_tables_are_listed_or_counted(
    kitchen: Benchmark, ana: User, rui: User, lea: User, tmp_path: Path
) -> None:
    first = exported(kitchen, tmp_path / "first", named=False)
    add_planned(kitchen, ana, rui, lea)
    kitchen.licence = "CC0"
    kitchen.save(update_fields=["licence"])
    with Reader(first) as one, Reader(exported(kitchen, tmp_path / "second", named=False)) as two:
        rows = {(row.table, row.name): row for row in rows_apart(one, two)}
        counts = {row.table: (row.first, row.second) for row in counts_apart(one, two)}
    assert rows["benchmark", ""].fields == {"licence": ("CC BY", "CC0")}
    assert rows["banktool", "tape measure"].kind is rows["version", "2"].kind is Kind.ADDED
    assert counts["review"][0] == 0
    assert counts["review"][1] > 0
    assert "goldcheck" not in counts


def test_one_sample_less_changes_no_other_row(kitchen: Benchmark, tmp_path: Path) -> None:
    """Rows name others by numbers, which are other ones after a row was removed."""
    first = exported(kitchen, tmp_path / "first")
    Sample.objects.filter(benchmark=kitchen, annotations=None).order_by("pk").last().delete()
    with Reader(first) as one, Reader(exported(kitchen, tmp_path / "second")) as two:
        assert [(change.kind, change.key) for change in changes(one, two)] == [(Kind.REMOVED, "mug-6")]
        assert {row.table for row in counts_apart(one, two)} <= {"sample", "image", "assignment"}


def test_names_and_pseudonyms_are_the_same_people(kitchen: Benchmark, tmp_path: Path) -> None:
    files = [exported(kitchen, tmp_path / str(named), named=named) for named in (True, False)]
    with Reader(files[0]) as one, Reader(files[1]) as two:
        assert list(rows_apart(one, two)) == []
        assert counts_apart(one, two) == []


def test_long_lists_have_pages_with_the_same_queries(kitchen: Benchmark, lea: User, file: Path, run_jobs: Run) -> None:
    client, few = signed_in(lea), compared(lea, file, run_jobs)
    Sample.objects.bulk_create(Sample(benchmark=kitchen, key=f"plate-{n:03}") for n in range(70))
    many = compared(lea, file, run_jobs)
    client.get(many)
    with CaptureQueriesContext(connection) as queries:
        first = client.get(many)
    with CaptureQueriesContext(connection) as of_last:
        last = client.get(many, {"page": 3})
    assert [len(one.context["rows"]) for one in (first, last)] == [30, 10]
    assert last.context["rows"][-1].key == "plate-069"
    assert len(queries) == len(of_last)
    with CaptureQueriesContext(connection) as without:
        client.get(few)
    assert len(without) <= len(queries)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (png(40), "This is no portable benchmark"),
        (b"PK\x05\x06" + 18 * b"\0", "This is no portable benchmark"),
    ],
)
def test_a_wrong_file_says_what_it_is(
    kitchen: Benchmark, lea: User, tmp_path: Path, run_jobs: Run, content: bytes, problem: str
) -> None:
    (tmp_path / "wrong.png").write_bytes(content)
    assert problem in text_of(signed_in(lea).get(compared(lea, tmp_path / "wrong.png", run_jobs)))


def test_a_zip_with_other_members_is_refused(kitchen: Benchmark, lea: User, tmp_path: Path, run_jobs: Run) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as made:
        made.writestr("../../evil.txt", "x")
        made.writestr("photo.png", png(1))
    page = text_of(signed_in(lea).get(compared(lea, tmp_path / "other.zip", run_jobs)))
    assert "it is not a zip with a manifest.json" in page


def test_an_empty_file_is_refused_at_once(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    with (tmp_path / "empty").open("rb") as stream:
        answer = signed_in(lea).post(PAGE, {"file": stream})
    assert answer.status_code == 400
    assert "empty" in text_of(answer)
    assert not Job.objects.filter(kind=KIND).exists()


def test_a_truncated_file_and_an_invalid_value_are_named(
    kitchen: Benchmark, lea: User, file: Path, run_jobs: Run
) -> None:
    cut = file.with_suffix(".cut")
    cut.write_bytes(file.read_bytes()[:-200])
    assert "The file is cut off: its end is missing" in text_of(signed_in(lea).get(compared(lea, cut, run_jobs)))
    page = text_of(signed_in(lea).get(compared(lea, damaged(file, "tables/gold.jsonl", lambda d: d[:-9]), run_jobs)))
    assert "tables/gold.jsonl" in page
    for table, field, value in (("goldbox", "x2", "wide"), ("goldbox", "x2", 1.0), ("sample", "key", 5)):
        wrong = with_rows(file, table, lambda row, field=field, value=value: row | {field: value})
        assert f"tables/{table}.jsonl, line 1: {field}" in text_of(signed_in(lea).get(compared(lea, wrong, run_jobs)))


def test_two_files_are_compared_and_their_faults_name_the_file(
    kitchen: Benchmark, lea: User, file: Path, run_jobs: Run, tmp_path: Path
) -> None:
    changed = with_rows(file, "revision", lambda row: row | {"question": "Which mug?"})
    client = signed_in(lea)

    def of(first: Path, second: Path) -> Any:
        with first.open("rb") as one, second.open("rb") as two:
            answer = client.post(NEW_FILES, {"first": one, "second": two})
        run_jobs()
        return client.get(answer["Location"])

    answer = of(file, changed)
    assert answer.context["counts"][2] == ("changed", 1)
    assert "Which" in text_of(answer)
    assert "thumbnail" not in text_of(answer)
    (tmp_path / "note.txt").write_bytes(b"hello")
    assert "note.txt: This is no portable benchmark" in text_of(of(file, tmp_path / "note.txt"))


def test_nothing_is_kept_longer_than_needed(
    kitchen: Benchmark, lea: User, file: Path, run_jobs: Run, django_capture_on_commit_callbacks: Any
) -> None:
    page = compared(lea, file, run_jobs)
    own = [name for name in objects.names("portable") if page.rstrip("/").rsplit("/", 1)[1] in name]
    assert sorted(Path(name).suffix for name in own) == [".samples", ".summary"]
    (file.parent / "bad").write_bytes(b"no zip")
    before = set(objects.names("portable"))
    with django_capture_on_commit_callbacks(execute=True):
        compared(lea, file.parent / "bad", run_jobs)
    assert set(objects.names("portable")) <= before
    delete_old_files(timezone.now() + timedelta(days=2))
    assert list(objects.names("portable")) == []
    answer = signed_in(lea).get(page)
    assert answer.status_code == 404
    assert "deleted after a day" in text_of(answer)


def test_only_who_uploaded_a_file_sees_the_comparison(
    kitchen: Benchmark, ana: User, rui: User, lea: User, sam: User, file: Path, run_jobs: Run
) -> None:
    page = compared(lea, file, run_jobs)
    other = make_user("Zoe Fox")
    add_member(actor=lea, benchmark=kitchen, user=other, role=Role.LEAD)
    admin = make_user("Ada Kern", is_staff=True, is_superuser=True)
    for user, status in ((other, 404), (admin, 404), (sam, 404), (rui, 403), (ana, 403)):
        assert signed_in(user).get(page).status_code == status, user
    uuid = page.rstrip("/").rsplit("/", 1)[1]
    assert signed_in(lea).get(f"{NEW_FILES}{uuid}/").status_code == 404
    kitchen.memberships.filter(user=lea).delete()
    assert signed_in(lea).get(page).status_code in (403, 404)


def test_a_program_compares_a_file(kitchen: Benchmark, lea: User, file: Path, run_jobs: Run) -> None:
    client = program(lea, Scope.MANAGE)
    changed = with_rows(file, "revision", lambda row: row | {"question": "Which mug?"})
    with changed.open("rb") as stream:
        state = client.post(API, {"file": stream}).json()
    address = f"{API}{state['job']['id']}/"
    assert state["comparison"] is None
    assert client.get(f"{address}samples/").status_code == 409
    run_jobs()
    found = client.get(address).json()["comparison"]
    assert (found["counts"], found["same"]) == ({"changed": 1, "added": 0, "removed": 0}, 6)
    [row] = client.get(f"{address}samples/").json()["results"]
    assert (row["kind"], row["fields"], row["after"]["question"]) == ("changed", ["question"], "Which mug?")
    assert row["before"]["question"] != "Which mug?"
    assert program(lea, Scope.ANNOTATE).get(address).status_code == 403


def test_a_program_compares_two_files(kitchen: Benchmark, lea: User, file: Path, run_jobs: Run) -> None:
    client = program(lea, Scope.MANAGE)
    with file.open("rb") as one, file.open("rb") as two:
        state = client.post("/api/v1/portable/differences/", {"first": one, "second": two}).json()
    run_jobs()
    address = f"/api/v1/portable/differences/{state['job']['id']}/"
    assert client.get(address).json()["comparison"]["same"] == 7
    assert client.get(f"{address}samples/").json()["results"] == []


def test_a_value_that_is_too_long_is_named(kitchen: Benchmark, lea: User, file: Path, run_jobs: Run) -> None:
    changed = with_rows(file, "revision", lambda row: row | {"question": 30_000 * "x"})
    page = compared(lea, changed, run_jobs)
    answer = signed_in(lea).get(page)
    assert "too long to be shown" in text_of(answer)
    name = samples_name(UUID(page.rstrip("/").rsplit("/", 1)[1]))
    assert len(objects.read(name)) < 20_000
    assert json.loads(objects.read(name))["too_long"] == ["question"]


def test_all_values_of_many_samples_are_read_with_their_sample(kitchen: Benchmark, tmp_path: Path) -> None:
    """Rows of one sample are far apart in a file. Lists have the order of their positions."""
    file = exported(kitchen, tmp_path / "kitchen.sightline")
    boxes = forged(file, "goldbox", lambda rows: [row | {"position": 5} for row in rows] + rows).rename(
        tmp_path / "boxes.zip"
    )
    asked = forged(
        boxes, "revision", lambda rows: [row | {"question": f"Number {n}?"} for n, row in enumerate(rows)]
    ).rename(tmp_path / "asked.zip")
    new = forged(asked, "sample", lambda rows: [*rows[:-1], rows[-1] | {"key": "new"}])
    with Reader(file) as one, Reader(new) as two:
        found = list(changes(one, two))
        golds = [line.row for line in two.lines("gold")]
        revisions = list(two.rows("revision"))
        keys = [row["key"] for row in two.rows("sample")]
    asked_of = {keys[row["sample"] - 1]: revisions[row["revision"] - 1]["question"] for row in golds}
    assert [(change.kind, change.key) for change in found if change.kind is not Kind.CHANGED] == [
        (Kind.ADDED, "new"), (Kind.REMOVED, "mug-6"),
    ]  # fmt: skip
    changed = [change for change in found if change.kind is Kind.CHANGED]
    assert {change.key: change.after["question"] for change in changed} == asked_of
    assert all(change.fields == ("question", "evidence") for change in changed)
    assert all(len(change.before["evidence"]) + 1 == len(change.after["evidence"]) == 2 for change in changed)
    by_kind = {change.kind: change for change in found}
    assert by_kind[Kind.ADDED].before == by_kind[Kind.REMOVED].after == {}

"""A frozen version as a file of its own: what it holds, nothing else, and the same at any time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.content.freeze import freeze_version, gold_digest
from annotation.guidelines.write import publish
from annotation.images.store import store_picture
from annotation.models import AcceptedChain, Benchmark, FacetValue, Sample, Version
from annotation.portable.read.gold_changes import changes
from annotation.portable.read.version import FrozenVersion
from annotation.portable.write import InvalidProject
from annotation.project_file import Kind, Reader, differences
from annotation.review.write.decisions import next_to_review
from annotation.studio.write.submit import submit
from annotation.work.write.replacement import replace_image
from evaluation.exports.write import import_project
from tests.annotation.portable.files import add_planned, exported, forged, png
from tests.annotation.work_data import content, reopened, reviewed
from tests.conftest import signed_in
from tests.evaluation.trash.test_samples import delete
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db


def first(benchmark: Benchmark) -> Version:
    return benchmark.versions.get(number=1)


def alone(benchmark: Benchmark, path: Path, number: int = 1, **about: Any) -> Path:
    return exported(benchmark, path, version=benchmark.versions.get(number=number), **about)


@made_once
def planned(kitchen: Benchmark, ana: User, rui: User, lea: User) -> Benchmark:
    return add_planned(kitchen, ana, rui, lea)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("number", [1, 2])
def test_a_version_comes_back_alone(planned: Benchmark, lea: User, tmp_path: Path, number: int, named: bool) -> None:
    version = planned.versions.get(number=number)
    file = alone(planned, tmp_path / "one", number, named=named)
    made = import_project(actor=lea, path=file, slug="copy", lead=make_user("Zoe Fox"))
    copied = made.versions.get()
    assert (copied.number, copied.checksum) == (number, version.checksum)
    assert FrozenVersion(version).checksum() == version.checksum
    assert FrozenVersion(copied).checksum() == gold_digest(made) == version.checksum
    assert set(made.samples.values_list("key", flat=True)) == set(version.entries.values_list("sample__key", flat=True))
    with Reader(file) as one, Reader(alone(made, tmp_path / "two", number, named=named)) as two:
        assert differences(one, two) == []
        assert one.manifest.checksum == two.manifest.checksum
        assert (one.manifest.about["version"], one.manifest.about["checked"]) == (number, True)


def test_the_locale_of_a_database_does_not_change_a_checksum(planned: Benchmark, lea: User) -> None:
    """Most locales put ``a`` before ``B``, code points after it."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one order of texts.")
    for sample, key in zip(planned.samples.exclude(gold=None), ("a", "B", "é", "Z-1", "z 1"), strict=False):
        Sample.objects.filter(pk=sample.pk).update(key=key)
    here = gold_digest(planned), FrozenVersion(planned.versions.get(number=2)).checksum()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute('ALTER TABLE annotation_sample ALTER COLUMN key TYPE varchar(200) COLLATE "en-x-icu"')
    assert list(planned.samples.exclude(gold=None).order_by("key").values_list("key", flat=True))[:2] == ["a", "B"]
    assert (gold_digest(planned), FrozenVersion(planned.versions.get(number=2)).checksum()) == here


def test_a_version_holds_nothing_else(planned: Benchmark, tmp_path: Path) -> None:
    with Reader(alone(planned, tmp_path / "file")) as file:
        missing = set(file.manifest.about["left_out"])
        assert {"review", "comment", "draft", "goldcheck", "membership", "blindanswer", "audititem", "runs"} <= missing
        assert not missing & set(file.tables)
        counts = {name: file.tables[name] for name in ("sample", "annotation", "revision", "gold", "versionentry")}
        assert set(counts.values()) == {2}
        assert file.tables["version"] == 1
        assert file.tables["guideline"] == 0, "They were published later."
        assert {row["state"] for row in file.rows("sample")} == {"accepted"}
        assert {row["state"] for row in file.rows("annotation")} == {"accepted"}


def test_the_second_version_has_its_tools_chains_facets_and_images(
    planned: Benchmark, lea: User, tmp_path: Path
) -> None:
    made = import_project(actor=lea, path=alone(planned, tmp_path / "file", 2), slug="copy")
    assert set(made.tools.values_list("name", flat=True)) == {"tape measure", "saw"}
    assert AcceptedChain.objects.get(sample__benchmark=made).note == "shorter"
    chosen = FacetValue.objects.filter(sample__benchmark=made)
    assert {"Colour", "größe"} <= set(chosen.filter(name="category").values_list("value", flat=True))
    assert chosen.filter(kind=FacetValue.Kind.BANK).exists(), "Segments are derived from the plan and the bank."
    now = {one.key: one.image.sha256 for one in planned.samples.select_related("image")}
    assert {one.key: one.image.sha256 for one in made.samples.select_related("image")}.items() <= now.items()


def test_later_work_does_not_change_the_file(
    planned: Benchmark, ana: User, rui: User, lea: User, tmp_path: Path
) -> None:
    with Reader(alone(planned, tmp_path / "before", 2)) as file:
        before = file.manifest.checksum
    sample = Sample.objects.filter(benchmark=planned, state="accepted").order_by("key").last()
    image = store_picture(actor=lea, benchmark=planned, source=png(210))
    replace_image(actor=lea, sample=sample, image=image, scale=False, comment="", key="two")
    reopened(lea, sample)
    edited = content(question="Which one?", gold_boxes=[{"box": [1, 1, 9, 9], "label": ""}])
    author = sample.annotations.get(kind="own").author
    submit(actor=author, sample=sample, version=1, content=edited)
    while (waiting := next_to_review(actor=rui, benchmark=planned)) is not None:
        reviewed(rui, waiting, "accept")
    publish(actor=lea, benchmark=planned, body="# More\n", must_read=False, based_on=1)
    AcceptedChain.objects.filter(sample__benchmark=planned).delete()
    freeze_version(actor=lea, benchmark=planned)
    with Reader(alone(planned, tmp_path / "after", 2)) as file:
        assert file.manifest.checksum == before


def test_a_withdrawn_sample_stays_in_its_version(planned: Benchmark, lea: User, tmp_path: Path) -> None:
    gone = first(planned).entries.order_by("pk").first().sample
    delete(lea, planned, gone.key, reason="Faces can be recognized.")
    file = alone(planned, tmp_path / "file")
    made = import_project(actor=lea, path=file, slug="copy")
    assert made.versions.get().entries.count() == 2
    assert made.versions.get().checksum == first(planned).checksum == FrozenVersion(made.versions.get()).checksum()
    assert Sample.everything.get(removed_from=made).withdrawn == "Faces can be recognized."
    assert made.samples.count() == 1
    with Reader(file) as one, Reader(alone(made, tmp_path / "again")) as two:
        assert one.manifest.checksum == two.manifest.checksum


def test_two_versions_are_compared_by_their_files(planned: Benchmark, tmp_path: Path) -> None:
    added = set(planned.versions.get(number=2).entries.values_list("sample__key", flat=True))
    added -= set(first(planned).entries.values_list("sample__key", flat=True))
    with Reader(alone(planned, tmp_path / "1")) as one, Reader(alone(planned, tmp_path / "2", 2)) as two:
        found = {change.key: change for change in changes(one, two)}
    assert added
    assert {key for key, change in found.items() if change.kind is Kind.ADDED} == added
    assert {change.fields for key, change in found.items() if key not in added} == {("image",)}


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("revision", lambda rows: [row | {"digest": "0" * 64} for row in rows]),
        ("sample", lambda rows: [row | {"image_group": "other"} for row in rows]),
        ("versionentry", lambda rows: rows[:-1]),
        ("version", lambda rows: [row | {"checksum": "0" * 64} for row in rows]),
        ("version", lambda rows: [row | {"number": 7} for row in rows]),
        ("version", lambda rows: []),
    ],
)
def test_a_file_whose_gold_is_not_that_of_its_version_is_refused(
    kitchen: Benchmark, lea: User, tmp_path: Path, table: str, change: Any
) -> None:
    file = forged(alone(kitchen, tmp_path / "file"), table, change)
    with pytest.raises(InvalidProject):
        import_project(actor=lea, path=file, slug="copy")
    assert not Benchmark.objects.filter(slug="copy").exists()


def test_the_command_exports_and_verifies_a_version(kitchen: Benchmark, lea: User, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "kitchen-v1.sightline"
    call_command("benchmark", "export", "kitchen", str(file), "--version", "1")
    checksum = capsys.readouterr().out.split()[-1]
    call_command("benchmark", "verify", str(file))
    assert capsys.readouterr().out.split()[-1] == checksum
    call_command("benchmark", "import", str(file), "copy", "--lead", lea.email)
    call_command("benchmark", "export", "copy", str(tmp_path / "again"), "--version", "1")
    capsys.readouterr()
    call_command("benchmark", "diff", str(file), str(tmp_path / "again"))
    assert capsys.readouterr().out == "The files have the same content.\n"
    with pytest.raises(CommandError, match="no version 9"):
        call_command("benchmark", "export", "kitchen", str(file), "--version", "9")


def test_a_lead_downloads_a_version(kitchen: Benchmark, lea: User, rui: User, tmp_path: Path) -> None:
    client, address = signed_in(lea), "/benchmarks/kitchen/export/project.sightline"
    assert "Version 1, 2 samples" in client.get("/benchmarks/kitchen/export/").content.decode()
    answer = client.post(address, {"version": "1"})
    assert "kitchen-v1.sightline" in answer["Content-Disposition"]
    (tmp_path / "file").write_bytes(b"".join(answer.streaming_content))
    with Reader(tmp_path / "file") as downloaded, Reader(alone(kitchen, tmp_path / "same", named=False)) as same:
        assert downloaded.manifest.checksum == same.manifest.checksum
    assert AuditEntry.objects.filter(action="export.project", actor=lea, data__version=1).count() == 1
    for wrong in ("9", "x", "-1", "9" * 40, "²"):
        assert client.post(address, {"version": wrong}).status_code == 404
    assert signed_in(rui).post(address, {"version": "1"}).status_code == 403

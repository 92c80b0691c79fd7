"""A benchmark as one file: everything of it comes back, and a damaged file is refused whole."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.freeze import gold_digest
from annotation.models import Annotation, Benchmark, Gold, Image, Membership, Revision, Sample
from annotation.portable.read.gold_changes import changes
from annotation.portable.read.tables import LEFT_BEHIND, TABLES
from annotation.portable.write import InvalidProject
from annotation.project_file import Kind, Reader, differences
from annotation.queue.settings import set_queue
from annotation.review.write.adjudication import Verdict, adjudicate
from annotation.studio.write.another import ask_another
from annotation.workflow import Role
from evaluation.exports.write import import_project
from tests.annotation.portable.files import damaged, exported, forged
from tests.annotation.work_data import content, drafted, next_review, reviewed, submitted
from tests.conftest import signed_in
from tests.factories import make_user
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.errors import Conflict
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db


FILLED = {
    "annotation", "benchmarkschema", "blindanswer", "comment", "facetvalue", "goldbox", "goldcheck", "guideline",
    "image", "membership", "person", "referencecall", "review", "revision", "sample", "version", "versionentry",
}  # fmt: skip
"""Tables that the benchmark of these tests has rows in."""


@pytest.mark.parametrize("named", [True, False])
def test_a_file_gives_the_same_file_again(kitchen: Benchmark, lea: User, tmp_path: Path, named: bool) -> None:
    zoe = make_user("Zoe Fox")
    file = exported(kitchen, tmp_path / "one.sightline", named=named)
    # The account of the importing lead is older than those of the people in the file.
    made = import_project(actor=lea, path=file, slug="copy", lead=zoe)
    again = exported(made, tmp_path / "two.sightline", named=named)
    with Reader(file) as first, Reader(again) as second:
        assert differences(first, second) == []
        assert first.manifest.checksum == second.manifest.checksum
        assert {name for name, rows in first.tables.items() if rows} >= FILLED
    assert gold_digest(made) == gold_digest(kitchen)
    assert made.versions.get().checksum == kitchen.versions.get().checksum


def test_two_exports_of_the_same_state_have_the_same_bytes(kitchen: Benchmark, tmp_path: Path) -> None:
    first, second = (exported(kitchen, tmp_path / name).read_bytes() for name in ("one", "two"))
    assert first == second


def test_every_table_of_a_benchmark_is_carried_or_left_behind_on_purpose() -> None:
    known = {table.name for table in TABLES} | LEFT_BEHIND
    assert {model._meta.model_name for model in apps.get_app_config("annotation").get_models()} == known
    assert not {table.name for table in TABLES} & LEFT_BEHIND


def test_people_of_a_file_have_no_way_in(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    for named in (True, False):
        file = exported(kitchen, tmp_path / f"{named}.sightline", named=named)
        made = import_project(actor=lea, path=file, slug=f"copy-{named}".lower(), lead=lea)
        members = User.objects.filter(memberships__benchmark=made).exclude(pk=lea.pk).distinct()
        assert [(one.is_active, one.has_usable_password()) for one in members] == [(False, False)] * 3
        assert Membership.objects.get(benchmark=made, user=lea).role == Role.LEAD
        assert not made.public
        names = {one.name for one in members}
        assert names == ({"Ana Lind", "Rui Costa", "Lea Moreau"} if named else {"person-01", "person-02", "person-03"})


def test_people_of_one_name_and_long_addresses_are_people_of_their_own(
    kitchen: Benchmark, lea: User, tmp_path: Path
) -> None:
    rows = [{"name": "Former member", "email": email} for email in ("", "", f"{'a' * 230}@example.org")]
    file = forged(exported(kitchen, tmp_path / "file"), "person", lambda _: rows)
    assert import_project(actor=lea, path=file, slug="copy").memberships.count() == 3


def test_without_names_a_file_names_no_one(kitchen: Benchmark, tmp_path: Path) -> None:
    with zipfile.ZipFile(exported(kitchen, tmp_path / "file", named=False)) as file:
        text = b"".join(file.read(name) for name in file.namelist() if name.endswith((".jsonl", ".json"))).decode()
    assert "Ana" not in text
    assert "example.org" not in text


def test_images_come_with_their_bytes(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    file = exported(kitchen, tmp_path / "file")
    kept = {
        image.sha256: objects.read(f"pictures/{image.sha256[:2]}/{image.sha256}.png") for image in Image.objects.all()
    }
    with Reader(file) as found:
        assert {name: b"".join(found.pieces(member)) for name, member in found.images.items()} == kept
    assert import_project(actor=lea, path=file, slug="copy").samples.exclude(image=None).count() == 7


def test_work_goes_on_in_the_copy(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    made = import_project(actor=lea, path=exported(kitchen, tmp_path / "file"), slug="copy", lead=lea)
    noor = make_user("Noor Aziz")
    add_member(actor=lea, benchmark=made, user=noor, role=Role.REVIEWER)
    waiting = next_review(noor, made)
    reviewed(noor, waiting, "accept")
    assert Gold.objects.filter(sample__benchmark=made).count() == 3
    assert Gold.objects.filter(sample__benchmark=kitchen).count() == 2


def manifest(**changes: Any) -> Any:
    return lambda data: json.dumps(json.loads(data) | changes).encode()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("manifest.json", lambda data: None),
        ("manifest.json", lambda data: b"{"),
        ("manifest.json", lambda data: b"[]"),
        ("manifest.json", manifest(format="another")),
        ("manifest.json", manifest(version=2)),
        ("manifest.json", manifest(checksum="0" * 64)),
        ("manifest.json", manifest(members={"../../etc/passwd": {"sha256": "0" * 64}})),
        ("tables/sample.jsonl", lambda data: None),
        ("tables/sample.jsonl", lambda data: data.replace(b"mug-1", b"mug-9")),
        ("tables/sample.jsonl", lambda data: data + b"{}\n"),
        ("tables/gold.jsonl", lambda data: b"not json\n"),
        ("tables/gold.jsonl", lambda data: data[: len(data) // 2]),
        ("tables/gold.jsonl", lambda data: b'{"a":' * 100_000 + b"\n"),
    ],
)
def test_a_damaged_file_is_refused_whole(kitchen: Benchmark, lea: User, tmp_path: Path, name: str, change: Any) -> None:
    broken = damaged(exported(kitchen, tmp_path / "file"), name, change)
    before = Revision.objects.count(), User.objects.count()
    with pytest.raises(InvalidProject):
        import_project(actor=lea, path=broken, slug="copy")
    assert (Revision.objects.count(), User.objects.count()) == before
    assert not Benchmark.objects.filter(slug="copy").exists()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("gold", lambda rows: [row | {"revision": 999} for row in rows]),
        ("gold", lambda rows: [row | {"revision": "1"} for row in rows]),
        ("gold", lambda rows: rows + rows),
        ("sample", lambda rows: [row | {"state": "done"} for row in rows]),
        ("sample", lambda rows: [row | {"key": "x" * 300} for row in rows]),
        ("sample", lambda rows: [row | {"key": None} for row in rows]),
        ("sample", lambda rows: [row | {"created_at": "yesterday"} for row in rows]),
        ("revision", lambda rows: [row | {"provenance": {"answer": 1}} for row in rows]),
        ("revision", lambda rows: [row | {"provenance": {"answer": {"from": ["1"]}}} for row in rows]),
        ("revision", lambda rows: [row | {"number": 10**30} for row in rows]),
        ("benchmarkschema", lambda rows: [row | {"content": {"answer": 1}} for row in rows]),
        ("goldbox", lambda rows: [row | {"x2": row["x1"]} for row in rows]),
        ("image", lambda rows: [*rows[:-1], {"sha256": "0" * 64, "suffix": "png"}]),
    ],
)
def test_a_forged_file_is_refused_by_the_rules_of_the_tables(
    kitchen: Benchmark, lea: User, tmp_path: Path, name: str, change: Any
) -> None:
    with pytest.raises(InvalidProject):
        import_project(actor=lea, path=forged(exported(kitchen, tmp_path / "file"), name, change), slug="copy")
    assert not Benchmark.objects.filter(slug="copy").exists()


def test_an_address_in_use_is_said(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    with pytest.raises(Conflict):
        import_project(actor=lea, path=exported(kitchen, tmp_path / "file"), slug="kitchen")


def test_a_diff_names_samples_and_fields(kitchen: Benchmark, lea: User, rui: User, ana: User, tmp_path: Path) -> None:
    before = exported(kitchen, tmp_path / "before")
    waiting = next_review(rui, kitchen)
    reviewed(rui, waiting, "accept")
    Sample.objects.create(benchmark=kitchen, key="plate")
    with Reader(before) as first, Reader(exported(kitchen, tmp_path / "after")) as second:
        found = {one.key: one for one in changes(first, second)}
        assert found["plate"].kind is Kind.ADDED
        assert {"state", "question", "evidence", "toolchain"} <= set(found[waiting.key].fields)
        assert set(found) == {"plate", waiting.key}


def test_adjudicated_gold_keeps_where_its_fields_come_from(
    ana: User, rui: User, lea: User, sam: User, tmp_path: Path
) -> None:
    benchmark = create_benchmark(actor=lea, slug="desk")
    for user, role in ((ana, Role.ANNOTATOR), (sam, Role.ANNOTATOR), (rui, Role.REVIEWER)):
        add_member(actor=lea, benchmark=benchmark, user=user, role=role)
    Sample.objects.create(benchmark=benchmark, key="desk-1", width=1000, height=800)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    for user, answer in ((ana, "A"), (sam, "B")):
        submitted(user, benchmark, answer=[answer])
    sample = next_review(rui, benchmark)
    disputed = exported(benchmark, tmp_path / "disputed")
    with (
        Reader(disputed) as before,
        Reader(exported(import_project(actor=lea, path=disputed, slug="open"), tmp_path / "again")) as again,
    ):
        assert before.manifest.checksum == again.manifest.checksum
    mixed = content(answer=["A"], gold_boxes=[{"box": [1, 1, 9, 9], "label": ""}])
    adjudicate(actor=rui, sample=sample, verdict=Verdict("accept", content=mixed))
    gold = Gold.objects.get().revision
    named = set(gold.provenance["answer"]["from"])
    made = import_project(actor=lea, path=exported(benchmark, tmp_path / "file"), slug="copy")
    copied = Gold.objects.get(sample__benchmark=made).revision
    numbers = {Revision.objects.get(pk=one).author.name for one in named}
    assert {Revision.objects.get(pk=one).author.name for one in copied.provenance["answer"]["from"]} == numbers
    assert copied.provenance["answer"]["from"] != list(named)


def test_the_command_writes_reads_and_compares(kitchen: Benchmark, lea: User, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "kitchen.sightline"
    call_command("project", "export", "kitchen", str(file))
    checksum = capsys.readouterr().out.split()[-1]
    call_command("project", "verify", str(file))
    assert capsys.readouterr().out.split()[-1] == checksum
    call_command("project", "import", str(file), "copy", "--lead", lea.email)
    call_command("project", "export", "copy", str(tmp_path / "again"))
    assert Membership.objects.filter(benchmark__slug="copy", user=lea, role=Role.LEAD).exists()
    capsys.readouterr()
    call_command("project", "diff", str(file), str(tmp_path / "again"))
    assert capsys.readouterr().out == "The files have the same content.\n"
    Sample.objects.filter(benchmark__slug="copy", key="mug-6").delete()
    call_command("project", "export", "copy", str(tmp_path / "again"))
    capsys.readouterr()
    call_command("project", "diff", str(file), str(tmp_path / "again"))
    assert "mug-6: only in the first" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no portable benchmark"):
        call_command("project", "verify", __file__)
    assert AuditEntry.objects.filter(action="import.project").count() == 1


def test_drafts_and_decisions_stay_with_their_people(kitchen: Benchmark, ana: User, lea: User, tmp_path: Path) -> None:
    sample = drafted(ana, kitchen, question="What is it?")
    made = import_project(actor=lea, path=exported(kitchen, tmp_path / "file"), slug="copy")
    draft = Annotation.objects.get(sample__benchmark=made, sample__key=sample.key).draft
    assert draft.content["question"] == "What is it?"


def test_a_lead_downloads_the_file(kitchen: Benchmark, lea: User, rui: User, tmp_path: Path) -> None:
    client = signed_in(lea)
    assert "project.sightline" in client.get("/benchmarks/kitchen/export/").content.decode()
    answer = client.post("/benchmarks/kitchen/export/project.sightline", {"people": "named"})
    file = tmp_path / "file"
    file.write_bytes(b"".join(answer.streaming_content))
    with Reader(file) as downloaded, Reader(exported(kitchen, tmp_path / "same")) as same:
        assert downloaded.manifest.checksum == same.manifest.checksum
    entry = AuditEntry.objects.filter(action="export.project", actor=lea).get()
    assert (entry.data["people"], len(entry.data["checksum"])) == ("named", 64)
    assert signed_in(rui).post("/benchmarks/kitchen/export/project.sightline").status_code == 403


def test_a_further_question_names_the_first_sample_of_the_copy(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    ask_another(actor=lea, sample=kitchen.samples.get(key="mug-0"))
    made = import_project(actor=lea, path=exported(kitchen, tmp_path / "file"), slug="copy")
    assert made.samples.get(key="mug-0-2").asked_from == made.samples.get(key="mug-0")

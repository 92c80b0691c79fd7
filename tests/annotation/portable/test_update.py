"""A benchmark updated from a file with the same uid: what is added, taken over, kept, and left to a person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from annotation.content.freeze import gold_digest
from annotation.content.revisions import add_revision, make_gold, revision_json
from annotation.images.store import store_picture
from annotation.models import Annotation, Benchmark, Gold, Revision, Sample, Version, VersionEntry
from annotation.portable.read.update import Choice, Kind, plan_update
from annotation.portable.write import InvalidProject, opened
from annotation.portable.write.update import store_new_images, update_from
from annotation.project_file import Reader
from evaluation.exports.write import import_project
from tests.annotation.portable.files import exported, forged, png
from tests.annotation.portable.test_uploads import post, program, sent
from tests.annotation.work_data import content, drafted, reopened
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db
Run = Callable[[], int]


def changed(benchmark: Benchmark, key: str, by: User, question: str) -> Revision:
    """New gold of this sample, written by this person."""
    sample = benchmark.samples.select_related("benchmark").get(key=key)
    annotation = sample.gold.revision.annotation
    annotation.sample = sample
    new = {**revision_json(sample.gold.revision), "question": question}
    revision = add_revision(actor=by, annotation=annotation, content=new)
    make_gold(revision)
    return revision


def questions(benchmark: Benchmark) -> dict[str, str]:
    golds = Gold.objects.filter(sample__benchmark=benchmark).select_related("sample", "revision")
    return {gold.sample.key: gold.revision.question for gold in golds}


def kinds(benchmark: Benchmark, path: Path) -> dict[str, Kind]:
    with Reader(path) as file:
        return {one.key: one.kind for one in plan_update(benchmark, file).entries}


def updated(lead: User, benchmark: Benchmark, path: Path, **choices: str) -> dict[str, int]:
    with opened(path) as file:
        plan = plan_update(benchmark, file)
        images = store_new_images(actor=lead, benchmark=benchmark, file=file, plan=plan)
        named = {key.replace("_", "-"): choice for key, choice in choices.items()}
        return update_from(actor=lead, benchmark=benchmark, file=file, choices=named, images=images)


@pytest.fixture
def golds(kitchen: Benchmark) -> tuple[str, str]:
    return tuple(sorted(questions(kitchen)))  # type: ignore[return-value]  # the kitchen has two


def test_an_unchanged_file_changes_nothing(kitchen: Benchmark, twin: Benchmark, lea: User, tmp_path: Path) -> None:
    before = exported(kitchen, tmp_path / "before").read_bytes()
    assert twin.uid == kitchen.uid
    assert kinds(kitchen, exported(twin, tmp_path / "file")) == {}
    assert not any(updated(lea, kitchen, tmp_path / "file").values())
    assert exported(kitchen, tmp_path / "after").read_bytes() == before


def test_each_kind_of_difference_is_named(
    kitchen: Benchmark, twin: Benchmark, golds: tuple[str, str], lea: User, ana: User, tmp_path: Path
) -> None:
    first, second = golds
    changed(twin, first, lea, "Which mug?")
    Sample.objects.create(benchmark=twin, key="plate", image=store_picture(actor=lea, benchmark=twin, source=png(99)))
    twin.samples.get(key="mug-6").delete()
    file = exported(twin, tmp_path / "file")
    assert kinds(kitchen, file) == {first: Kind.FILE, "plate": Kind.ADDED, "mug-6": Kind.MISSING}
    changed(kitchen, second, lea, "Which cup?")
    assert kinds(kitchen, file)[second] is Kind.HERE
    changed(kitchen, first, lea, "Which glass?")
    with Reader(file) as read:
        [conflict] = plan_update(kitchen, read).of(Kind.CONFLICT)
    assert (conflict.key, conflict.fields, conflict.open) == (first, ("question",), False)


def test_what_only_the_file_has_is_taken_over_once(
    kitchen: Benchmark, twin: Benchmark, golds: tuple[str, str], lea: User, tmp_path: Path
) -> None:
    first = golds[0]
    changed(twin, first, lea, "Which mug?")
    image = store_picture(actor=lea, benchmark=twin, source=png(99))
    plate = Sample.objects.create(benchmark=twin, key="plate", image=image, width=100, height=80)
    annotation = Annotation.objects.create(sample=plate, author=lea, state="accepted")
    make_gold(add_revision(actor=lea, annotation=annotation, content=content(gold_boxes=[], question="A plate?")))
    Sample.objects.create(benchmark=twin, key="spoon", image=image, width=100, height=80)
    versions = list(VersionEntry.objects.filter(version__benchmark=kitchen).order_by("pk").values())
    file = exported(twin, tmp_path / "file")
    before = Revision.objects.filter(annotation__sample__benchmark=kitchen).count()
    counts = updated(lea, kitchen, file)
    assert counts == {"added": 2, "changed": 1, "kept": 0, "revisions": 2, "reviews": 0, "comments": 0}
    kept = questions(kitchen)
    assert (kept[first], kept["plate"]) == ("Which mug?", "A plate?")
    assert gold_digest(kitchen) == gold_digest(twin)
    assert kitchen.samples.get(key="plate").state == "accepted"
    assert kitchen.samples.get(key="spoon").state == "to_do"
    assert Revision.objects.filter(annotation__sample__benchmark=kitchen).count() == before + 2
    author = Gold.objects.get(sample__benchmark=kitchen, sample__key=first).revision.author
    assert (author.is_active, author.name) == (False, "Lea Moreau"), "No file signs in the name of an account."
    state = exported(kitchen, tmp_path / "state").read_bytes()
    assert not any(updated(lea, kitchen, file).values())
    assert exported(kitchen, tmp_path / "again").read_bytes() == state
    assert list(VersionEntry.objects.filter(version__benchmark=kitchen).order_by("pk").values()) == versions
    assert AuditEntry.objects.filter(action="import.update", actor=lea).count() == 1


@pytest.mark.parametrize(
    ("choice", "question", "appended", "after"),
    [
        (None, "Which glass?", 0, Kind.CONFLICT),
        (Choice.HERE, "Which glass?", 0, Kind.CONFLICT),
        (Choice.BOTH, "Which glass?", 1, Kind.HERE),
        (Choice.FILE, "Which mug?", 1, None),
    ],
)
def test_a_person_decides_conflicts_and_no_revision_is_lost(
    kitchen: Benchmark, twin: Benchmark, golds: tuple[str, str], lea: User, tmp_path: Path,
    choice: Choice | None, question: str, appended: int, after: Kind | None,
) -> None:  # fmt: skip
    key = golds[0]
    changed(twin, key, lea, "Which mug?")
    mine = changed(kitchen, key, lea, "Which glass?")
    file = exported(twin, tmp_path / "file")
    choices = {key.replace("-", "_"): choice} if choice else {}
    assert updated(lea, kitchen, file, **choices)["revisions"] == appended
    assert questions(kitchen)[key] == question
    texts = Revision.objects.filter(annotation__sample__benchmark=kitchen, annotation__sample__key=key)
    found = set(texts.values_list("question", flat=True))
    assert {"Which glass?"} | ({"Which mug?"} if appended else set()) <= found
    assert Revision.objects.filter(pk=mine.pk).exists()
    gold = Gold.objects.select_related("revision").get(sample__benchmark=kitchen, sample__key=key)
    accepted = Annotation.objects.filter(sample=gold.sample_id, state="accepted")
    assert list(accepted.values_list("pk", flat=True)) == [gold.revision.annotation_id]
    assert kinds(kitchen, file).get(key) is after
    state = exported(kitchen, tmp_path / "state").read_bytes()
    assert not any(updated(lea, kitchen, file, **choices).values()), "The same again changes nothing."
    assert exported(kitchen, tmp_path / "again").read_bytes() == state


def test_open_work_is_never_overruled(
    kitchen: Benchmark, twin: Benchmark, golds: tuple[str, str], lea: User, ana: User, tmp_path: Path
) -> None:
    key = golds[0]
    changed(twin, key, lea, "Which mug?")
    todo = drafted(ana, kitchen, question="Mine?").key
    reopened(lea, kitchen.samples.get(key=key))
    file = exported(twin, tmp_path / "file")
    with Reader(file) as read:
        [entry] = plan_update(kitchen, read).of(Kind.CONFLICT)
    assert (entry.key, entry.open) == (key, True)
    with pytest.raises(InvalidInput):
        updated(lea, kitchen, file, **{key.replace("-", "_"): "file"})
    assert updated(lea, kitchen, file, **{key.replace("-", "_"): "both"})["revisions"] == 1
    assert kitchen.samples.get(key=key).state in ("draft", "returned")
    assert Annotation.objects.get(sample__benchmark=kitchen, sample__key=todo).draft.content["question"] == "Mine?"


def test_a_sample_with_another_image_stays(
    kitchen: Benchmark, twin: Benchmark, golds: tuple[str, str], lea: User, tmp_path: Path
) -> None:
    changed(twin, golds[0], lea, "Which mug?")
    image = store_picture(actor=lea, benchmark=twin, source=png(98))
    twin.samples.filter(key=golds[0]).update(image=image)
    file = exported(twin, tmp_path / "file")
    assert kinds(kitchen, file) == {golds[0]: Kind.BLOCKED}
    assert not any(updated(lea, kitchen, file).values())


def test_a_version_alone_updates_too(
    kitchen: Benchmark, twin: Benchmark, golds: tuple[str, str], lea: User, tmp_path: Path
) -> None:
    mine = changed(kitchen, golds[0], lea, "Which glass?")
    file = exported(twin, tmp_path / "file", version=Version.objects.get(benchmark=twin))
    found = kinds(kitchen, file)
    assert found.pop(golds[0]) is Kind.HERE
    assert set(found.values()) == {Kind.MISSING}
    assert not any(updated(lea, kitchen, file).values())
    assert Gold.objects.get(sample__benchmark=kitchen, sample__key=golds[0]).revision == mine


def test_files_of_other_benchmarks_and_of_earlier_releases_update_nothing(
    kitchen: Benchmark, lea: User, rui: User, tmp_path: Path
) -> None:
    strange = {"uid": "00000000-0000-0000-0000-000000000000"}
    other = forged(exported(kitchen, tmp_path / "file"), "benchmark", lambda rows: [rows[0] | strange])
    with pytest.raises(Conflict, match="another benchmark"):
        updated(lea, kitchen, other)
    old = forged(tmp_path / "file", "benchmark", lambda rows: [{k: v for k, v in rows[0].items() if k != "uid"}])
    with pytest.raises(Conflict, match="no uid"):
        updated(lea, kitchen, old)
    assert import_project(actor=lea, path=old, slug="old").uid != kitchen.uid
    with pytest.raises(NotAllowed):
        updated(rui, kitchen, tmp_path / "file")


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("revision", lambda rows: [row | {"author": 99} for row in rows]),
        ("revision", lambda rows: [row | {"question": None} for row in rows]),
        ("goldbox", lambda rows: [row | {"x2": row["x1"]} for row in rows]),
        ("annotation", lambda rows: [row | {"kind": "strange"} for row in rows]),
    ],
)
def test_a_forged_file_changes_nothing(
    kitchen: Benchmark, twin: Benchmark, golds: tuple[str, str], lea: User, tmp_path: Path, table: str, change: Any
) -> None:
    changed(twin, golds[0], lea, "Which mug?")
    file = forged(exported(twin, tmp_path / "file"), table, change)
    state = exported(kitchen, tmp_path / "state").read_bytes()
    with pytest.raises(InvalidProject), transaction.atomic():
        updated(lea, kitchen, file)
    assert exported(kitchen, tmp_path / "again").read_bytes() == state


def test_a_program_updates_a_benchmark(
    kitchen: Benchmark, twin: Benchmark, golds: tuple[str, str], lea: User, rui: User, run_jobs: Run, tmp_path: Path
) -> None:
    first, second = golds
    changed(twin, first, lea, "Which mug?")
    changed(twin, second, lea, "Which cup?")
    changed(kitchen, first, lea, "Which glass?")
    file = exported(twin, tmp_path / "file.sightline")
    client, address = program(lea, Scope.MANAGE, benchmark="kitchen"), "/api/v1/benchmarks/kitchen/portable/updates/"
    upload = f"{address}{sent(client, file, address).json()['id']}/"
    run_jobs()
    preview = client.get(upload).json()["preview"]["update"]
    assert (preview["counts"]["conflict"], preview["counts"]["changed in the file"]) == (1, 1)
    assert {"key": first, "kind": "conflict", "fields": ["question"], "open": False} in preview["samples"]
    for wrong in ({first: "mine"}, {second: "file"}, {"nowhere": "file"}):
        assert post(client, f"{upload}start/", conflicts=wrong).status_code == 400
    assert post(program(rui, Scope.MANAGE), f"{upload}start/").status_code == 403
    assert post(client, f"{upload}start/", conflicts={first: "file"}).status_code == 202
    assert post(client, f"{upload}start/", conflicts={first: "here"}).status_code == 409
    run_jobs()
    done = client.get(upload).json()
    assert (done["state"], done["preview"]["updated"]["changed"]) == ("done", 2)
    assert questions(kitchen) == {first: "Which mug?", second: "Which cup?"}


def test_a_lead_updates_a_benchmark_on_pages(
    kitchen: Benchmark, twin: Benchmark, golds: tuple[str, str], lea: User, run_jobs: Run, tmp_path: Path
) -> None:
    changed(twin, golds[0], lea, "Which mug?")
    changed(kitchen, golds[0], lea, "Which glass?")
    client = signed_in(lea)
    page = sent(client, exported(twin, tmp_path / "file.sightline"), "/benchmarks/kitchen/export/update/").url
    assert client.get(page).status_code == 200
    run_jobs()
    shown = client.get(page)
    assert [group.kind for group in shown.context["groups"]] == ["conflict"]
    assert client.post(page, {f"choice:{golds[0]}": "theirs"}).status_code == 400
    assert client.post(page, {f"choice:{golds[0]}": "both"}).status_code == 302
    run_jobs()
    assert "Revisions added: 1" in client.get(page).content.decode()
    assert questions(kitchen)[golds[0]] == "Which glass?"

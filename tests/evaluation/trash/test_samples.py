"""A deleted sample is nowhere, comes back exactly as it was, and leaves nothing once it is purged. One of a frozen
version is withdrawn instead."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone
from PIL import Image as Picture

from annotation.benchmarks.read.trash import owned_tables
from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.benchmarks.write.trash import delete_benchmark, purge_benchmark
from annotation.content.freeze import freeze_version, gold_digest
from annotation.images.store import store_picture
from annotation.models import Annotation, Benchmark, FacetValue, Image, Sample, Version, VersionEntry
from annotation.portable.read.gold_changes import changes
from annotation.portable.read.project import export_project
from annotation.project_file import Reader
from annotation.queue.assignment import next_to_annotate
from annotation.studio.write.submit import submit
from annotation.workflow import Role
from evaluation.experiments.write.images import sweep_sent_images
from evaluation.exports.read.formats import export_parts
from evaluation.exports.write import import_project
from evaluation.judging.write.queues import draw_judging, next_to_judge
from evaluation.models import Intervention, JudgingItem, Run, ScoreFile, Scoring, Trajectory
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.write import score_benchmark
from evaluation.store.files import sweep_files
from evaluation.trajectories.write.marks import tag_trajectories, write_note
from evaluation.trash.write.samples import delete_samples, empty_samples, purge_old_samples, restore_sample
from tests.annotation.work_data import content, drafted, submitted
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.errors import Conflict, NotFound
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db

BOXES = [{"box": [10, 10, 30, 25], "label": "mug"}]
KINDS = {"seen": 3, "seen-wrong": 2, "missed": 2, "planned": 1}


@made_once
def street(lea: User, rui: User) -> Benchmark:
    """Two scored runs on eight samples, a judging queue, a tag and a note."""
    benchmark = make_benchmark(lea, KINDS, models=("Model A", "Model B"))
    add_member(actor=lea, benchmark=benchmark, user=rui, role=Role.REVIEWER)
    draw_judging(actor=lea, benchmark=benchmark, terms={}, size=40, people=1)
    shown = Trajectory.objects.filter(sample__key="seen-00").first()
    tag_trajectories(actor=lea, benchmark=benchmark, trajectories=[shown.pk], name="glare")
    write_note(actor=lea, trajectory=shown, text="Look again.")
    return benchmark


def delete(lea: User, benchmark: Benchmark, *keys: str, reason: str = "") -> list[Sample]:
    delete_samples(actor=lea, benchmark=benchmark, keys=keys, reason=reason)
    return list(Sample.everything.filter(removed_from=benchmark, key__in=keys).order_by("key"))


def exported(benchmark: Benchmark) -> dict[str, bytes]:
    client, page = signed_in(benchmark.created_by), f"/benchmarks/{benchmark.slug}/export/"
    found = {name: b"".join(client.get(f"{page}{name}.csv")) for name in ("metrics", "samples", "comparisons")}
    api = f"/api/v1/benchmarks/{benchmark.slug}/"
    names = ("runs", "trajectories", "samples", "metrics", "tags", "notes", "facets", "trajectories/facets")
    found |= {f"{name} of the API": client.get(f"{api}{name}/").content for name in names}
    return {**found, "native": b"".join(export_parts("native", benchmark, None))}


def portable(benchmark: Benchmark) -> bytes:
    out = io.BytesIO()
    export_project(actor=None, benchmark=benchmark, out=out, named=False)
    return out.getvalue()


def test_a_restored_sample_exports_the_same_bytes(lea: User, street: Benchmark, run_jobs: Callable[[], int]) -> None:
    before = exported(street)
    assert b"seen-00" in before["native"]
    removed = delete(lea, street, "seen-00", "planned-00")
    run_jobs()
    without = exported(street)
    changed = {name for name in before if without[name] != before[name]}
    assert changed == {*before} - {"metrics", "comparisons", "metrics of the API"}, (
        "the metrics of a run stay as they were scored, and its row says that they are stale"
    )
    assert not [name for name, content in without.items() if b"seen-00" in content or b"planned-00" in content]
    for sample in removed:
        restore_sample(actor=lea, benchmark=street, sample=sample)
    run_jobs()
    assert exported(street) == before
    told = AuditEntry.objects.filter(action__startswith="sample.").order_by("pk")
    assert [one.action for one in told] == ["sample.delete"] * 2 + ["sample.restore"] * 2
    assert {one.actor for one in told} == {lea}


def test_nothing_shows_a_deleted_sample(lea: User, rui: User, street: Benchmark) -> None:
    client, page = signed_in(lea), f"/benchmarks/{street.slug}/"
    shown = Trajectory.objects.filter(sample__key="seen-00").values_list("pk", flat=True)
    rows = [reverse("evaluation:trajectory", args=[street.slug, pk]) for pk in shown]
    about = [f"{page}samples/seen-00/", f"/api/v1{page}samples/seen-00/", *rows]
    lists = [
        page, f"{page}?view=table", f"{page}trajectories/", "/search/?q=seen-00", f"{page}work/samples/",
        f"{page}agreement/", f"{page}versions/", f"/api/v1{page}samples/", f"/api/v1{page}trajectories/?limit=1000",
    ]  # fmt: skip
    assert {client.get(one).status_code for one in about} == {200}
    assert JudgingItem.objects.filter(trajectory__in=list(shown)).exists()
    delete(lea, street, "seen-00")
    assert {client.get(one).status_code for one in about} == {404}
    for one in lists:
        answer = client.get(one)
        assert answer.status_code == 200, one
        said = answer.content.decode()
        for asked in ("q=seen-00", 'value="seen-00"', "“seen-00”"):
            said = said.replace(asked, "")
        assert "seen-00" not in said, one
    assert not JudgingItem.objects.filter(trajectory__in=list(shown)).exists()
    assert not Trajectory.objects.filter(sample__key="seen-00").exists()
    assert not Intervention.objects.filter(sample__key="seen-00").exists()
    assert not FacetValue.objects.filter(benchmark=street, sample__key="seen-00").exists()
    assert street.samples.count() == 7
    queue = street.judging_queues.get()
    item = next_to_judge(actor=rui, queue=queue)
    assert item is not None
    assert item.trajectory.sample.key != "seen-00"


def test_scores_are_stale_without_the_sample_and_again_with_it(lea: User, street: Benchmark) -> None:
    def stale() -> int:
        fresh = StalenessChecker(street)
        return sum(fresh.stale(run.scoring) for run in Run.objects.of(street))

    assert stale() == 0
    [removed] = delete(lea, street, "seen-00")
    assert stale() == 2
    restore_sample(actor=lea, benchmark=street, sample=removed)
    assert stale() == 0, "nothing was scored in between"
    [removed] = delete(lea, street, "seen-00")
    score_benchmark(actor=lea, benchmark=street)
    assert stale() == 0
    assert set(Scoring.objects.values_list("samples_n", flat=True)) == {7}
    delete(lea, street, "seen-01")
    restore_sample(actor=lea, benchmark=street, sample=removed)
    assert stale() == 2, "as many samples, but others"


def test_the_page_asks_first_and_the_trash_gives_the_sample_back(lea: User, ana: User, street: Benchmark) -> None:
    add_member(actor=lea, benchmark=street, user=ana, role=Role.RESEARCHER)
    client, address = signed_in(lea), reverse("evaluation:samples-delete", args=[street.slug])
    assert f"{address}?id=seen-00" in client.get(f"/benchmarks/{street.slug}/samples/seen-00/").content.decode()
    assert f'formaction="{address}"' in client.get(f"/benchmarks/{street.slug}/").content.decode()
    shown = client.get(address, {"id": ["seen-00", "seen-01"]})
    assert [one.key for one in shown.context["samples"]] == ["seen-00", "seen-01"]
    assert shown.context["withdrawn"] == []
    assert client.get(address).status_code == 400
    assert client.post(address, {"id": ["seen-00", "seen-01"]}).status_code == 302
    page = reverse("evaluation:trash", args=[street.slug])
    [(_, gone), (sample, _)] = client.get(page).context["samples"]
    assert gone == sample.deleted_at + timedelta(days=30)
    assert signed_in(ana).get(page).context["samples"] == [], "a researcher sees runs"
    restore = reverse("evaluation:sample-restore", args=[street.slug, sample.pk])
    assert signed_in(ana).post(restore).status_code == 403
    assert client.post(restore).status_code == 302
    assert client.post(restore).status_code == 404
    assert street.samples.count() == 7


def test_a_sample_is_not_restored_over_another_one_with_its_id(lea: User, street: Benchmark) -> None:
    [removed] = delete(lea, street, "seen-00")
    Sample.objects.create(benchmark=street, key="seen-00")
    with pytest.raises(Conflict, match="another sample seen-00"):
        restore_sample(actor=lea, benchmark=street, sample=removed)
    with pytest.raises(NotFound):
        delete(lea, street, "seen-00", "nowhere")
    assert street.samples.filter(key="seen-00").exists()


def stored() -> set[str]:
    return set(objects.all_names())


@pytest.fixture
def kitchen(lea: User, ana: User) -> Benchmark:
    """Three samples with stored images, of which the last two share one, all annotated and in a scored run."""
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    for number, shade in enumerate((40, 90, 90)):
        out = io.BytesIO()
        Picture.fromarray(np.full((80, 100, 3), shade, np.uint8)).save(out, "PNG")
        image = store_picture(actor=lea, benchmark=benchmark, source=out.getvalue())
        Sample.objects.create(benchmark=benchmark, key=f"mug-{number}", image=image, width=100, height=80)
    return benchmark


def test_a_purged_sample_leaves_no_row_and_no_file_and_takes_no_other(
    lea: User, ana: User, kitchen: Benchmark, street: Benchmark, run_jobs: Callable[[], int]
) -> None:
    """Of two benchmarks; an image that another sample shows stays."""
    assert [submitted(ana, kitchen, gold_boxes=BOXES).key for _ in range(2)] == ["mug-0", "mug-1"]
    mine = {
        model: set(model._base_manager.filter(**{f"{path}__key__in": ["mug-0", "mug-1", "seen-00"]}).values_list("pk"))
        for model, path in owned_tables(Sample)
    }
    assert sum(bool(found) for found in mine.values()) >= 10
    kept = {model: set(model._base_manager.values_list("pk")) - found for model, found in mine.items()}
    files, sha = stored(), Sample.objects.get(key="mug-0").image.sha256
    delete(lea, kitchen, "mug-0", "mug-1")
    delete(lea, street, "seen-00")
    assert (empty_samples(actor=lea, benchmark=kitchen), empty_samples(actor=lea, benchmark=street)) == (2, 1)
    run_jobs()
    later = timezone.now() + timedelta(days=3)
    sweep_files(later)
    sweep_sent_images(later)
    assert not Sample.everything.filter(key__in=["mug-0", "mug-1", "seen-00"]).exists()
    for model, found in kept.items():
        assert set(model._base_manager.values_list("pk")) == found, model
    assert not Image.objects.filter(sha256=sha).exists()
    gone = files - stored()
    assert any(sha in one for one in gone)
    assert {one.split("/")[0] for one in gone if sha not in one} <= {"scores", "words", "lists"}
    assert Sample.objects.get(key="mug-2").image is not None
    named = set(ScoreFile.objects.values_list("digest", flat=True))
    assert named
    assert all(any(digest in one for one in stored()) for digest in named)
    actions = set(AuditEntry.objects.filter(action__startswith="sample.").values_list("action", flat=True))
    assert actions == {"sample.delete", "sample.purge", "sample.purged"}


def test_a_portable_file_lacks_deleted_samples_and_is_the_same_once_they_are_back(
    lea: User, ana: User, kitchen: Benchmark
) -> None:
    """Also where another sample was made from the deleted one."""
    assert submitted(ana, kitchen, gold_boxes=BOXES).key == "mug-0"
    first, second, third = Sample.objects.order_by("key")
    Sample.objects.filter(pk=second.pk).update(asked_from=first)
    Sample.objects.filter(pk=third.pk).update(variant_of=first)
    before = portable(kitchen)
    [removed] = delete(lea, kitchen, "mug-0")
    assert b"mug-0" not in b"".join(zipped(portable(kitchen)))
    restore_sample(actor=lea, benchmark=kitchen, sample=removed)
    assert portable(kitchen) == before


def zipped(file: bytes) -> list[bytes]:
    with zipfile.ZipFile(io.BytesIO(file)) as found:
        return [found.read(name) for name in found.namelist()]


def test_a_sample_leaves_the_trash_after_thirty_days(lea: User, street: Benchmark, run_jobs: Callable[[], int]) -> None:
    delete(lea, street, "seen-00")
    assert purge_old_samples(timezone.now() + timedelta(days=29)) == 0
    assert purge_old_samples(timezone.now() + timedelta(days=31)) == 1
    [sample] = Sample.everything.filter(removed_from=street)
    with pytest.raises(Conflict, match="being deleted"):
        restore_sample(actor=lea, benchmark=street, sample=sample)
    run_jobs()
    assert not Sample.everything.filter(removed_from=street).exists()


def test_work_on_a_deleted_sample_ends(lea: User, ana: User, kitchen: Benchmark) -> None:
    assert drafted(ana, kitchen, gold_boxes=BOXES).key == "mug-0"
    annotation = Annotation.objects.get(sample__key="mug-0")
    sample = annotation.sample
    [removed] = delete(lea, kitchen, "mug-0")
    with pytest.raises(Conflict, match="removed"):
        submit(actor=ana, sample=sample, content=content(gold_boxes=BOXES), version=1)
    following = next_to_annotate(actor=ana, benchmark=kitchen)
    assert following is not None
    assert following.key != "mug-0"
    page = f"/benchmarks/{kitchen.slug}/annotate/samples/mug-0/"
    assert signed_in(ana).get(page).status_code == 404
    restore_sample(actor=lea, benchmark=kitchen, sample=removed)
    assert signed_in(ana).get(page).status_code == 200
    assert Annotation.objects.get(pk=annotation.pk).draft.content == annotation.draft.content


def test_a_sample_of_a_version_is_withdrawn_and_the_version_stays(
    lea: User, street: Benchmark, run_jobs: Callable[[], int]
) -> None:
    version = freeze_version(actor=lea, benchmark=street)
    held = list(VersionEntry.objects.filter(version=version).order_by("pk").values())
    client, address = signed_in(lea), reverse("evaluation:samples-delete", args=[street.slug])
    said = {"id": ["seen-00"], "reason": " "}
    assert client.post(address, said).status_code == 400
    assert client.post(address, {**said, "reason": "Faces can be recognized."}).status_code == 302
    assert gold_digest(street) != version.checksum
    again = Version.objects.get(pk=version.pk)
    assert (again.checksum, list(VersionEntry.objects.filter(version=again).order_by("pk").values())) == (
        version.checksum, held,
    )  # fmt: skip
    shown = client.get(f"/benchmarks/{street.slug}/versions/?from=nothing&to=1")
    assert [one.key for one in shown.context["withdrawn"]] == ["seen-00"]
    assert "Faces can be recognized." in shown.content.decode()
    assert shown.context["changed_n"] == 1
    assert purge_old_samples(timezone.now() + timedelta(days=400)) == 0
    assert empty_samples(actor=lea, benchmark=street) == 0
    newer = freeze_version(actor=lea, benchmark=street)
    assert newer.entries.count() == version.entries.count() - 1
    trash = client.get(reverse("evaluation:trash", args=[street.slug]))
    [sample] = trash.context["withdrawn"]
    restore_sample(actor=lea, benchmark=street, sample=sample)
    assert gold_digest(street) == version.checksum


def test_a_withdrawn_sample_travels_in_a_portable_file(lea: User, street: Benchmark, tmp_path: Path) -> None:
    Sample.objects.filter(benchmark=street).update(image=None)
    freeze_version(actor=lea, benchmark=street)
    before = tmp_path / "before.sightline"
    before.write_bytes(portable(street))
    delete(lea, street, "seen-00", reason="Faces can be recognized.")
    delete(lea, street, "seen-01", reason="Blurred.")
    after = tmp_path / "after.sightline"
    after.write_bytes(portable(street))
    with Reader(before) as one, Reader(after) as other:
        assert [(row.key, row.fields) for row in changes(one, other)] == [("seen-00", ()), ("seen-01", ())]
    copy = import_project(actor=lea, path=after, slug="copy")
    assert copy.samples.count() == 6
    assert copy.versions.get().entries.count() == 8
    withdrawn = Sample.everything.filter(removed_from=copy).order_by("key")
    assert [(one.key, one.withdrawn) for one in withdrawn] == [
        ("seen-00", "Faces can be recognized."), ("seen-01", "Blurred."),
    ]  # fmt: skip
    assert not FacetValue.objects.filter(benchmark=copy, sample__in=withdrawn).exists()
    again = tmp_path / "again.sightline"
    again.write_bytes(portable(copy))
    with Reader(after) as one, Reader(again) as other:
        assert not list(changes(one, other))
        assert list(one.rows("sample")) == list(other.rows("sample"))


def test_a_purged_benchmark_takes_its_removed_samples_along(
    lea: User, street: Benchmark, run_jobs: Callable[[], int]
) -> None:
    delete(lea, street, "seen-01")
    freeze_version(actor=lea, benchmark=street)
    delete(lea, street, "seen-00", reason="Blurred.")
    delete_benchmark(actor=lea, benchmark=street, title=street.title)
    purge_benchmark(actor=lea, benchmark=Benchmark.everything.get(pk=street.pk))
    run_jobs()
    assert not Sample.everything.exists()
    assert not Trajectory.everything.exists()


def test_samples_are_deleted_listed_and_restored_over_the_api(
    lea: User, street: Benchmark, run_jobs: Callable[[], int]
) -> None:
    freeze_version(actor=lea, benchmark=street)
    Sample.objects.create(benchmark=street, key="new")
    client, address = signed_in(lea), f"/api/v1/benchmarks/{street.slug}/trash/samples/"

    def post(path: str, **said: Any) -> Any:
        return client.post(path, said, content_type="application/json")

    assert post(address, ids=["new", "seen-00"]).status_code == 400, "without a reason"
    assert post(address, ids=["new", "seen-00"], reason="Blurred.").json() == {"deleted": 1, "withdrawn": 1}
    found = {row["sample"]: row for row in client.get(address).json()["results"]}
    assert (found["seen-00"]["withdrawn"], found["seen-00"]["gone_at"]) == ("Blurred.", None)
    assert found["new"]["deleted_by"] == str(lea)
    assert post(f"{address}{found['seen-00']['id']}/restore/").status_code == 204
    assert post(f"/api/v1/benchmarks/{street.slug}/trash/empty/").json() == {"runs": 0, "samples": 1}
    run_jobs()
    assert client.get(address).json()["results"] == []
    assert street.samples.count() == 8

"""A deleted benchmark is closed to everybody, comes back exactly as it was, and leaves nothing once it is purged."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.benchmarks.read.trash import owned_tables
from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.benchmarks.write.trash import delete_benchmark, purge_benchmark, purge_old, restore_benchmark
from annotation.common.access import require, roles_of
from annotation.content.freeze import freeze_version
from annotation.models import Benchmark, Image, Sample
from annotation.workflow import Right, Role
from evaluation.experiments.write.images import sweep_sent_images
from evaluation.exports.read.formats import export_parts
from evaluation.exports.write.files import delete_old_files
from evaluation.models import Run
from evaluation.scoring.queue import queue_scoring
from evaluation.store.files import sweep_files
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark
from tests.test_permissions import World
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry
from webapp.jobs.models import Job
from webapp.notifications.models import Notification

pytestmark = pytest.mark.django_db

MODELS = ("Model A", "Model B", "Model C", "Model D", "Model E")
KINDS = {"seen": 3, "seen-wrong": 2, "missed": 2, "planned": 1}


@made_once
def street(lea: User) -> Benchmark:
    """Five scored runs, a version, and one of the runs in the trash."""
    benchmark = make_benchmark(lea, KINDS, models=MODELS, pictures=False)
    freeze_version(actor=lea, benchmark=benchmark)
    return benchmark


def delete(lea: User, benchmark: Benchmark) -> None:
    delete_benchmark(actor=lea, benchmark=benchmark, title=benchmark.title)


def exported(benchmark: Benchmark) -> dict[str, bytes]:
    client, page = signed_in(benchmark.created_by), f"/benchmarks/{benchmark.slug}/export/"
    found = {name: b"".join(client.get(f"{page}{name}.csv")) for name in ("metrics", "samples", "comparisons")}
    api = f"/api/v1/benchmarks/{benchmark.slug}/"
    found |= {f"{name} of the API": client.get(f"{api}{name}/").content for name in ("runs", "trajectories", "samples")}
    return {**found, "native": b"".join(export_parts("native", benchmark, None))}


def test_a_restored_benchmark_with_five_runs_exports_the_same_bytes(
    lea: User, street: Benchmark, run_jobs: Callable[[], int]
) -> None:
    before = exported(street)
    assert Run.objects.filter(benchmark=street).count() == 5
    delete(lea, street)
    run_jobs()
    restore_benchmark(actor=lea, benchmark=Benchmark.everything.get(pk=street.pk))
    run_jobs()
    assert exported(street) == before
    actions = AuditEntry.objects.filter(action__in=("benchmark.delete", "benchmark.restore")).order_by("pk")
    assert list(actions.values_list("action", "actor")) == [("benchmark.delete", lea.pk), ("benchmark.restore", lea.pk)]


def test_nobody_finds_a_deleted_benchmark(lea: User, ana: User, street: Benchmark) -> None:
    admin = User.objects.create_user(email="ada@example.org", name="Ada Kern", password="x", is_staff=True)
    add_member(actor=lea, benchmark=street, user=ana, role=Role.ANNOTATOR)
    Benchmark.objects.filter(pk=street.pk).update(public=True)
    assert Notification.objects.of(ana).count() == 1, "of the role"
    run = Run.objects.filter(benchmark=street).first()
    addresses = [
        f"/benchmarks/{street.slug}/", f"/benchmarks/{street.slug}/leaderboard/", f"/api/v1/benchmarks/{street.slug}/",
        f"/benchmarks/{street.slug}/runs/{run.pk}/", f"/api/v1/benchmarks/{street.slug}/runs/",
    ]  # fmt: skip
    assert all(signed_in(lea).get(one).status_code == 200 for one in addresses)
    delete(lea, street)
    for person in (lea, ana, admin):
        client = signed_in(person)
        assert {client.get(one).status_code for one in addresses} == {404}
        for page in ("/", "/benchmarks/", "/leaderboard/", "/search/?q=street", "/api/v1/benchmarks/"):
            assert f"/benchmarks/{street.slug}/" not in client.get(page, follow=True).content.decode(), page
    assert {Client().get(one).status_code for one in addresses[:2]} <= {302, 404}
    assert Notification.objects.of(ana).count() == 0
    gone = Benchmark.everything.get(pk=street.pk)
    assert roles_of(lea, gone) == roles_of(admin, gone) == frozenset()
    with pytest.raises(NotAllowed):
        require(lea, gone, Right.VIEW)


def test_only_its_leads_and_site_admins_restore_a_benchmark(lea: User, ana: User, street: Benchmark) -> None:
    add_member(actor=lea, benchmark=street, user=ana, role=Role.RESEARCHER)
    delete(lea, street)
    address = reverse("annotation:restore-benchmark", args=[street.slug])
    assert signed_in(ana).get(reverse("annotation:trash")).context["benchmarks"] == []
    assert signed_in(ana).post(address).status_code == 404
    with pytest.raises(NotAllowed):
        restore_benchmark(actor=ana, benchmark=street)
    admin = User.objects.create_user(email="ada@example.org", name="Ada Kern", password="x", is_staff=True)
    [[shown, gone]] = signed_in(admin).get(reverse("annotation:trash")).context["benchmarks"]
    assert (shown, gone - shown.deleted_at) == (street, timedelta(days=30))
    assert signed_in(lea).post(address).status_code == 302
    assert signed_in(ana).get(f"/benchmarks/{street.slug}/").status_code == 200


def test_deleting_asks_for_the_title(lea: User, street: Benchmark) -> None:
    client, address = signed_in(lea), reverse("annotation:delete-benchmark", args=[street.slug])
    assert client.get(address).status_code == 200
    assert client.post(address, {"title": "Another"}).status_code == 400
    with pytest.raises(InvalidInput):
        delete_benchmark(actor=lea, benchmark=street, title="")
    assert Benchmark.objects.filter(pk=street.pk).exists()
    assert client.post(address, {"title": f" {street.title} "}).status_code == 302
    assert not Benchmark.objects.filter(pk=street.pk).exists()


def test_its_jobs_stop_and_do_nothing(lea: User, street: Benchmark, run_jobs: Callable[[], int]) -> None:
    Run.objects.filter(benchmark=street).first().scoring.delete()
    waiting = queue_scoring(actor=lea, benchmark=street)
    delete(lea, street)
    waiting.refresh_from_db()
    assert waiting.state == Job.State.CANCELLED
    Job.objects.filter(pk=waiting.pk).update(state=Job.State.QUEUED, cancel_requested=False)
    run_jobs()
    waiting.refresh_from_db()
    assert waiting.state == Job.State.CANCELLED
    assert Run.everything.filter(benchmark=street, scoring=None).count() == 1


def test_its_address_stays_taken(lea: User, street: Benchmark, run_jobs: Callable[[], int]) -> None:
    delete(lea, street)
    with pytest.raises(Conflict, match="trash"):
        create_benchmark(actor=lea, slug=street.slug)
    purge_benchmark(actor=lea, benchmark=street)
    run_jobs()
    with pytest.raises(Conflict, match="deleted"):
        create_benchmark(actor=lea, slug=street.slug)


def others(benchmarks: Collection[Benchmark]) -> dict[Any, set[Any]]:
    """The rows of all tables that are not those of these benchmarks, or of samples in their trash."""
    found = {}
    removed = Sample.everything.filter(removed_from__in=benchmarks).values("pk")
    of_samples = {**dict(owned_tables(Sample)), Sample: "pk"}
    for model, path in owned_tables():
        theirs = set(model._base_manager.filter(**{f"{path}__in": benchmarks}).values_list("pk", flat=True))
        if model in of_samples:
            deleted = model._base_manager.filter(**{f"{of_samples[model]}__in": removed})
            theirs |= set(deleted.values_list("pk", flat=True))
        found[model] = set(model._base_manager.values_list("pk", flat=True)) - theirs
    return found


def test_a_purged_benchmark_leaves_no_row_and_takes_none_of_others(tmp_path: Path, run_jobs: Callable[[], int]) -> None:
    """The world of the permission table: a benchmark with a bit of everything, beside another one."""
    before = set(objects.all_names())
    world = World(tmp_path)
    lea, street = world.people["lead"], Benchmark.objects.get(slug="street")
    other = Benchmark.objects.get(slug="elsewhere")
    stay = others([street, Benchmark.everything.get(slug="deleted")])
    entries = AuditEntry.objects.count()
    mine = sum(model._base_manager.filter(**{path: street}).count() for model, path in owned_tables())
    assert mine > 100
    made = set(objects.all_names()) - before
    assert {name.split("/")[0] for name in made} >= {"pictures", "scores"}
    delete(lea, street)
    assert purge_old(timezone.now() + timedelta(days=29)) == 0
    assert purge_old(timezone.now() + timedelta(days=31)) == 2, "one was deleted before"
    run_jobs()
    for model, _ in owned_tables():
        assert set(model._base_manager.values_list("pk", flat=True)) == stay[model], model
    assert Benchmark.everything.get() == other
    assert not Image.objects.exists()
    assert AuditEntry.objects.count() >= entries + 3, "the log stays"
    later = timezone.now() + timedelta(days=40)
    sweep_files(later)
    sweep_sent_images(later)
    delete_old_files(later)
    assert not made & set(objects.all_names())

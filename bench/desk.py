"""Samples to annotate and people who do it, made and counted in a process of their own (see ``bench.workers``)."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import islice
from typing import Any

from django.db.models import Count
from django.test import Client
from django.urls import reverse

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.samples import NO_CONTENT, save_samples
from annotation.models import Annotation, Benchmark, Image, Lease, Revision, Sample
from annotation.queue.settings import set_queue
from annotation.studio.write.submit import submit
from annotation.workflow import Role
from bench import invented
from webapp.accounts.models import User
from webapp.common.models import AuditEntry

BATCH = 500


def make_people(count: int) -> dict[str, Any]:
    """Annotators who are signed in, and one lead: their sessions, the lead's last."""
    made = [User.objects.create_user(f"p{n}@example.org", name=f"Person {n}") for n in range(count + 1)]
    return {"sessions": [_session(user) for user in made]}


def make_work(works: dict[str, int]) -> None:
    """Benchmarks of so many samples to do, two on each image, on which everybody annotates and the last person
    leads."""
    for slug, samples in works.items():
        benchmark = open_benchmark(slug)
        records = (replace(record, content=NO_CONTENT) for record in invented.samples(samples))
        while batch := list(islice(records, BATCH)):
            names = {record.image: _picture(slug, str(record.image)) for record in batch}
            save_samples(actor=None, benchmark=benchmark, records=batch, pictures=names)


def make_disputes(samples: int, boxes: int) -> dict[str, Any]:
    """A benchmark of so many samples that everybody but the last person has submitted, with other answers and other
    boxes: the addresses of their adjudications."""
    make_work({"disputes": samples})
    *people, lead = User.objects.order_by("pk")
    benchmark = Benchmark.objects.get(slug="disputes")
    set_queue(actor=lead, benchmark=benchmark, order="sequential", overlap=len(people))
    addresses = []
    for number, sample in enumerate(Sample.objects.filter(benchmark=benchmark).order_by("key")):
        for place, person in enumerate(people):
            sample = Sample.objects.select_related("benchmark", "image").get(pk=sample.pk)
            submit(actor=person, sample=sample, version=0, content=_version(number, place, boxes))
        addresses.append(reverse("annotation:adjudication", args=[benchmark.slug, sample.key]))
    return {"addresses": addresses}


def _version(number: int, place: int, boxes: int) -> dict[str, Any]:
    """What one of several people says of a sample: boxes near those of the others, and every second another answer."""
    drawn = [
        {"box": [100 + 300 * i + place, 100 + 2 * place, 200 + 300 * i, 180 + place], "label": f"part {i}"}
        for i in range(boxes)
    ]
    chain = [
        {"tool": "canny", "arguments": {"threshold_low": 50, "threshold_high": 100 + place}, "image_in": "original"}
    ]
    more = {"answer": ["AB"[place % 2]], "gold_boxes": drawn, "reference_toolchain": chain}
    return invented.submission(number) | more


def open_benchmark(slug: str) -> Benchmark:
    """An empty one, on which everybody annotates and the last person leads."""
    people = list(User.objects.order_by("pk"))
    benchmark = create_benchmark(actor=people[-1], slug=slug, title=slug.title())
    for user in people[:-1]:
        add_member(actor=None, benchmark=benchmark, user=user, role=Role.ANNOTATOR)
    return benchmark


def let_in(slug: str) -> None:
    """Everybody leads this benchmark."""
    for user in User.objects.all():
        add_member(actor=None, benchmark=Benchmark.objects.get(slug=slug), user=user, role=Role.LEAD)


def count_work(slugs: list[str]) -> dict[str, Any]:
    """What the database has of benchmarks that were worked off, together: samples with more than one annotation,
    revisions, seats that are still held, and entries of the audit that say that something was submitted."""
    samples = Sample.objects.filter(benchmark__slug__in=slugs)
    return {
        "twice": samples.annotate(n=Count("annotations")).filter(n__gt=1).count(),
        "annotations": Annotation.objects.filter(sample__in=samples).count(),
        "revisions": Revision.objects.filter(annotation__sample__in=samples).count(),
        "held": Lease.objects.filter(sample__in=samples).count(),
        "entries": AuditEntry.objects.filter(benchmark__in=slugs, action="annotation.submit").count(),
        "samples": samples.count(),
    }


def _picture(slug: str, name: str) -> Image:
    digest = hashlib.sha256(f"{slug} {name}".encode()).hexdigest()
    size = {"width": invented.WIDTH, "height": invented.HEIGHT}
    image, _ = Image.objects.get_or_create(
        sha256=digest, defaults={**size, "format": "JPEG", "bytes": 1, "state": Image.State.READY}
    )
    return image


def _session(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value

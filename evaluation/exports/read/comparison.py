"""The comparison of two portable files, as a job wrote it: a summary, and the samples that differ, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from annotation.common.access import allowed
from annotation.models import Benchmark, Image, Sample
from annotation.portable.read.contents import WorkingState
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.errors import NotFound
from webapp.jobs.models import Job

KIND = "evaluation.portable_difference"
PREFIX = "portable"
"""The folder of the object store whose files are deleted after a day."""
PAGE = 30
"""Samples of a page. The summary states at which byte each page begins."""
Change = dict[str, Any]


def comparison_of(person: User, job_id: UUID, benchmark: Benchmark | None) -> Job:
    """The job of this person that compares files, with this benchmark or with each other. Raises ``NotFound``, also
    for the job of another person."""
    slug = benchmark.slug if benchmark else ""
    job = Job.objects.filter(pk=job_id, kind=KIND, benchmark=slug, created_by=person).first()
    if job is None:
        raise NotFound(gettext("This comparison does not exist, or it was deleted. Compare the files again."))
    return job


def summary_name(job_id: UUID) -> str:
    return f"{PREFIX}/{job_id}.summary"


def samples_name(job_id: UUID) -> str:
    return f"{PREFIX}/{job_id}.samples"


@dataclass(frozen=True)
class Compared:
    """What a finished job found."""

    job: Job
    summary: dict[str, Any]

    @property
    def n(self) -> int:
        """The number of samples that differ."""
        return sum(self.summary["counts"].values())

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, part: slice) -> list[Change]:
        """The samples of a page, which begins at ``part.start``. Only their lines are read."""
        places, page = self.summary["places"], (part.start or 0) // PAGE
        if page >= len(places):
            return []
        with objects.open_object(samples_name(self.job.pk)) as stream:
            stream.seek(places[page])
            lines = [stream.readline() for _ in range(PAGE)]
        return [json.loads(line) for line in lines if line]

    def lines(self) -> Iterator[bytes]:
        """All samples as lines."""
        with objects.open_object(samples_name(self.job.pk)) as stream:
            yield from stream


def compared(job: Job, person: User, benchmark: Benchmark | None) -> Compared | None:
    """What this person may see of the result; None while there is none. Raises ``NotFound`` if it was deleted. Results
    of runs are left out while the person can't read those of the benchmark."""
    if job.state != Job.State.DONE:
        return None
    if not objects.exists(summary_name(job.pk)):
        raise NotFound(gettext("This comparison was deleted after a day. Compare the files again."))
    summary = json.loads(objects.read(summary_name(job.pk)))
    if benchmark is not None and not allowed(person, benchmark, Right.EXPORT):
        summary |= {"runs": [], "runs_compared": False}
    return Compared(job, summary)


def at_hand(benchmark: Benchmark, changes: Iterable[Change]) -> tuple[set[str], dict[str, Image]]:
    """Of samples that differ: the keys that the benchmark has, and the images that it has by hash. Two queries."""
    listed = list(changes)
    keys = Sample.objects.filter(benchmark=benchmark, key__in=[one["key"] for one in listed])
    hashes = {side["image"] for one in listed for side in (one["before"], one["after"]) if side and side.get("image")}
    images = WorkingState(benchmark).images().filter(sha256__in=hashes)
    return set(keys.values_list("key", flat=True)), {one.sha256: one for one in images}

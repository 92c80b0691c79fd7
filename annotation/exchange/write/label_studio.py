"""Exchange with a Label Studio: samples are sent as tasks, and the annotations of people return by import.

A task is identified by our sample id in its data, so sending twice changes nothing. Work in Label Studio is never
overwritten: if our gold has changed since, it is added as another annotation. The client is an optional extra and is
imported only when it is used.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.records import sample_records
from annotation.exchange.write.samples import Imported, import_samples
from annotation.exporters.label_studio import BOXES, FACET, OUTLINE_CONTROLS, labelling_config, merged_config, task
from annotation.extras import missing
from annotation.importers.fields import Report, RowRefused
from annotation.importers.label_studio import sample_of_task
from annotation.models import Benchmark, ImportRecord
from annotation.schema import Outline, OutlineKind, SampleRecord
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput, NotFound, Unavailable

BATCH = 100
PAGE = 500
TITLE = 50
"""The maximum length of a title in Label Studio, in characters."""
MOST_VALUES = 60
"""A facet with more values than this is not a choice in the form; it stays in the data of the tasks."""
SECONDS = 120


@dataclass
class Pushed:
    """The project of the tasks and their counts: ``new``, ``changed``, ``unchanged``, ``annotated`` (annotations of
    ours added to changed tasks).
    """

    project: int
    counts: Counter[str] = field(default_factory=Counter)


def push(
    *, actor: User | None, benchmark: Benchmark, url: str, token: str, project: int | None, pictures: str = ""
) -> Pushed:
    """Send every sample to a project; None = a new one. ``pictures`` is prepended to the names of the images, so that
    Label Studio finds them. Raises ``Unavailable``, ``NotFound`` or ``InvalidInput``, depending on the response of
    Label Studio.
    """
    require(actor, benchmark, Right.EXPORT)
    with answered(url):
        client = connect(url, token)
        config, controls = _setup(sample_records(benchmark))
        pushed = Pushed(_project(client, benchmark, project, config))
        there = {known: (number, digest) for known, number, digest in _tasks(client, pushed.project)}
        waiting: list[dict[str, Any]] = []
        for sample in sample_records(benchmark):
            wanted = _within(task(sample, pictures=pictures), controls)
            number, digest = there.get(sample.id, (0, ""))
            if not number:
                waiting.append(wanted)
            elif digest != _digest(wanted["data"]):
                polygons = benchmark.task.evidence.has_polygons
                _update(client, number, sample, wanted, pushed.counts, polygons=polygons)
            else:
                pushed.counts["unchanged"] += 1
            if len(waiting) == BATCH:
                _send(client, pushed, waiting)
        _send(client, pushed, waiting)
    audit.record(
        actor=actor, action="label_studio.push", subject=benchmark, benchmark=benchmark.slug,
        data={"url": url, "project": pushed.project, "counts": dict(pushed.counts)},
    )  # fmt: skip
    return pushed


def pull(
    *, actor: User | None, benchmark: Benchmark, url: str, token: str, project: int
) -> tuple[ImportRecord, Imported]:
    """Import the current content of a project. Tasks without annotations remain samples to do."""
    require(actor, benchmark, Right.IMPORT_SAMPLES)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"label-studio-{project}.json"
        with answered(url), path.open("wb") as out:
            exports = connect(url, token).projects.exports
            for chunk in exports.download_sync(project, export_type="JSON", download_all_tasks=True):
                out.write(chunk)
        return import_samples(actor=actor, benchmark=benchmark, path=path, format="label-studio")


def connect(url: str, token: str) -> Any:
    """Return the client. Raises ``Unavailable`` if the extra is not installed."""
    try:
        from label_studio_sdk import LabelStudio
    except ImportError as error:
        raise Unavailable(missing("Talking with Label Studio", "its client", "label-studio")) from error
    return LabelStudio(base_url=url.rstrip("/"), api_key=token, timeout=SECONDS)


@contextmanager
def answered(url: str) -> Iterator[None]:
    """Convert errors of Label Studio or of the network to our messages."""
    try:
        yield
    except httpx.HTTPError as error:
        raise Unavailable(
            gettext("%(url)s doesn't respond (%(problem)s). Check the address.")
            % {"url": url, "problem": error or type(error).__name__}
        ) from error
    except Exception as error:
        status = getattr(error, "status_code", None)
        if type(error).__module__.partition(".")[0] != "label_studio_sdk" or status is None:
            raise
        said = str(getattr(error, "body", ""))[:300]
        if status in (401, 403):
            raise InvalidInput(
                gettext("%(url)s rejected the token (%(status)s). Create a new one under Account & Settings.")
                % {"url": url, "status": status}
            ) from error
        if status == 404:
            raise NotFound(
                gettext("%(url)s has no such project, or the token has no access. Check the number.") % {"url": url}
            ) from error
        raise Unavailable(
            gettext("%(url)s answered %(status)s: %(said)s") % {"url": url, "status": status, "said": said}
        ) from error


def _setup(samples: Iterable[SampleRecord]) -> tuple[str, frozenset[str]]:
    """Return the labeling setup that these samples need, and the names of its controls."""
    facets: dict[str, dict[str, None]] = {}
    labels: dict[str, None] = {}
    outlines: dict[OutlineKind, None] = {}
    for sample in samples:
        outlines.update(dict.fromkeys(shape.kind for shape in sample.content.gold_boxes if isinstance(shape, Outline)))
        for result in (one for made in task(sample)["annotations"] for one in made["result"]):
            name = result["from_name"]
            if name.startswith(FACET):
                facets.setdefault(name.removeprefix(FACET), {}).update(dict.fromkeys(result["value"]["choices"]))
            elif name in (BOXES, *OUTLINE_CONTROLS.values()):
                labels.update(dict.fromkeys(result["value"][result["type"]]))
    chosen = {name: sorted(values) for name, values in sorted(facets.items()) if len(values) <= MOST_VALUES}
    names = {"question", "options", "answer", "answer_type", BOXES, *(OUTLINE_CONTROLS[kind] for kind in outlines)}
    names |= {*(FACET + name for name in chosen)}
    return labelling_config(chosen, list(labels), list(outlines)), frozenset(names)


def _within(wanted: dict[str, Any], controls: frozenset[str]) -> dict[str, Any]:
    """Return the task without results for which the setup has no control; they are in its data."""
    for made in wanted["annotations"]:
        made["result"] = [one for one in made["result"] if one["from_name"] in controls]
    return wanted


def _project(client: Any, benchmark: Benchmark, number: int | None, config: str) -> int:
    if number is None:
        return int(client.projects.create(title=benchmark.title[:TITLE], label_config=config).id)
    theirs = client.projects.get(number).label_config or ""
    try:
        merged = merged_config(theirs, config)
    except ValueError as error:
        raise InvalidInput(
            gettext("Project %(number)s cannot be used. %(error)s") % {"number": number, "error": error}
        ) from error
    if merged_config(merged, config) != merged_config(theirs, "<View/>"):
        client.projects.update(number, label_config=merged)
    return number


def _tasks(client: Any, project: int) -> Iterator[tuple[str, int, str]]:
    """Yield our sample id, the task's number and the digest of its data, for each task that we sent."""
    for found in client.tasks.list(project=project, page_size=PAGE, fields="task_only", include="id,data"):
        if isinstance(found.data, Mapping) and isinstance(found.data.get("sample_id"), str):
            yield found.data["sample_id"], found.id, _digest(found.data)


def _digest(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _send(client: Any, pushed: Pushed, waiting: list[dict[str, Any]]) -> None:
    if waiting:
        client.projects.import_tasks(pushed.project, request=waiting)
        pushed.counts["new"] += len(waiting)
        waiting.clear()


def _update(
    client: Any, number: int, sample: SampleRecord, wanted: dict[str, Any], counts: Counter[str], *, polygons: bool
) -> None:
    """Update the data, and add our gold as another annotation if the import would return something else. ``polygons``:
    as of ``sample_of_task``."""
    client.tasks.update(str(number), data=wanted["data"])
    counts["changed"] += 1
    made = client.tasks.get(str(number)).annotations or []
    try:
        task = {"id": number, "data": wanted["data"], "annotations": made}
        back = sample_of_task(task, Report("", None), polygons=polygons)
    except RowRefused:
        back = None
    if wanted["annotations"] and (back is None or (back.content, back.facets) != (sample.content, dict(sample.facets))):
        client.annotations.create(number, **wanted["annotations"][0])
        counts["annotated"] += 1

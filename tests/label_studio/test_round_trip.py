"""Five samples to a real Label Studio, worked on there, and back."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.records import sample_records
from annotation.content.samples import save_samples
from annotation.exchange.write.label_studio import connect, pull, push
from annotation.images.store import store_pictures
from annotation.models import Sample
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, Target, ToolCall, ToolPlan
from tests.label_studio.conftest import Studio
from webapp.common.errors import InvalidInput, NotFound

pytestmark = [pytest.mark.label_studio, pytest.mark.django_db(transaction=True)]

OPTIONS = {"A": "red", "B": "green & <blue>"}
CHOICE = SampleContent("Which colour?", AnswerType.MULTIPLE_CHOICE, OPTIONS, ("B",), (Box(10.5, 20, 60, 70),))
PLAN = ToolPlan((Target("saw", 1), Target("rule", 2)), ("glue",), True)
SAMPLES = [
    SampleRecord("choice", CHOICE, "p/a.jpg", width=777, height=333, facets={"category": ("direct",), "tier": (1,)}),
    SampleRecord(
        "labelled", SampleContent("Read it", answers=("14", "fourteen"), gold_boxes=(Box(1, 2, 3, 4), Box(5, 6, 9, 9))),
        "p/b.jpg", width=7680, height=4320, extra={"box_labels": ["sign", ""], "note": "é"},
    ),
    SampleRecord("planned", SampleContent("Hang it", plan=PLAN, reference_toolchain=(ToolCall("Crop", {"x": 1}),))),
    SampleRecord("sizeless", SampleContent("Where?", answers=("left",), gold_boxes=(Box(1, 1, 2, 2),)), "p/c.jpg"),
    SampleRecord("waiting", SampleContent(), "p/d.jpg", width=40, height=30, facets={"light": ("day", "dusk")}),
]  # fmt: skip


@pytest.fixture
def benchmark(lea, tmp_path):
    made = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    imported(made, tmp_path, *SAMPLES)
    return made


def imported(benchmark, folder, *records):
    """As from a file in ``folder``, where the pictures are not."""
    about = {"actor": None, "benchmark": benchmark, "records": records}
    save_samples(**about, pictures=store_pictures(**about, folder=folder, embedded={}))


def address(studio: Studio) -> dict[str, str]:
    return {"url": studio.url, "token": studio.token}


def content_of(benchmark, key):
    return next(record.content for record in sample_records(benchmark) if record.id == key)


def test_what_goes_there_comes_back_and_going_twice_changes_nothing(studio, benchmark, lea):
    before = list(sample_records(benchmark))
    first = push(actor=lea, benchmark=benchmark, project=None, **address(studio))
    assert dict(first.counts) == {"new": 5}
    again = push(actor=lea, benchmark=benchmark, project=first.project, **address(studio))
    assert dict(again.counts) == {"unchanged": 5}
    assert len(list(connect(**address(studio)).tasks.list(project=first.project))) == 5

    _, same = pull(actor=lea, benchmark=benchmark, project=first.project, **address(studio))
    assert (same.counts["unchanged"], same.counts["refused"], same.counts["repaired"]) == (5, 0, 0)
    assert list(sample_records(benchmark)) == before

    empty = create_benchmark(actor=lea, slug="empty", title="Empty")
    pull(actor=lea, benchmark=empty, project=first.project, **address(studio))
    assert list(sample_records(empty)) == before
    assert Sample.objects.get(benchmark=empty, key="waiting").state == "to_do"


def test_work_done_there_comes_back_and_is_never_overwritten(studio, benchmark, lea, capsys):
    project = push(actor=lea, benchmark=benchmark, project=None, **address(studio)).project
    client = connect(**address(studio))
    tasks = {task.data["sample_id"]: task for task in client.tasks.list(project=project)}
    answer = {"id": "q", "type": "textarea", "from_name": "question", "to_name": "image", "value": {"text": ["New?"]}}
    client.annotations.create(tasks["choice"].id, result=[answer], ground_truth=True)
    client.annotations.create(tasks["waiting"].id, result=[answer])
    assert push(actor=lea, benchmark=benchmark, project=project, **address(studio)).counts["changed"] == 0

    call_command("label_studio", "pull", "kitchen", project=str(project), **address(studio))
    assert "changed 2, unchanged 3" in capsys.readouterr().out
    assert content_of(benchmark, "choice").question == "New?"
    assert Sample.objects.get(benchmark=benchmark, key="waiting").state == "accepted"

    call_command("label_studio", "push", "kitchen", project=str(project), **address(studio))
    assert capsys.readouterr().out == f"Project {project}: new 0, changed 2, unchanged 3.\n"


def test_gold_that_changed_here_goes_there_as_a_further_annotation(studio, benchmark, lea, tmp_path):
    project = push(actor=lea, benchmark=benchmark, project=None, **address(studio)).project
    newer = SampleRecord("choice", SampleContent("Newer?", answers=("x",)), "p/a.jpg", width=777, height=333,
                         facets={"category": ("wholly new",)})  # fmt: skip
    imported(benchmark, tmp_path, newer)
    pushed = push(actor=lea, benchmark=benchmark, project=project, **address(studio))
    assert dict(pushed.counts) == {"changed": 1, "annotated": 1, "unchanged": 4}
    _, back = pull(actor=lea, benchmark=benchmark, project=project, **address(studio))
    assert back.counts["unchanged"] == 5
    assert content_of(benchmark, "choice") == newer.content


def test_a_wrong_token_and_a_wrong_project_are_said(studio, benchmark, lea):
    with pytest.raises(InvalidInput, match="rejected the token"):
        push(actor=lea, benchmark=benchmark, project=None, url=studio.url, token="0" * 40)
    with pytest.raises(NotFound, match="no such project"):
        pull(actor=lea, benchmark=benchmark, project=999_999, **address(studio))

"""Files of a benchmark contain its accepted samples, or all samples if the person chooses so. The page states what
is in each file, and what is not.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from html import unescape
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pyarrow import parquet

from annotation.content.freeze import freeze_version
from annotation.content.records import sample_records
from annotation.content.samples import save_samples
from annotation.exporters import EXPORTERS
from annotation.exporters.parts import IN_NO_FORMAT, words_of
from annotation.models import Benchmark, Image, Sample
from annotation.queue.reopen import reopen_samples
from annotation.schema import Outline, OutlineKind, SampleContent, SampleRecord
from annotation.work.write.discard import discard_samples
from annotation.workflow import ExportStates
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.exports.read.formats import export_as
from evaluation.models import Intervention, Judgement, Run
from evaluation.schema import Trajectory
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/export/"
API = "/api/v1/benchmarks/kitchen/export/"
NOT_ACCEPTED = {"to-do": "to_do", "Chart-0": "draft", "Chart-1": "discarded"}


@made_once
def mixed(lea: User) -> Benchmark:
    """Accepted samples, and three that are not: to do with a trajectory, reopened with gold, and discarded."""
    board = make_board(lea, score=False)
    Sample.objects.create(benchmark=board, key="to-do", width=1000, height=800)
    with transaction.atomic():
        save_trajectories(RunRegistry(board, lea), [Trajectory("Model C", "to-do", answer="A")], None)
    chosen = board.samples.filter(key="Chart-0")
    reopen_samples(actor=lea, benchmark=board, samples=chosen, reason="Look again.", key="r", to=lea)
    chosen = board.samples.filter(key="Chart-1")
    discard_samples(actor=lea, benchmark=board, samples=chosen, reasons=[], comment="Blurred.", key="d")
    states = dict(board.samples.exclude(state="accepted").values_list("key", "state"))
    assert states == NOT_ACCEPTED
    return board


def rows_of(content: bytes, section: str) -> set[str]:
    key = "id" if section == "samples" else "sample_id"
    return {row[key] for row in json.loads(content).get(section, [])}


def fetched(client: Client, address: str) -> bytes:
    answer: Any = client.get(address)
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content)


def test_a_file_has_accepted_samples_and_results_on_them_unless_all_are_chosen(lea: User, mixed: Benchmark) -> None:
    client = signed_in(lea)
    every = set(mixed.samples.values_list("key", flat=True))
    for address in (f"{PAGE}native.json", API):
        accepted, whole = fetched(client, address), fetched(client, f"{address}?states=all")
        assert fetched(client, f"{address}?states=accepted") == accepted
        assert rows_of(accepted, "samples") == every - NOT_ACCEPTED.keys()
        assert rows_of(whole, "samples") == every
        assert not rows_of(accepted, "trajectories") & NOT_ACCEPTED.keys()
        assert rows_of(whole, "trajectories") >= NOT_ACCEPTED.keys()


def test_the_command_writes_the_same_files(lea: User, mixed: Benchmark, tmp_path: Any) -> None:
    client = signed_in(lea)
    for states in ExportStates:
        call_command("export_benchmark", "kitchen", states=states, output=tmp_path / states)
        assert (tmp_path / states).read_bytes() == fetched(client, f"{PAGE}native.json?states={states}")
    call_command("export_benchmark", "kitchen", output=tmp_path / "default")
    assert (tmp_path / "default").read_bytes() == (tmp_path / "accepted").read_bytes()
    with pytest.raises(CommandError, match="states"):
        call_command("export_benchmark", "kitchen", "--states=draft")


def test_the_page_states_what_files_contain_and_its_links_keep_the_choice(lea: User, mixed: Benchmark) -> None:
    client = signed_in(lea)
    accepted, whole = client.get(PAGE), client.get(f"{PAGE}?states=all")
    assert "Files contain 14 accepted samples." in accepted.content.decode()
    assert "1 more sample has gold, but was reopened." in accepted.content.decode()
    assert "Files contain all 17 samples, of all states." in whole.content.decode()
    assert f'href="{PAGE}coco.json"' in accepted.content.decode()
    assert f'href="{PAGE}coco.json?states=all"' in whole.content.decode()


def coco_samples(content: bytes) -> int:
    return len({row["sample_id"] for row in json.loads(content)["annotations"]})


def tsv_rows(content: bytes) -> int:
    return len(list(csv.reader(io.StringIO(content.decode(), newline=""), dialect="excel-tab"))) - 1


def zipped_files(content: bytes) -> int:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return len(archive.namelist())


def parquet_rows(content: bytes) -> int:
    return int(parquet.read_table(io.BytesIO(content)).num_rows)


SAMPLES_IN: Mapping[str, Callable[[bytes], int]] = {
    "native": lambda content: len(json.loads(content)["samples"]),
    "label-studio": lambda content: len(json.loads(content)),
    "coco": coco_samples,
    "vtc-bench": tsv_rows,
    "vtc-bench-guarded": tsv_rows,
    "vstar": zipped_files,
    "parquet": parquet_rows,
    "parquet-names": parquet_rows,
    "viebench": lambda content: len(json.loads(content)),
}


@pytest.mark.parametrize("states", list(ExportStates))
def test_the_page_counts_the_rows_that_each_file_has(lea: User, mixed: Benchmark, states: ExportStates) -> None:
    """Some accepted samples have boxes, one has a polygon alone, and one has no evidence."""
    shape = Outline.of(OutlineKind.POLYGON, [(10.0, 10.0), (50.0, 12.0), (30.0, 60.0)])
    contents = SampleContent("Which?", answers=("1",), gold_boxes=(shape,)), SampleContent("Is it day?", answers=("1",))
    records = [SampleRecord(f"new-{number}", content) for number, content in enumerate(contents)]
    save_samples(actor=lea, benchmark=mixed, records=records)
    client = signed_in(lea)
    page = client.get(f"{PAGE}?states={states}")
    rows = {row.name: row for row in page.context["formats"]}
    assert rows.keys() == EXPORTERS.keys() == SAMPLES_IN.keys()
    for name, row in rows.items():
        content = fetched(client, f"{PAGE}{name}.{row.extension}?states={states}")
        assert row.counts.samples == SAMPLES_IN[name](content), name
        assert f"{row.counts.samples} {'samples' if states == 'all' else 'accepted samples'}" in page.content.decode()
        if name == "native":
            assert row.counts.trajectories == len(json.loads(content)["trajectories"]) > 0
    assert rows["coco"].counts.samples < rows["native"].counts.samples
    out = io.BytesIO()
    for name in set(EXPORTERS) - {"native"}:
        assert export_as(name, mixed, out, states) == rows[name].counts.samples, name


def test_the_page_states_what_each_file_lacks(lea: User, mixed: Benchmark) -> None:
    answer = signed_in(lea).get(PAGE)
    page = unescape(answer.content.decode())
    for row in answer.context["formats"]:
        lacks = [*words_of(EXPORTERS[row.name].cannot_hold), *words_of(IN_NO_FORMAT)]
        assert [item for _, items in row.left_out for item in items] == lacks
        assert f"What this file leaves out ({len(lacks)})" in page
        assert all(f"<li>{words}</li>" in page for words in lacks)
    assert page.index("Portable file</h2>") < page.index('<section id="files">') < page.index("Metrics and scores</h2>")
    for words in ("audit log", "keys", "reservations", "runs of human studies", "private tags"):
        assert f"<li>{words}</li>" in page
    schema = signed_in(lea).get("/api/v1/schema/").content.decode()
    assert "Not in the file: image files, reviews" in " ".join(schema.split())


def test_the_command_states_what_the_file_lacks(mixed: Benchmark, tmp_path: Any, capsys: Any) -> None:
    call_command("export_benchmark", "kitchen", format="coco", output=tmp_path / "coco.json")
    said = capsys.readouterr().out
    assert "rows of accepted samples written to" in said
    assert "samples without evidence, options and answers" in said


def test_the_page_names_the_version_with_the_same_gold(lea: User, mixed: Benchmark) -> None:
    client = signed_in(lea)
    assert "The gold has never been frozen." in client.get(PAGE).content.decode()
    version = freeze_version(actor=lea, benchmark=mixed)
    page = client.get(PAGE).content.decode()
    assert "The gold is that of version 1." in page
    assert version.checksum[:8] in page
    save_samples(actor=lea, benchmark=mixed, records=[SampleRecord("new", SampleContent("Is it?", answers=("1",)))])
    assert "The gold has changed since version 1." in client.get(PAGE).content.decode()


def test_images_of_the_page_are_those_in_the_file(lea: User, mixed: Benchmark) -> None:
    for number, state in enumerate(("ready", "removed")):
        image = Image.objects.create(
            sha256=str(number) * 64, width=10, height=10, format="PNG", bytes=2000, state=state
        )
        mixed.samples.filter(key=f"Chart-{number + 2}").update(image=image)
    counts = {row.name: row.counts.image_bytes for row in signed_in(lea).get(PAGE).context["formats"]}
    assert counts == dict.fromkeys(EXPORTERS, 0) | {"parquet": 2000}


def test_the_page_has_a_fixed_number_of_queries(lea: User, mixed: Benchmark) -> None:
    client = signed_in(lea)

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            client.get(PAGE)
        return len(found)

    def with_more(*numbers: int) -> int:
        records = [SampleRecord(f"more-{n}", SampleContent("?", answers=("1",))) for n in numbers]
        save_samples(actor=lea, benchmark=mixed, records=records)
        return queries()

    queries()
    assert with_more(1) == with_more(2, 3, 4, 5, 6)


def test_unknown_states_are_named(lea: User, mixed: Benchmark) -> None:
    client = signed_in(lea)
    for address in (PAGE, f"{PAGE}coco.json", API):
        answer = client.get(f"{address}?states=draft")
        assert answer.status_code == 400
        assert "accepted" in answer.content.decode()


def test_all_samples_are_read_where_no_file_is_written(lea: User, mixed: Benchmark) -> None:
    """Label Studio gets samples to annotate, too."""
    assert {record.id for record in sample_records(mixed)} >= NOT_ACCEPTED.keys()


def test_interventions_and_judgments_go_with_their_samples(lea: User, mixed: Benchmark) -> None:
    run, sample = Run.objects.get(model__name="Model C", setting="base"), mixed.samples.get(key="to-do")
    Intervention.objects.create(run=run, sample=sample, condition="text", correct=True)
    Judgement.objects.create(run=run, sample=sample, kind="answer", verdict="same", judge="J")
    found = {}
    for states in ExportStates:
        export_as("native", mixed, out := io.BytesIO(), states)
        found[states] = {name: rows_of(out.getvalue(), name) for name in ("interventions", "judgements")}
    assert found == {
        "accepted": {"interventions": set(), "judgements": set()},
        "all": {"interventions": {"to-do"}, "judgements": {"to-do"}},
    }

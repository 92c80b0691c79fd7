"""Files of a benchmark contain its accepted samples, or all samples if the person chooses so."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client

from annotation.content.records import sample_records
from annotation.models import Benchmark, Sample
from annotation.queue.reopen import reopen_samples
from annotation.work.write.discard import discard_samples
from annotation.workflow import ExportStates
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.exports.read.formats import export_as
from evaluation.models import Intervention, Judgement, Run
from evaluation.schema import Trajectory
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/export/"
API = "/api/v1/benchmarks/kitchen/export/"
NOT_ACCEPTED = {"to-do": "to_do", "Chart-0": "draft", "Chart-1": "discarded"}


@pytest.fixture
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
    assert "Each file contains 14 accepted samples." in accepted.content.decode()
    assert "1 more sample has gold, but was reopened." in accepted.content.decode()
    assert "Each file contains all 17 samples, of all states." in whole.content.decode()
    assert f'href="{PAGE}coco.json"' in accepted.content.decode()
    assert f'href="{PAGE}coco.json?states=all"' in whole.content.decode()


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

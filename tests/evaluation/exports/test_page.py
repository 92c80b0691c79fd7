"""The export page: what it offers is what is handed out, whole, and only to who may have it."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from dataclasses import replace

import pyarrow.parquet
import pytest
from django.test import Client
from django.urls import reverse

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.samples import save_samples
from annotation.exporters import EXPORTERS
from annotation.schema import AnswerType, SampleContent, SampleRecord
from annotation.spreadsheets import FORMULA
from annotation.workflow import Role
from evaluation.common.exports import EXPORTS
from evaluation.exporters.tables import WRITERS, writes_parquet
from evaluation.models import Metric, ScoreFile, Scoring, Trajectory
from evaluation.store.schema import SCHEMA
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from tests.evaluation.scores import with_scores
from webapp.common.errors import Unavailable
from webapp.common.streaming import PIECE
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/export/"


def fetched(client, name):
    answer = client.get(PAGE + name)
    assert answer.status_code == 200, name
    assert answer["Content-Disposition"] == f'attachment; filename="kitchen-{name}"'
    return b"".join(answer.streaming_content)


def test_everything_the_page_offers_can_be_fetched(lea, board):
    client = signed_in(lea)
    page = client.get(PAGE).content.decode()
    offered = re.findall(rf'href="{PAGE}([^"?]+[^/])"', page)
    assert len(offered) == len(WRITERS) * len(EXPORTS) + len(EXPORTERS)
    assert f'action="{PAGE}project.sightline"' in page
    assert b"".join(client.post(f"{PAGE}project.sightline").streaming_content)
    for name in offered:
        assert fetched(client, name) or name == "rewards.jsonl"  # there is no rollout group


def test_a_table_has_as_many_rows_as_the_page_says_in_every_format(lea, board):
    client = signed_in(lea)
    for name, _, _, rows in client.get(PAGE).context["tables"]:
        assert len(json.loads(fetched(client, f"{name}.json"))) == rows
        assert len(list(csv.DictReader(io.StringIO(fetched(client, f"{name}.csv").decode())))) == rows
        assert pyarrow.parquet.read_table(io.BytesIO(fetched(client, f"{name}.parquet"))).num_rows == rows


def test_exports_hold_every_row_with_full_precision(lea, board):
    client = signed_in(lea)
    metrics = json.loads(fetched(client, "metrics.json"))
    assert len(metrics) == Metric.objects.count()
    accuracy = next(
        row
        for row in metrics
        if (row["model"], row["metric"], row["slice_by"]) == ("Model D", "accuracy", "")
    )  # fmt: skip
    assert accuracy["value"] == 4 / 9
    scores = json.loads(fetched(client, "samples.json"))
    assert len(scores) == len(with_scores(Trajectory.objects.filter(condition="none")))


@pytest.mark.parametrize("name", ["nothing.csv", "metrics.xls", "coco.csv", "native.zip"])
def test_what_is_not_offered_is_not_found(lea, name, unscored_board):
    assert signed_in(lea).get(PAGE + name).status_code == 404


def test_only_who_may_export_gets_anything(lea, ana, rui, sam):
    benchmark = make_board(lea, public=True, score=False)
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    add_member(actor=lea, benchmark=benchmark, user=rui, role=Role.RESEARCHER)
    for client in (signed_in(ana), signed_in(sam), Client()):
        assert client.get(PAGE).status_code == 403
        assert client.get(f"{PAGE}native.json").status_code == 403
    assert signed_in(rui).get(f"{PAGE}native.json").status_code == 200


def test_a_stranger_on_a_private_benchmark_finds_nothing(lea, sam, unscored_board):
    assert signed_in(sam).get(PAGE).status_code == 404
    assert signed_in(sam).get(f"{PAGE}metrics.csv").status_code == 404


def test_parquet_without_its_library_says_what_to_install(lea, monkeypatch, unscored_board):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    answer = signed_in(lea).get(f"{PAGE}metrics.parquet")
    assert answer.status_code == 503
    assert "pip install &#x27;.[parquet]&#x27;" in answer.content.decode()


def test_no_file_is_offered_that_cannot_be_written_here(lea, monkeypatch, unscored_board):
    """D7.15: neither the tables nor the benchmark as Parquet; the other files still are."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    writes_parquet.cache_clear()
    try:
        page = signed_in(lea).get(PAGE).content.decode()
    finally:
        writes_parquet.cache_clear()
    assert ".parquet" not in page
    assert page.count('aria-disabled="true"') == len(EXPORTS) + 2
    assert f"{PAGE}native.json" in page


def test_a_spreadsheet_runs_nothing_of_the_guarded_file_and_the_page_warns_of_the_other(lea, unscored_board):
    """D5.7: a question that is a formula."""
    record = SampleRecord("sum", SampleContent("=1+1", AnswerType.OPEN, answers=("@SUM(1)",)))
    save_samples(actor=lea, benchmark=unscored_board, records=[record])
    client = signed_in(lea)
    plain, safe = (
        [row for row in csv.reader(io.StringIO(fetched(client, name).decode()), dialect="excel-tab") if "sum" in row]
        for name in ("vtc-bench.tsv", "vtc-bench-guarded.tsv")
    )
    assert {"=1+1", "@SUM(1)"} <= set(plain[0])
    assert {"'=1+1", "'@SUM(1)"} <= set(safe[0])
    assert not any(cell.startswith(FORMULA) for cell in safe[0])
    notes = {one.name: one.note for one in client.get(PAGE).context["formats"]}
    assert notes["vtc-bench"] != notes["vtc-bench-guarded"] != ""
    assert "coco" in notes


def test_a_format_is_handed_out_while_it_is_made_and_breaks_off_at_a_fault(lea, monkeypatch, unscored_board):
    taken = []

    def parts(samples):
        for number in range(3):
            taken.append(number)
            yield b"x" * PIECE
        raise OSError("The disk is gone.")

    monkeypatch.setitem(EXPORTERS, "coco", replace(EXPORTERS["coco"], parts=parts))
    pieces = iter(signed_in(lea).get(f"{PAGE}coco.json").streaming_content)
    assert taken == [0]
    assert len(next(pieces)) == PIECE
    with pytest.raises(OSError, match="The disk is gone"):
        list(pieces)


def test_a_fault_before_anything_was_sent_is_an_error_of_its_own(lea, monkeypatch, unscored_board):

    def parts(samples):
        raise Unavailable("There is no room.")
        yield b""

    monkeypatch.setitem(EXPORTERS, "coco", replace(EXPORTERS["coco"], parts=parts))
    assert signed_in(lea).get(f"{PAGE}coco.json").status_code == 503


def cells_of(page: str) -> list[str]:
    """What the table of metrics and scores says about rows."""
    return [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r'<td class="num">(.*?)</td>', page)[:4]]


def test_stale_scores_have_no_number_of_rows(lea, board):
    """After an upgrade, the files of the scores can't be read, and the page counted 0 rows."""
    client = signed_in(lea)
    counted = cells_of(client.get(PAGE).content.decode())
    assert counted[0] == f"{Metric.objects.count():,}"
    Scoring.objects.filter(run__benchmark=board).update(stale=True)
    page = client.get(PAGE).content.decode()
    assert cells_of(page) == ["stale"] * 3 + [counted[3]]
    assert "Score now" in page
    assert [name for name, _, _, rows in client.get(PAGE).context["tables"] if rows is None] == list(EXPORTS)[:3]
    client.post(reverse("evaluation:score", args=[board.slug]))
    assert cells_of(client.get(PAGE).content.decode())[:3] == ["being computed"] * 3
    run_waiting()
    assert cells_of(client.get(PAGE).content.decode()) == counted


def test_scores_of_an_earlier_release_have_no_number_of_rows(lea, board):
    ScoreFile.objects.update(schema=SCHEMA - 1)
    assert cells_of(signed_in(lea).get(PAGE).content.decode())[:3] == ["stale"] * 3

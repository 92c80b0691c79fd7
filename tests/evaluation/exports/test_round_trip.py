"""What the native format writes of a benchmark is read back as the same benchmark."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.bank_file import bank_rows
from annotation.content.box_names import extra_of, names_of, written_names
from annotation.content.freeze import gold_digest
from annotation.content.records import sample_records
from annotation.content.samples import save_samples
from annotation.exchange.write.samples import import_samples
from annotation.models import Annotation, BankTool, Benchmark, FacetValue, Gold, GoldBox, ImportRecord, Sample
from annotation.queue.reopen import reopen_samples
from annotation.schema import Box, SampleContent, SampleRecord, Target, ToolCall, ToolPlan
from annotation.tools.write import accept_tool, add_tool, merge_tool, refuse_tool
from annotation.work.write.discard import discard_samples
from annotation.workflow import ExportStates, Role
from evaluation.common.lineage.write import Place, place_run
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.exports.read.formats import export_as, sections_of
from evaluation.imports.write.runs import import_runs
from evaluation.lineages.write import describe_lineage
from evaluation.models import Lineage, Run
from evaluation.models import Trajectory as StoredTrajectory
from evaluation.schema import Trajectory
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = pytest.mark.django_db
PLAN = ToolPlan((Target("Claw hammer", 1), Target("saw", 2)), ("ruler",))
RECORDS = [
    SampleRecord("planned", SampleContent("Which tools?", plan=PLAN), facets={"tier": (2,), "Segment": ("own",)}),
    SampleRecord("listed", SampleContent("Which tools?", plan=PLAN), facets={"segment": ("from the file",)}),
    SampleRecord(
        "chained",
        SampleContent("What?", answers=("17",), reference_toolchain=(ToolCall("zoom", {"by": 2.0, "at": [0.5, 1.0]}),)),
    ),
    SampleRecord("picture", SampleContent(), image="p.png", extra={"state": "Ohio"}),
    SampleRecord("gone", SampleContent("Left out?", gold_boxes=(Box(1, 2, 3, 4),)), width=10, height=10),
    SampleRecord("never", SampleContent()),
]


@made_once
def workshop(lea: User) -> Benchmark:
    """Samples accepted, to do and discarded, with and without a content, whose tools Lea has put in order."""
    workshop = create_benchmark(actor=lea, slug="workshop", title="Workshop")
    save_samples(actor=lea, benchmark=workshop, records=RECORDS)
    tools = {tool.name: tool for tool in BankTool.objects.all()}
    hammer = add_tool(actor=lea, benchmark=workshop, name="hammer", segment="27", aliases=["mallet"])
    accept_tool(actor=lea, tool=tools["saw"], name="saw", segment="23", aliases=[])
    merge_tool(actor=lea, tool=tools["Claw hammer"], into=hammer)
    eye = add_tool(actor=lea, benchmark=workshop, name="eye", segment="", aliases=[])
    refuse_tool(actor=lea, tool=eye, reason="No.")
    left_out = Sample.objects.filter(benchmark=workshop, key__in=["gone", "never"])
    discard_samples(actor=lea, benchmark=workshop, samples=left_out, reasons=[], comment="Blurred.", key="d")
    # A later file can empty the gold of a sample: it is accepted still.
    save_samples(actor=lea, benchmark=workshop, records=[SampleRecord("emptied", SampleContent("What?"))])
    save_samples(actor=lea, benchmark=workshop, records=[SampleRecord("emptied", SampleContent())])
    return workshop


def exported(benchmark: Benchmark) -> bytes:
    out = io.BytesIO()
    export_as("native", benchmark, out, ExportStates.ALL)
    return out.getvalue()


def imported(lea: User, data: bytes, folder: Path, slug: str = "copy") -> Benchmark:
    path = folder / "benchmark.json"
    path.write_bytes(data)
    copy = Benchmark.objects.filter(slug=slug).first() or create_benchmark(actor=lea, slug=slug, title="Copy")
    record, _ = import_samples(actor=lea, benchmark=copy, path=path, format="native")
    assert record.counts.get("refused", 0) == 0
    return copy


def facets(benchmark: Benchmark) -> list[tuple[str, ...]]:
    rows = FacetValue.objects.filter(benchmark=benchmark).order_by("sample__key", "name", "position")
    return list(rows.values_list("sample__key", "name", "value", "kind"))


def test_an_export_read_again_has_equal_content_states_facets_tools_and_checksum(
    lea: User, workshop: Benchmark, tmp_path: Path
) -> None:
    """D7.14."""
    copy = imported(lea, exported(workshop), tmp_path)
    assert list(sample_records(copy)) == list(sample_records(workshop))
    states = dict(Sample.objects.filter(benchmark=copy).values_list("key", "state"))
    assert states == dict(Sample.objects.filter(benchmark=workshop).values_list("key", "state"))
    assert states["gone"] == states["never"] == "discarded"
    assert facets(copy) == facets(workshop)
    assert {row[3] for row in facets(copy) if row[:2] == ("planned", "segment")} == {FacetValue.Kind.BANK}
    assert list(bank_rows(copy)) == list(bank_rows(workshop))
    assert gold_digest(copy) == gold_digest(workshop)
    assert exported(copy) == exported(workshop)

    imported(lea, exported(workshop), tmp_path)
    again = ImportRecord.objects.filter(benchmark=copy).latest("pk")
    assert (again.counts["new"], again.counts["changed"]) == (0, 0)
    assert gold_digest(copy) == gold_digest(workshop)


def names(benchmark: Benchmark) -> list[tuple[str, ...]]:
    boxes = GoldBox.objects.filter(revision__gold_of__sample__benchmark=benchmark)
    return list(boxes.order_by("revision__gold_of__sample__key", "position").values_list("label", "source"))


def test_labels_and_sources_of_boxes_are_on_the_pages_of_a_copy(lea: User, workshop: Benchmark, tmp_path: Path) -> None:
    """They came back as texts beside the sample that no page shows."""
    boxes = (Box(1, 2, 3, 4), Box(5, 6, 7, 8))
    named = {"box_labels": ["sign", ""], "box_sources": ["", "COCO"], "note": "kept"}
    record = SampleRecord("boxed", SampleContent("What?", gold_boxes=boxes), width=10, height=10, extra=named)
    save_samples(actor=lea, benchmark=workshop, records=[record])
    copy = imported(lea, exported(workshop), tmp_path)
    assert names(copy) == names(workshop) == [("sign", ""), ("", "COCO")]
    assert Sample.objects.get(benchmark=copy, key="boxed").extra == {"note": "kept"}
    assert exported(copy) == exported(workshop)
    imported(lea, exported(workshop), tmp_path)
    counts = ImportRecord.objects.filter(benchmark=copy).latest("pk").counts
    assert (counts["new"], counts["changed"]) == (0, 0)


def test_a_file_names_boxes_that_are_here_and_takes_no_name_away(lea: User, workshop: Benchmark) -> None:
    record = SampleRecord("boxed", SampleContent("What?", gold_boxes=(Box(1, 2, 3, 4),)), width=10, height=10)
    said = [{}, {"box_labels": ["sign"]}, {"note": "x"}, {"box_labels": ["lamp"]}, {"box_labels": ["a", "b"]}]
    found = []
    for extra in said:
        saved = save_samples(actor=lea, benchmark=workshop, records=[replace(record, extra=extra)])
        revision = Gold.objects.get(sample__key="boxed").revision
        found.append((saved.new + saved.changed, revision.number, revision.gold_boxes.get().label))
    assert found == [(1, 1, ""), (1, 2, "sign"), (1, 2, "sign"), (1, 3, "lamp"), (1, 3, "lamp")]
    assert Sample.objects.get(key="boxed").extra == {"box_labels": ["a", "b"]}, "not of this box: kept as it is"


NAMES = st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), min_size=1, max_size=4)


@given(NAMES)
def test_names_written_are_read_as_they_were(given_names: list[tuple[str, str]]) -> None:
    boxes = tuple(Box(place, 0, place + 1, 1) for place in range(len(given_names)))
    record = SampleRecord("a", SampleContent(gold_boxes=boxes), extra=written_names(given_names) | {"note": 1})
    blank = [("", "")] * len(boxes)
    assert list(names_of(record) or blank) == given_names
    assert extra_of(record) == {"note": 1}


def test_a_discarded_sample_of_a_file_can_be_opened_again_and_its_content_goes_on(
    lea: User, ana: User, tmp_path: Path
) -> None:
    """D7.14: a file by another program may say what was in a discarded sample."""
    rows = [{"id": "full", "question": "What?", "state": "discarded", "gold_boxes": [[1, 2, 3, 4]]},
            {"id": "empty", "state": "discarded"}]  # fmt: skip
    copy = imported(lea, json.dumps({"samples": rows}).encode(), tmp_path)
    samples = Sample.objects.filter(benchmark=copy)
    assert not Gold.objects.exists()
    assert set(samples.values_list("state", "evidence_share")) == {("discarded", None)}
    reopen_samples(actor=lea, benchmark=copy, samples=samples, reason="Fine after all.", to=lea, key="r")
    assert dict(samples.values_list("key", "state")) == {"full": "draft", "empty": "to_do"}
    assert Annotation.objects.get().draft.content["question"] == "What?"


def test_a_file_discards_no_sample_that_is_here(lea: User, workshop: Benchmark, tmp_path: Path) -> None:
    """D7.14: its gold stays, and the import says so."""
    before = gold_digest(workshop)
    imported(lea, b'{"samples": [{"id": "chained", "state": "discarded"}]}', tmp_path, "workshop")
    assert Sample.objects.get(key="chained").state == "accepted"
    assert gold_digest(workshop) == before


def test_proposed_and_refused_tools_leave_with_a_lead_alone(lea: User, sam: User, workshop: Benchmark) -> None:
    """D7.14: the page of the bank is the lead's, and a file tells nobody more."""
    add_member(actor=lea, benchmark=workshop, user=sam, role=Role.RESEARCHER)
    names = {user: [row["name"] for row in sections_of(workshop, user)["bank"]] for user in (lea, sam)}
    assert names[lea] == ["Claw hammer", "eye", "hammer", "ruler", "saw"]
    assert names[sam] == ["Claw hammer", "hammer", "ruler", "saw"]


def test_a_run_keeps_its_place_in_a_lineage(lea: User, workshop: Benchmark, tmp_path: Path) -> None:
    """Where it is now: one run was placed on its page, one moved since its file was read, one taken out."""
    rows = [
        Trajectory("placed", "picture", answer="1"),
        Trajectory("moved", "picture", answer="2", extra={"lineage": "GRPO", "step": 7, "note": "kept"}),
        Trajectory("removed", "picture", answer="3", extra={"lineage": "GRPO", "step": 9}),
    ]
    with transaction.atomic():
        save_trajectories(RunRegistry(workshop, lea), rows, None)
    for model, place in (("placed", Place("SFT", 0)), ("moved", Place("GRPO", 8)), ("removed", None)):
        place_run(actor=lea, run=Run.objects.get(model__name=model), place=place, move=True)
    data = exported(workshop)
    copy = imported(lea, data, tmp_path)
    import_runs(actor=lea, benchmark=copy, path=tmp_path / "benchmark.json", format="native")
    found = Run.objects.filter(benchmark=copy).order_by("model__name")
    places = list(found.values_list("model__name", "lineage__name", "step"))
    assert places == [("moved", "GRPO", 8), ("placed", "SFT", 0), ("removed", None, None)]
    assert StoredTrajectory.objects.get(run__benchmark=copy, run__model__name="moved").extra["note"] == "kept"
    assert exported(copy) == data


def test_a_lineage_keeps_what_was_trained(lea: User, workshop: Benchmark, tmp_path: Path) -> None:
    """What people wrote about the other lineage stays; a text of another form changes nothing."""
    rows = [Trajectory("m", key, answer="1", extra={"lineage": "GRPO", "step": 1}) for key in ("picture", "listed")]
    odd = Trajectory("odd", "picture", answer="1", extra={"lineage": "Odd", "step": 1, "training": {"data": [1]}})
    with transaction.atomic():
        save_trajectories(RunRegistry(workshop, lea), [*rows, odd], None)
    said = {"base_model": "Base 7B", "data": "40k questions", "reward_scheme": "r_final"}
    describe_lineage(actor=lea, lineage=Lineage.objects.get(name="GRPO"), values=said)
    data = exported(workshop)
    assert data.decode().count("40k questions") == 1, "once for each run"
    copy = imported(lea, data, tmp_path)
    there = Lineage.objects.create(benchmark=copy, name="GRPO", data="As Lea wrote")
    import_runs(actor=lea, benchmark=copy, path=tmp_path / "benchmark.json", format="native")
    there.refresh_from_db()
    assert (there.base_model, there.data, there.reward_scheme) == ("Base 7B", "As Lea wrote", "r_final")
    assert Lineage.objects.get(benchmark=copy, name="Odd").data == ""
    Lineage.objects.filter(pk=there.pk).update(data=said["data"])
    assert exported(copy) == data

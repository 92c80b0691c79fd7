"""The preview of a file shows the numbers of its import, whatever the file holds and whatever is stored already."""

from __future__ import annotations

from collections import Counter

import pytest

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.models import Benchmark, ImportIssue, ImportRecord, Sample
from annotation.workflow import SampleState
from evaluation.common.judging.digests import text_digest
from evaluation.imports.write import upload
from tests.evaluation.import_data import File, kitchen, native, run_rows, sample_rows, zip_of
from tests.unit.test_imaging_metadata import photo

pytestmark = pytest.mark.django_db

PHOTO = {"id": "photo", "image": "photo.jpg"}
OTHER = {"id": "other"}
ASKED = {"question": "Which colour is the car?", "answer_type": "open", "answer": ["red"]}
SAW = {"name": "hack saw", "aliases": ["saw for metal"]}
NAIL = {"name": "nail", "state": "merged", "merged_into": "no such tool"}


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.SCRATCH = tmp_path


@pytest.fixture
def benchmark(lea):
    return kitchen(lea)


def imported(lea, benchmark: Benchmark, content: bytes, run_jobs, images: dict[str, bytes] | None = None):
    """The counts of an import, which are those of its preview. So are its issues."""
    archive = File(zip_of(images), "images.zip") if images else None
    record = upload.store_upload(actor=lea, benchmark=benchmark, file=File(content, "file.json"), images=archive)
    run_jobs()
    record.refresh_from_db()
    assert record.state == "preview"
    upload.commit(actor=lea, record=record)
    run_jobs()
    done = ImportRecord.objects.get(pk=record.pk)
    assert (done.state, done.error) == ("done", "")
    previewed = {(group["severity"], group["rule"]): group["count"] for group in record.preview["issues"]}
    assert previewed == Counter(ImportIssue.objects.filter(record=done).values_list("severity", "rule"))
    counts = Counter(done.counts)
    assert Counter(record.preview["counts"]) == counts
    return counts


@pytest.mark.parametrize(("remove", "rule"), [(True, "metadata-removed"), (False, "gps-kept")])
def test_images_with_metadata(lea, run_jobs, remove, rule):
    street = create_benchmark(actor=lea, slug="street", title="Street", remove_metadata=remove)
    files = {"photo.jpg": photo("JPEG", 6), "plain.png": photo("PNG", 1)}
    first = imported(lea, street, native(samples=[PHOTO, {"id": "plain", "image": "plain.png"}]), run_jobs, files)
    assert (first["new"], ImportIssue.objects.filter(rule=rule).exists()) == (2, True)
    again = imported(lea, street, native(samples=[PHOTO, OTHER]), run_jobs, files)
    assert (again["new"], again["unchanged"], again["changed"]) == (1, 1, 0)
    asked = imported(lea, street, native(samples=[{**PHOTO, **ASKED}, OTHER]), run_jobs, files)
    assert (asked["changed"], asked["unchanged"]) == (1, 1)


def test_samples_that_only_have_an_image_are_unchanged_the_second_time(lea, benchmark, run_jobs):
    files = {"photo.jpg": photo("JPEG", 1)}
    imported(lea, benchmark, native(samples=[PHOTO]), run_jobs, files)
    counts = imported(lea, benchmark, native(samples=[PHOTO, {**OTHER, **ASKED}]), run_jobs, files)
    assert (counts["new"], counts["unchanged"]) == (1, 1)


@pytest.mark.parametrize(("row", "issues"), [(SAW, 0), (NAIL, 1)], ids=["fits", "does not fit"])
def test_tools_of_the_tool_bank(lea, benchmark, run_jobs, row, issues):
    assert imported(lea, benchmark, native(bank=[row], samples=[{**OTHER, **ASKED}]), run_jobs)["issues"] == issues


def test_discarded_samples_keep_their_content(lea, benchmark, run_jobs):
    cup, mug, *_ = sample_rows()
    imported(lea, benchmark, native(samples=[cup, mug]), run_jobs)
    Sample.objects.filter(key="cup").update(state=SampleState.DISCARDED, evidence_share=None)
    rows = [{**cup, "question": "Another question?"}, {**mug, "question": "Another?", "state": "discarded"}, OTHER]
    counts = imported(lea, benchmark, native(samples=rows), run_jobs)
    assert (counts["new"], counts["unchanged"], counts["changed"]) == (1, 2, 0)
    assert ImportIssue.objects.filter(rule="not-discarded").count() == 1


def test_further_toolchains_and_facets(lea, benchmark, run_jobs):
    cup, mug, *_ = sample_rows()
    imported(lea, benchmark, native(samples=[cup, mug]), run_jobs)
    chain = {"calls": [{"tool": "crop", "arguments": {"x": 1, "y": 1, "width": 2, "height": 2}}], "note": "shorter"}
    counts = imported(lea, benchmark, native(samples=[{**cup, "accepted_chains": [chain]}, mug]), run_jobs)
    assert (counts["changed"], counts["unchanged"]) == (1, 1)
    rows = [{**cup, "accepted_chains": [chain]}, {**mug, "category": "Chart"}]
    counts = imported(lea, benchmark, native(samples=rows), run_jobs)
    assert (counts["changed"], counts["unchanged"]) == (1, 1)


def test_judgments_of_trajectories(lea, benchmark, run_jobs):
    imported(lea, benchmark, native(trajectories=run_rows()[:3]), run_jobs)
    judged = {
        "model": "Model A", "setting": "base", "sample_id": "mug", "kind": "answer", "judge": "J", "verdict": "correct",
        "text_digest": text_digest("The answer is B."),
    }  # fmt: skip
    rows = [judged, {**judged, "sample_id": "sign"}, {**judged, "judge": "K", "text_digest": text_digest("A")},
            {**judged, "model": "Model Z"}, judged, {**judged, "verdict": "incorrect"}]  # fmt: skip
    counts = imported(lea, benchmark, native(judgements=rows), run_jobs)
    assert (counts["judgements"], counts["new"], counts["unchanged"], counts["changed"]) == (6, 1, 1, 1)
    assert counts["refused"] == 3
    again = imported(lea, benchmark, native(judgements=[*rows, {**judged, "judge": "L"}]), run_jobs)
    assert (again["new"], again["changed"], again["refused"]) == (1, 2, 3)

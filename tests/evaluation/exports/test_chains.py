"""Further reference chains travel with a benchmark: out and in again byte for byte, and shown between versions."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.chains.read import known_chains
from annotation.content.freeze import freeze_version
from annotation.exchange.write.samples import import_samples
from annotation.models import AcceptedChain, Benchmark, Sample, VersionEntry
from annotation.schema import SampleContent, ToolCall
from annotation.toolbox.vtc import Profile
from annotation.versions.read.difference import Kind, difference
from annotation.workbench.write import accept_chain, remove_chain
from annotation.workflow import ExportStates, Role
from evaluation.common.exports import sample_rows
from evaluation.exports.read.formats import export_as
from evaluation.imports.write.sessions import open_session, record_session
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.imports.test_sessions import benchmark
from webapp.accounts.models import User

__all__ = ["benchmark"]

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
CROP = ToolCall("crop", {"x": 80, "y": 40, "width": 60, "height": 50})
FLIP = ToolCall("flip", {"direction": "vertical"})


@pytest.fixture
def sample(benchmark: Benchmark, rui: User) -> Sample:
    add_member(actor=None, benchmark=benchmark, user=rui, role=Role.REVIEWER)
    found = Sample.objects.get(benchmark=benchmark, key="one")
    accept_chain(actor=rui, sample=found, calls=[CROP, FLIP], note="mirrored text")
    accept_chain(actor=rui, sample=found, calls=[CROP])
    return found


def exported(benchmark: Benchmark) -> bytes:
    out = io.BytesIO()
    export_as("native", benchmark, out, ExportStates.ALL)
    return out.getvalue()


def test_chains_go_out_and_come_in_byte_for_byte_and_a_file_without_them_leaves_them(
    benchmark: Benchmark, sample: Sample, lea: User, rui: User, tmp_path: Path
) -> None:
    whole = exported(benchmark)
    assert whole.count(b'"accepted_chains"') == 1
    path = tmp_path / "samples.json"
    path.write_bytes(whole)
    other = create_benchmark(actor=lea, slug="other", title="Other")
    import_samples(actor=lea, benchmark=other, path=path, format="native")
    assert exported(other) == whole
    first = known_chains(Sample.objects.get(benchmark=other, key="one"), SampleContent())[0]
    assert (first.calls, first.note, first.by) == ((CROP, FLIP), "mirrored text", str(lea))

    _, again = import_samples(actor=None, benchmark=benchmark, path=path, format="native")
    assert again.counts["changed"] == 0
    assert set(AcceptedChain.objects.filter(sample=sample).values_list("accepted_by", flat=True)) == {rui.pk}
    path.write_bytes(whole.replace(b'"mirrored text"', b'"as in a mirror"'))
    _, changed = import_samples(actor=None, benchmark=benchmark, path=path, format="native")
    assert changed.counts["changed"] == 1
    path.write_bytes(b'{"samples": [{"id": "one", "image": "s.png", "question": "What?"}]}')
    import_samples(actor=None, benchmark=benchmark, path=path, format="native")
    assert [row.note for row in AcceptedChain.objects.filter(sample=sample)] == ["as in a mirror", ""]


def test_a_version_keeps_the_chains_and_the_page_shows_what_became_of_them(
    benchmark: Benchmark, sample: Sample, lea: User, rui: User
) -> None:
    before = freeze_version(actor=None, benchmark=benchmark)
    remove_chain(actor=rui, chain=AcceptedChain.objects.get(note="mirrored text"))
    [change] = difference(benchmark, before, None).changes
    assert (change.kind, change.key, change.before) == (Kind.CHANGED, "one", change.after)
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.LEAD)
    page = signed_in(lea).get("/benchmarks/kitchen/versions/").content.decode()
    assert "Accepted toolchain 2" in page
    assert "(mirrored text)" in page
    kept = VersionEntry.objects.get(sample=sample).accepted_chains
    assert [chain["note"] for chain in kept] == ["mirrored text", ""]


def test_the_export_of_scores_says_how_many_chains_were_accepted(benchmark: Benchmark, sample: Sample) -> None:
    session = open_session(benchmark, "one").session
    session.call("crop", CROP.arguments)
    record_session(
        actor=None, benchmark=benchmark, row=session.trajectory("2", "agent-7", "interface"), profile=Profile.STRICT
    )
    score_benchmark(actor=None, benchmark=benchmark, only_stale=True)
    [row] = sample_rows(benchmark)
    assert (row["reference_chain"], row["accepted_chains"]) == (2, 2)

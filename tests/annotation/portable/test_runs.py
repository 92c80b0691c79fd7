"""A portable file with runs: they come back with equal rows and scores, and an update adds only new ones.

On PostgreSQL too, because the order of the rows must not depend on the database."""

from __future__ import annotations

import tracemalloc
import zipfile
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.images.store import store_picture
from annotation.models import Benchmark, GoldCheck, ImportRecord, PortableUpload, Sample
from annotation.portable.write import InvalidProject
from annotation.project_file import Reader, differences
from annotation.work.write.replacement import replace_image
from evaluation.exports.read.run_changes import RunKind, changes_of_runs, plan_runs
from evaluation.exports.read.runs import RunsInFile
from evaluation.exports.write import import_project
from evaluation.judging.write.queues import next_to_judge
from evaluation.models import Experiment, Judgement, JudgingItem, JudgingQueue, Lineage, Run, Trajectory
from evaluation.scoring.load.images import Recorded, image_of
from evaluation.scoring.settings import settings_of
from evaluation.scoring.write import score_benchmark
from evaluation.trash.write.runs import delete_run
from tests.annotation.portable.files import damaged, exported, forged, png
from tests.annotation.portable.runs import SECRETS, add_runs_to, scores_of, with_runs
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

JSON = "application/json"

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


@made_once
def lab(kitchen: Benchmark, rui: User, lea: User) -> Benchmark:
    """The kitchen with two runs, one of which Rui judged."""
    add_runs_to(kitchen, lea, judge=rui)
    return kitchen


def assert_equal(one: Path, other: Path) -> None:
    with Reader(one) as first, Reader(other) as second:
        assert differences(first, second) == []
        assert first.tables == second.tables
        for table in first.tables:
            for row, same in zip_longest(first.rows(table), second.rows(table)):
                assert row == same, table
        assert first.manifest.checksum == second.manifest.checksum
        assert changes_of_runs(first, second) == []


@pytest.mark.parametrize("named", [True, False])
def test_runs_come_back_with_equal_rows_and_scores(lab: Benchmark, lea: User, tmp_path: Path, named: bool) -> None:
    file = with_runs(lab, tmp_path / "one", named=named)
    with Reader(file) as found:
        assert {name: found.tables[name] for name in ("run", "trajectories", "interventions", "judgements")} == {
            "run": 2, "trajectories": 9, "interventions": 1, "judgements": 2,
        }  # fmt: skip
        assert [row["model"] for row in found.rows("run")] == ["Qwen-VL ü", "b"]
        assert list(found.rows("settings")) == [{"ioa_threshold": 0.4}]
    made = import_project(actor=lea, path=file, slug="copy", lead=make_user("Zoe Fox"))
    score_benchmark(actor=None, benchmark=made)
    assert_equal(file, with_runs(made, tmp_path / "two", named=named))
    assert scores_of(made) == scores_of(lab) != []
    assert settings_of(made) == settings_of(lab)
    assert set(made.runs.values_list("uid", flat=True)) == set(lab.runs.values_list("uid", flat=True))
    assert [run.letter for run in made.runs.order_by("number")] == ["A", "B"]
    assert made.runs.get(model__name="b").note == "Second checkpoint."
    assert Lineage.objects.get(benchmark=made).name == "GRPO"
    assert ImportRecord.objects.get(benchmark=made).counts["new"] == 12


def card_of(client: Any, run: Run) -> str:
    """What the page of a run says about how the model was run."""
    page = client.get(f"/benchmarks/{run.benchmark.slug}/runs/{run.pk}/").content.decode()
    begin = page.index("How the model was run")
    return " ".join(page[begin : page.index("</section>", begin)].split())


def test_an_imported_run_shows_how_the_model_was_run_as_the_first_server_does(
    lab: Benchmark, lea: User, tmp_path: Path
) -> None:
    first = lab.runs.get(setting="base")
    Run.objects.filter(pk=first.pk).update(extra={"recipe_base": "1" * 64})
    made = import_project(actor=lea, path=with_runs(lab, tmp_path / "a"), slug="copy", lead=lea)
    client = signed_in(lea)
    there, here = card_of(client, first), card_of(client, made.runs.get(setting="base"))
    assert there == here
    for text in ("Protocol", "zoom", "direct@1", "Turns, at most", "seed 7, temperature 0.2"):
        assert text in here
    other = client.get(f"/benchmarks/copy/runs/{made.runs.get(model__name='b').pk}/").content.decode()
    assert "How the model was run" not in other


def test_a_protocol_with_any_values_is_shown_as_text(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    strange = {
        "protocol": ["<b>", 1], "limits": "none", "sampling": {"x": {"y": "z" * 999}}, "user": {"slug": 5}, "new": None,
    }  # fmt: skip
    file = forged(
        with_runs(lab, tmp_path / "a"), "run", lambda rows: [rows[0] | {"protocols": [strange, {}]}, *rows[1:]]
    )
    made = import_project(actor=lea, path=file, slug="copy", lead=lea)
    card = card_of(signed_in(lea), made.runs.get(setting="base"))
    assert "&lt;b&gt;" in card
    assert "5@" in card
    assert "z" * 300 not in card


def test_a_person_who_judged_is_a_placeholder_afterward(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    for named in (True, False):
        made = import_project(actor=lea, path=with_runs(lab, tmp_path / "a", named=named), slug=f"c{named:d}", lead=lea)
        judgment = Judgement.objects.get(run__benchmark=made, decides=True)
        assert judgment.person is not None
        assert not judgment.person.is_active
        assert judgment.judge == judgment.person.email
        assert judgment.person.name.startswith("Rui" if named else "person-")
        assert not made.runs.get(model__name="b").created_by.is_active


def test_a_file_has_no_address_key_or_path_of_a_server_and_without_names_no_person(
    lab: Benchmark, tmp_path: Path
) -> None:
    with zipfile.ZipFile(with_runs(lab, tmp_path / "a", named=False)) as file:
        text = b"".join(file.read(name) for name in file.namelist() if name.endswith((".jsonl", ".json"))).decode()
    for secret in (*SECRETS, "example.org", "Rui", "Lea"):
        assert secret not in text, secret
    for kept in ("final.png", '"source_image":"a.png"', '"protocol":"zoom"', '"seed":7', '"size":[10,8]'):
        assert kept in text, kept


def test_runs_are_left_out_unless_they_are_wanted(lab: Benchmark, tmp_path: Path) -> None:
    with Reader(exported(lab, tmp_path / "a")) as found:
        assert not {"run", "trajectories"} & found.tables.keys()


def test_deleted_and_unfinished_runs_are_left_out(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    assert RunsInFile(lab, lea).counts().left_out == 0
    Experiment.objects.filter(benchmark=lab).update(state="running")
    assert (RunsInFile(lab, lea).counts().runs, RunsInFile(lab, lea).counts().left_out) == (1, 1)
    delete_run(actor=lea, run=lab.runs.get(model__name="b"))
    with Reader(with_runs(lab, tmp_path / "a")) as found:
        assert (found.tables["run"], found.tables["trajectories"]) == (0, 0)


def test_the_page_says_what_the_file_has(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    counts = RunsInFile(lab, lea).counts()
    page = signed_in(lea).get("/benchmarks/kitchen/export/").content.decode()
    assert f"{counts.runs} runs, {counts.trajectories} trajectories" in " ".join(page.split())
    sent = signed_in(lea).post("/benchmarks/kitchen/export/project.sightline", {"runs": "1"})
    file = tmp_path / "file"
    file.write_bytes(b"".join(sent.streaming_content))
    with Reader(file) as found:
        assert (found.tables["run"], found.tables["trajectories"]) == (counts.runs, counts.trajectories)


def test_a_version_has_the_runs_that_were_scored_against_its_gold(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    version = lab.versions.get()
    file = with_runs(lab, tmp_path / "a", version=version)
    with Reader(file) as found:
        keys = {row["key"] for row in found.rows("sample")}
        assert {row["sample_id"] for row in found.rows("trajectories")} <= keys
        assert 0 < found.tables["trajectories"] < 9
        assert "runs" not in found.manifest.about["left_out"]
    made = import_project(actor=lea, path=file, slug="copy", lead=lea)
    score_benchmark(actor=None, benchmark=made)
    assert_equal(file, with_runs(made, tmp_path / "b", version=made.versions.get()))
    Run.objects.get(benchmark=lab, model__name="b").scoring.delete()
    assert RunsInFile(lab, lea, version).counts().runs == 1


def updated(lea: User, benchmark: Benchmark, file: Path) -> dict[str, Any]:
    client = signed_in(lea)
    with file.open("rb") as given:
        sent = client.post(f"/api/v1/benchmarks/{benchmark.slug}/portable/updates/", {"file": given})
    run_waiting()
    one = f"/api/v1/benchmarks/{benchmark.slug}/portable/updates/{sent.json()['id']}/"
    read = client.get(one).json()
    assert read["state"] == "ready", read["problem"]
    page = client.get(f"/benchmarks/{benchmark.slug}/export/update/{sent.json()['id']}/")
    client.post(f"{one}start/", {}, JSON)
    run_waiting()
    done = client.get(one).json()
    assert done["state"] == "done", done["problem"]
    return {"before": read["preview"]["update"], "after": done["preview"]["updated"], "page": page.content.decode()}


def test_an_update_adds_each_run_once_and_states_differences(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    first = exported(lab, tmp_path / "plain")
    copy = import_project(actor=lea, path=first, slug="copy", lead=lea)
    assert "runs" not in updated(lea, copy, first)["before"]
    file = with_runs(lab, tmp_path / "runs")
    told = updated(lea, copy, file)
    assert told["before"]["runs"]["counts"]["added"] == 2
    assert (told["after"]["runs"], told["after"]["trajectories"]) == (2, 9)
    assert "Qwen-VL ü, base" in told["page"]
    assert copy.runs.filter(scoring__isnull=False).count() == 2
    again = updated(lea, copy, file)
    assert again["before"]["runs"]["counts"] | {"equal": 0} == dict.fromkeys(again["before"]["runs"]["counts"], 0)
    assert again["before"]["runs"]["counts"]["equal"] == 2
    assert again["after"]["runs"] == 0
    assert Run.everything.filter(benchmark=copy).count() == 2
    Run.objects.filter(benchmark=copy, model__name="b").update(note="Other.")
    Trajectory.objects.filter(run__benchmark=copy, answer="B").update(answer="C")
    with Reader(file) as found:
        [changed] = [one for one in plan_runs(lea, copy, found) if one.kind is RunKind.CHANGED]
    assert changed.fields == ("note", "trajectories")
    updated(lea, copy, file)
    assert copy.runs.get(model__name="b").note == "Other."
    delete_run(actor=lea, run=copy.runs.get(model__name="b"))
    Run.objects.filter(benchmark=lab, setting="base").update(uid="00000000-0000-4000-8000-000000000001")
    with Reader(with_runs(lab, tmp_path / "later")) as found:
        kinds = {one.name: one.kind for one in plan_runs(lea, copy, found) if one.run}
    assert kinds == {"b": RunKind.TRASH, "Qwen-VL ü, base": RunKind.TAKEN}


def test_an_update_leaves_out_results_on_another_image(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    copy = import_project(actor=lea, path=exported(lab, tmp_path / "plain"), slug="copy", lead=lea)
    with_gold = min(lab.samples.exclude(gold=None).values_list("key", flat=True))
    image = store_picture(actor=lea, benchmark=copy, source=png(99))
    Sample.objects.filter(benchmark=copy, key=with_gold).update(image=image)
    told = updated(lea, copy, with_runs(lab, tmp_path / "runs"))
    assert (told["after"]["runs"], told["after"]["trajectories"]) == (2, 5)
    assert not Trajectory.objects.filter(run__benchmark=copy, sample__key=with_gold).exists()


def test_a_trajectory_keeps_its_image_after_another_shape_and_the_first_size_again(
    lab: Benchmark, lea: User, tmp_path: Path
) -> None:
    # A gold check keeps its image.
    shown = lab.samples.exclude(image=None).exclude(pk__in=GoldCheck.objects.values("sample"))
    sample = Trajectory.objects.filter(run__benchmark=lab, sample__in=shown).order_by("sample__key").first().sample
    key, size = sample.key, (sample.image.width, sample.image.height)
    for number, (width, height) in enumerate([(90, 90), size]):
        now = Sample.objects.select_related("image", "benchmark").get(pk=sample.pk)
        image = store_picture(actor=lea, benchmark=lab, source=png(140 + number, width, height))
        replace_image(actor=lea, sample=now, image=image, scale=False, comment="Again.", key=f"{number}")
    file = with_runs(lab, tmp_path / "one")
    with Reader(file) as found:
        rows = [row for row in found.rows("trajectories") if row["sample_id"] == key]
    assert {row["image_sha256"] for row in rows} == {sample.image.sha256}
    made = import_project(actor=lea, path=file, slug="copy", lead=lea)
    there = Trajectory.objects.filter(run__benchmark=made, sample__key=key)
    assert len(there) == len(rows) > 0
    assert {image_of(row) for row in there.select_related("sample")} == {Recorded(None, lost=True)}
    assert_equal(file, with_runs(made, tmp_path / "two"))


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [
        ("run", "uid", "x"), ("run", "model", ""), ("run", "model", 5), ("run", "created_at", "yesterday"),
        ("run", "created_by", 99), ("run", "protocols", ["x"]), ("run", "baseline", "yes"), ("run", "note", "\0"),
        ("trajectories", "sample_id", "nowhere"), ("trajectories", "model", "other"),
        ("trajectories", "rollout", 10**12), ("interventions", "condition", "x" * 50), ("judgements", "person", 99),
        ("judgements", "kind", "taste"),
    ],
)  # fmt: skip
def test_an_invalid_value_of_a_run_rejects_the_file_with_its_place(
    lab: Benchmark, lea: User, tmp_path: Path, table: str, field: str, value: Any
) -> None:
    file = with_runs(lab, tmp_path / "a")
    wrong = forged(file, table, lambda rows: [*rows[:-1], rows[-1] | {field: value}])
    with Reader(file) as found:
        place = f"tables/{table}.jsonl, line {found.tables[table]}: {field}"
    with pytest.raises(InvalidProject) as refused:
        import_project(actor=lea, path=wrong, slug="copy", lead=lea)
    assert str(refused.value).startswith(place)
    assert not Benchmark.objects.filter(slug="copy").exists()


@pytest.mark.parametrize("table", ["run", "trajectories", "interventions", "judgements", "settings"])
def test_planted_damage_in_runs_is_found(lab: Benchmark, tmp_path: Path, table: str, capsys: Any) -> None:
    file = with_runs(lab, tmp_path / "a")
    for change in (lambda data: data.replace(b"a", b"e", 1), lambda data: data + b"{}\n", lambda _: None):
        with pytest.raises(CommandError):
            call_command("benchmark", "verify", str(damaged(file, f"tables/{table}.jsonl", change)))
    wrong = forged(file, "trajectories", lambda rows: [row | {"model": "other"} for row in rows])
    with pytest.raises(CommandError, match="a run that the file does not have"):
        call_command("benchmark", "verify", str(wrong))


def test_the_command_moves_runs_and_compares_them(lab: Benchmark, lea: User, tmp_path: Path, capsys: Any) -> None:
    file, again = tmp_path / "a", tmp_path / "b"
    call_command("benchmark", "export", "kitchen", str(file), "--runs")
    call_command("benchmark", "import", str(file), "copy", "--lead", lea.email)
    assert "2 runs are scored" in capsys.readouterr().out
    Run.objects.filter(benchmark__slug="copy", model__name="b").update(note="Other.")
    call_command("benchmark", "export", "copy", str(again), "--runs")
    capsys.readouterr()
    call_command("benchmark", "diff", str(file), str(again))
    assert "run b: note\n" in capsys.readouterr().out
    plain = exported(lab, tmp_path / "plain")
    call_command("benchmark", "diff", str(plain), str(file))
    assert "run Qwen-VL ü, base: only in the second" in capsys.readouterr().out


def test_an_uploaded_file_with_runs_becomes_a_scored_benchmark(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    client = signed_in(lea)
    with with_runs(lab, tmp_path / "a").open("rb") as given:
        sent = client.post("/api/v1/portable/", {"file": given}).json()
    run_waiting()
    one = f"/api/v1/portable/{sent['id']}/"
    counts = client.get(one).json()["preview"]["counts"]
    assert (counts["runs"], counts["trajectories"]) == (2, 9)
    assert "9 trajectories" in client.get(f"/benchmarks/new/file/{sent['id']}/").content.decode()
    client.post(f"{one}create/", {"slug": "copy"}, JSON)
    run_waiting()
    assert PortableUpload.objects.get(pk=sent["id"]).state == "done"
    made = Benchmark.objects.get(slug="copy")
    assert made.runs.filter(scoring__isnull=False).count() == 2
    assert scores_of(made) == scores_of(lab)


def test_a_job_writes_runs_over_the_api(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    client = signed_in(lea)
    base = "/api/v1/benchmarks/kitchen/portable/"
    assert client.post(base, {"runs": "yes"}, JSON).status_code == 400
    job = client.post(base, {"runs": True}, JSON).json()
    run_waiting()
    file = tmp_path / "file"
    file.write_bytes(b"".join(client.get(f"{base}{job['id']}/file/").streaming_content))
    with Reader(file) as found:
        assert found.tables["trajectories"] == 9


def test_a_lead_in_the_middle_of_a_judging_queue_gets_and_gives_no_runs(
    lab: Benchmark, lea: User, tmp_path: Path
) -> None:
    """Which model a question is about could be looked up in a file, or in the comparison with one."""
    file, plain = with_runs(lab, tmp_path / "a"), exported(lab, tmp_path / "b")
    copy = import_project(actor=lea, path=plain, slug="copy", lead=lea)
    asked = lab.runs.get(setting="base").trajectories.first()
    queue = JudgingQueue.objects.create(benchmark=lab, seed="x", drawn_from=1, created_by=lea)
    JudgingItem.objects.create(queue=queue, trajectory=asked, kind="reliability", key="question-0")
    client, base = signed_in(lea), "/benchmarks/kitchen/export/"
    assert updated(lea, lab, file)["before"]["runs"]["counts"]["equal"] == 2
    upload = PortableUpload.objects.get()
    assert next_to_judge(actor=lea, queue=queue) is not None
    assert client.get(base).status_code == 403
    assert client.post(f"{base}project.sightline", {"runs": "1"}).status_code == 403
    assert client.post(f"{base}portable/", {"runs": "1"}).status_code == 403
    assert client.post("/api/v1/benchmarks/kitchen/portable/", {"runs": True}, JSON).status_code == 403
    assert client.post(f"{base}project.sightline").status_code == 200
    shown = client.get(f"/api/v1/benchmarks/kitchen/portable/updates/{upload.pk}/").json()["preview"]["update"]
    assert "runs" not in shown
    assert shown["runs_left_out"]
    told = updated(lea, lab, file)
    assert "runs" not in told["before"]
    assert "The runs of the file are left out" in told["page"]
    assert "runs" not in told["after"]
    assert updated(lea, copy, file)["after"]["runs"] == 2


@pytest.mark.endurance
def test_memory_does_not_grow_with_the_trajectories(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    """Twice as many trajectories of 4 KB, in an export and an import: the peak is that of one batch."""
    run, sample = lab.runs.get(setting="base"), lab.samples.order_by("pk").first()
    peaks = []
    for begin, end in ((10, 2500), (2500, 7500)):
        Trajectory.objects.bulk_create(
            Trajectory(run=run, sample=sample, rollout=rollout, answer="word " * 800, digest=str(rollout))
            for rollout in range(begin, end)
        )
        file = tmp_path / str(end)
        tracemalloc.start()
        with_runs(lab, file)
        written = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        import_project(actor=lea, path=file, slug=f"copy-{end}", lead=lea)
        peaks.append((written, tracemalloc.get_traced_memory()[1]))
        tracemalloc.stop()
    (write, read), (write_more, read_more) = peaks
    assert write_more < 1.25 * write
    assert read_more < 1.25 * read

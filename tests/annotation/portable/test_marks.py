"""Notes, tags, failures and rollout groups of runs in a portable file. On PostgreSQL too, because the order of the rows
must not depend on the database."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark
from annotation.portable.write import InvalidProject
from annotation.project_file import Reader
from annotation.workflow import Role
from evaluation.common.judging.digests import judged_digests
from evaluation.exports.write import import_project
from evaluation.models import FailureLabel, Judgement, Note, Rollout, Tag, Tagging, Trajectory
from evaluation.scoring.write import score_benchmark
from evaluation.trajectories.write.marks import correct_failure, tag_trajectories, write_note
from tests.annotation.portable.files import exported, forged
from tests.annotation.portable.runs import SECRETS, add_marks_to, add_runs_to, scores_of, with_runs
from tests.annotation.portable.test_runs import assert_equal, updated
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
COUNTS = {"notes": 3, "tags": 3, "failures": 2, "rolloutgroups": 2}


@made_once
def lab(kitchen: Benchmark, ana: User, rui: User, lea: User) -> Benchmark:
    add_runs_to(kitchen, lea, judge=rui)
    add_marks_to(kitchen, ana, rui, lea)
    score_benchmark(actor=lea, benchmark=kitchen)
    return kitchen


def marks_in(benchmark: Benchmark) -> list[Any]:
    """All notes, tags, failures and rewards, with their times."""
    of = ("trajectory__sample__key", "trajectory__rollout")
    notes = Note.objects.filter(trajectory__run__benchmark=benchmark)
    tags = Tagging.objects.filter(tag__benchmark=benchmark, tag__owner=None)
    failures = FailureLabel.objects.filter(benchmark=benchmark)
    rewards = Rollout.objects.filter(group__benchmark=benchmark).order_by("group__group_id", "position")
    return [
        list(notes.values_list(*of, "turn", "x1", "y1", "x2", "y2", "text", "created_at")),
        sorted(tags.values_list(*of, "tag__name", "at")),
        list(failures.order_by("pk").values_list(*of, "failure", "current", "at")),
        list(rewards.values_list("group__group_id", "image_tokens", "reward_final", "reward_sufficiency")),
    ]


@pytest.mark.parametrize("named", [True, False])
def test_marks_and_rewards_come_back_row_by_row(lab: Benchmark, lea: User, tmp_path: Path, named: bool) -> None:
    file = with_runs(lab, tmp_path / "one", named=named)
    with Reader(file) as found:
        assert {name: found.tables[name] for name in COUNTS} == COUNTS
    made = import_project(actor=lea, path=file, slug="copy", lead=lea)
    score_benchmark(actor=None, benchmark=made)
    assert_equal(file, with_runs(made, tmp_path / "two", named=named))
    assert marks_in(made) == marks_in(lab)
    assert marks_in(made)[3][0][2] is not None
    assert scores_of(made) == scores_of(lab)


def test_authors_are_placeholders_and_without_names_no_person_is_named(
    lab: Benchmark, lea: User, tmp_path: Path
) -> None:
    file = with_runs(lab, tmp_path / "a", named=False)
    with zipfile.ZipFile(file) as opened:
        text = b"".join(opened.read(name) for name in opened.namelist() if name.endswith((".jsonl", ".json"))).decode()
    for secret in (*SECRETS, "example.org", "Rui", "Ana", "mine alone"):
        assert secret not in text, secret
    made = import_project(actor=lea, path=file, slug="copy", lead=lea)
    authors = {note.author for note in Note.objects.filter(trajectory__run__benchmark=made)}
    assert len(authors) == 2
    for author in authors:
        assert author is not None
        assert author.name.startswith("person-")
        assert not author.is_active
    assert set(Tag.objects.filter(benchmark=made).values_list("name", "owner")) == {("Alpha", None), ("größe", None)}
    one = Note.objects.filter(trajectory__run__benchmark=made, turn=None, x1=None).get().trajectory
    address = reverse("evaluation:trajectory", args=["copy", one.pk])
    page = signed_in(lea).get(address, {"tab": "notes"}).content.decode()
    assert "Look at the handle." in page
    assert "Ana" not in page


def test_a_version_has_the_marks_on_its_samples(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    version = lab.versions.get()
    with Reader(with_runs(lab, tmp_path / "a", version=version)) as found:
        keys = {row["key"] for row in found.rows("sample")}
        assert {row["sample_id"] for row in found.rows("notes")} <= keys
        assert [row["group_id"] for row in found.rows("rolloutgroups")] == ["g-1"]


def test_an_update_brings_the_marks_of_new_runs(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    copy = import_project(actor=lea, path=exported(lab, tmp_path / "plain"), slug="copy", lead=lea)
    told = updated(lea, copy, with_runs(lab, tmp_path / "runs"))
    assert {name: told["after"][name] for name in ("notes", "tags", "failures")} == {
        "notes": 3, "tags": 3, "failures": 2,
    }  # fmt: skip
    assert marks_in(copy)[:3] == marks_in(lab)[:3]


@pytest.mark.parametrize("named", [True, False])
def test_an_update_adds_marks_to_runs_that_are_here_once(
    lab: Benchmark, ana: User, rui: User, lea: User, tmp_path: Path, named: bool
) -> None:
    copy = import_project(actor=lea, path=with_runs(lab, tmp_path / "runs", named=named), slug="copy", lead=lea)
    before = marks_in(copy)
    first = Trajectory.objects.filter(run__benchmark=lab, run__setting="base").order_by("sample__key").last()
    write_note(actor=rui, trajectory=first, text="Later.", turn=1)
    tag_trajectories(actor=ana, benchmark=lab, trajectories=[first.pk], name="new tag")
    correct_failure(actor=ana, trajectory=first, failure="wrong_tool")
    decided(lab, first, rui)
    later = with_runs(lab, tmp_path / "later", named=named)
    told = updated(lea, copy, later)
    [run] = told["before"]["runs"]["runs"]
    assert run["kind"] == "new marks"
    one = {"added": 1, "differ": 0}
    assert run["marks"] == {"notes": one, "tags": one, "failures": one, "judgements": one}
    assert "Notes: 1 added" in told["page"]
    assert told["after"]["marks"] == {"notes": 1, "tags": 1, "failures": 1, "judgements": 1}
    assert marks_in(copy)[:3] == marks_in(lab)[:3] != before[:3]
    assert not Note.objects.get(trajectory__run__benchmark=copy, text="Later.").author.is_active  # type: ignore[union-attr]
    people = User.objects.count()
    again = updated(lea, copy, later)
    assert again["before"]["runs"]["counts"]["equal"] == 2
    assert (again["after"]["marks"], User.objects.count()) == ({}, people)
    assert_equal(later, with_runs(copy, tmp_path / "back", named=named))


def test_a_mark_that_differs_is_stated_and_stays(lab: Benchmark, rui: User, lea: User, tmp_path: Path) -> None:
    copy = import_project(actor=lea, path=with_runs(lab, tmp_path / "runs"), slug="copy", lead=lea)
    of_copy = Trajectory.objects.filter(run__benchmark=copy, run__setting="base").order_by("sample__key")
    noted = Note.objects.filter(trajectory__run__benchmark=copy, text="Too wide.").get()
    Note.objects.filter(pk=noted.pk).update(text="Not wide.")
    labeled = of_copy.get(failure_labels__current=True)
    add_member(actor=lea, benchmark=copy, user=rui, role=Role.RESEARCHER)
    correct_failure(actor=rui, trajectory=labeled, failure="wrong_tool")
    Judgement.objects.filter(run__benchmark=copy, decides=True).update(answer="B")
    before = [marks_in(copy)[:3], list(Judgement.objects.filter(run__benchmark=copy).values())]
    told = updated(lea, copy, with_runs(lab, tmp_path / "again"))
    [run] = told["before"]["runs"]["runs"]
    one = {"added": 0, "differ": 1}
    assert (run["kind"], run["marks"]) == ("differs", {"notes": one, "failures": one, "judgements": one})
    assert "1 with another value here" in told["page"]
    assert [marks_in(copy)[:3], list(Judgement.objects.filter(run__benchmark=copy).values())] == before


def test_marks_come_back_to_the_benchmark_of_their_accounts_only_once(
    lab: Benchmark, ana: User, lea: User, tmp_path: Path
) -> None:
    """A copy of a file without names, with a mark that was added there, updates the benchmark that it came from."""
    copy = import_project(actor=lea, path=with_runs(lab, tmp_path / "a", named=False), slug="copy", lead=lea)
    there = Trajectory.objects.filter(run__benchmark=copy, run__setting="base").first()
    write_note(actor=lea, trajectory=there, text="From the copy.")
    told = updated(lea, lab, with_runs(copy, tmp_path / "b", named=False))
    assert told["after"]["marks"] == {"notes": 1, "tags": 0, "failures": 0, "judgements": 0}
    assert Judgement.objects.filter(run__benchmark=lab, decides=True).count() == 1


def test_an_invalid_mark_on_a_run_that_is_here_changes_nothing(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    file = with_runs(lab, tmp_path / "a")
    copy = import_project(actor=lea, path=file, slug="copy", lead=lea)
    for table, wrong in (("notes", {"box": [1, 2, 1, 4]}), ("judgements", {"kind": "taste"}), ("tags", {"rollout": 7})):
        client, base = signed_in(lea), f"/api/v1/benchmarks/{copy.slug}/portable/updates/"
        before = marks_in(copy)
        with forged(file, table, lambda rows, wrong=wrong: [*rows[:-1], rows[-1] | wrong]).open("rb") as given:
            sent = client.post(base, {"file": given}).json()
        run_waiting()
        client.post(f"{base}{sent['id']}/start/", {}, "application/json")
        run_waiting()
        found = client.get(f"{base}{sent['id']}/").json()
        assert (found["state"], found["problem"][: len(f"tables/{table}")]) == ("failed", f"tables/{table}")
        assert marks_in(copy) == before


def decided(benchmark: Benchmark, one: Trajectory, person: User) -> None:
    Judgement.objects.create(
        run=one.run, sample=one.sample, trajectory=one, kind="answer", person=person, judge=person.email,
        verdict=None, answer="A", decides=True, text_digest=judged_digests("answer", [one.pk])[one.pk],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [
        ("notes", "text", ""), ("notes", "text", 5), ("notes", "turn", "2"), ("notes", "created_at", "today"),
        ("notes", "person", 99), ("notes", "rollout", "x"), ("notes", "sample_id", "nowhere"),
        ("notes", "box", [1, 2, 1, 4]),
        ("notes", "box", [1, 2, 3]), ("tags", "tag", "x" * 61), ("tags", "tag", "none"), ("tags", "at", None),
        ("failures", "failure", "bad luck"), ("failures", "current", "yes"), ("failures", "model", "other"),
        ("rolloutgroups", "rollouts", [{"acc": 1}]),
    ],
)  # fmt: skip
def test_an_invalid_value_rejects_the_file_with_its_place(
    lab: Benchmark, lea: User, tmp_path: Path, table: str, field: str, value: Any
) -> None:
    wrong = forged(with_runs(lab, tmp_path / "a"), table, lambda rows: [*rows[:-1], {**rows[-1], field: value}])
    with pytest.raises(InvalidProject) as refused:
        import_project(actor=lea, path=wrong, slug="copy", lead=lea)
    assert str(refused.value).startswith(f"tables/{table}.jsonl, line {COUNTS[table]}: {field}"), refused.value
    assert not Benchmark.objects.filter(slug="copy").exists()

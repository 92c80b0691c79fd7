"""People decide what answers say: equal ones at once, what was said and not whether it is right, undone and carried."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.samples import save_samples
from annotation.models import Benchmark
from annotation.schema import AnswerType, SampleContent, SampleRecord
from annotation.workflow import Role
from evaluation.answers.read import rows as answer_rows
from evaluation.answers.read.groups import State, read_groups
from evaluation.answers.read.rows import AnswerGroup
from evaluation.answers.write import decide_answers, take_back, take_back_last
from evaluation.exports.read.formats import export_as
from evaluation.imports.write.runs import import_runs
from evaluation.metrics.answers import judge_answer
from evaluation.models import Judgement, Metric, Run, Scoring, Trajectory
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.evaluation.answers_data import OPTIONS, REFUSAL, make_kitchen, said, sample
from tests.evaluation.scores import all_scores, scores_by_sample, with_scores
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db


@made_once
def kitchen(lea: User) -> Benchmark:
    return make_kitchen(lea)


def groups(benchmark: Benchmark, user: User | None = None, **narrowed: Any) -> list[AnswerGroup]:
    return list(read_groups(benchmark, user, **narrowed).groups)


def accuracy(benchmark: Benchmark) -> tuple[float | None, int]:
    found = Metric.objects.get(scoring__run__benchmark=benchmark, metric="accuracy", slice_by="")
    return found.value, found.n


def test_equal_answers_are_one_group_the_largest_first(lea: User, kitchen: Benchmark) -> None:
    first, *others = groups(kitchen, lea)
    assert (first.n, first.text, first.multiple_choice) == (6, REFUSAL, True)
    assert sorted(group.n for group in others) == [1, 1]
    open_one = next(group for group in others if not group.multiple_choice)
    assert (open_one.text, open_one.accepted, open_one.reason) == ("Quai", ("Quay",), "unmatched")
    assert first.accepted == ()
    run = Run.objects.get()
    said(lea, kitchen, {"s0": REFUSAL, "s1": "B"}, "Model B")
    assert groups(kitchen, lea)[0].n == 7
    assert groups(kitchen, lea, run=run.pk)[0].n == 6
    assert {group.n for group in groups(kitchen, lea, reason="unmatched")} == {1}


def test_one_decision_settles_a_group_and_corrected_gold_scores_it_again(lea: User, kitchen: Benchmark) -> None:
    largest = groups(kitchen, lea)[0]
    done = decide_answers(actor=lea, benchmark=kitchen, said={largest.key: "B"})
    assert (done.answers, done.groups, done.runs) == (6, 1, 1)
    assert Scoring.objects.get().stale
    assert largest.key not in {group.key for group in groups(kitchen, lea)}
    assert [(g.n, g.said and g.said.letter) for g in groups(kitchen, lea, state=State.DECIDED)] == [(6, "B")]
    score_benchmark(actor=lea, benchmark=kitchen)
    refused = [one.score for one in with_scores(Trajectory.objects.filter(answer=REFUSAL))]
    assert {(one.correct, one.undecided, one.letter) for one in refused} == {(True, False, "B")}
    assert {group.n for group in groups(kitchen, lea)} == {1}

    save_samples(actor=lea, benchmark=kitchen, records=[sample("s0", gold="A")])
    score_benchmark(actor=lea, benchmark=kitchen)
    assert (scores_by_sample()["s0"].correct, scores_by_sample()["s0"].letter) == (False, "B")
    assert Judgement.objects.count() == 6


def test_other_options_make_a_decision_stale(lea: User, kitchen: Benchmark) -> None:
    decide_answers(actor=lea, benchmark=kitchen, said={groups(kitchen, lea)[0].key: "B"})
    save_samples(actor=lea, benchmark=kitchen, records=[sample("s0", options=OPTIONS | {"B": "saucer"})])
    score_benchmark(actor=lea, benchmark=kitchen)
    again = [group for group in groups(kitchen, lea) if group.text == REFUSAL]
    assert [group.n for group in again] == [1]
    decide_answers(actor=lea, benchmark=kitchen, said={again[0].key: "0"})
    score_benchmark(actor=lea, benchmark=kitchen)
    score = scores_by_sample()["s0"]
    assert (score.correct, score.undecided, score.letter) == (False, False, "")


def test_an_open_answer_is_decided_by_verdict_until_other_strings_are_accepted(lea: User, kitchen: Benchmark) -> None:
    [one] = [group for group in groups(kitchen, lea) if not group.multiple_choice]
    with pytest.raises(InvalidInput, match="y, n or"):
        decide_answers(actor=lea, benchmark=kitchen, said={one.key: "B"})
    decide_answers(actor=lea, benchmark=kitchen, said={one.key: "y"})
    score_benchmark(actor=lea, benchmark=kitchen)
    assert scores_by_sample()["sign"].correct is True
    other = SampleContent("What does it say?", AnswerType.OPEN, {}, ("Pier",))
    save_samples(actor=lea, benchmark=kitchen, records=[SampleRecord("sign", other)])
    score_benchmark(actor=lea, benchmark=kitchen)
    assert scores_by_sample()["sign"].undecided
    assert "Quai" in {group.text for group in groups(kitchen, lea)}


def test_a_group_left_for_a_judge_waits_apart_and_changes_no_score(lea: User, kitchen: Benchmark) -> None:
    largest = groups(kitchen, lea)[0]
    decide_answers(actor=lea, benchmark=kitchen, said={largest.key: "?"})
    assert not Scoring.objects.get().stale
    assert largest.key not in {group.key for group in groups(kitchen, lea)}
    assert [group.key for group in groups(kitchen, lea, state=State.LEFT)] == [largest.key]
    assert groups(kitchen, lea, state=State.DECIDED) == []
    take_back(actor=lea, benchmark=kitchen, keys=[largest.key])
    assert groups(kitchen, lea)[0].key == largest.key


def test_the_last_decision_is_undone_first_and_only_ones_own(lea: User, kitchen: Benchmark) -> None:
    largest, *others = groups(kitchen, lea)
    decide_answers(actor=lea, benchmark=kitchen, said={largest.key: "B"})
    small = next(group for group in others if group.multiple_choice)
    decide_answers(actor=lea, benchmark=kitchen, said={small.key: "0"})
    assert take_back_last(actor=lea, benchmark=kitchen) == 1
    assert take_back_last(actor=lea, benchmark=kitchen) == 6
    assert take_back_last(actor=lea, benchmark=kitchen) == 0
    assert len(groups(kitchen, lea)) == 3
    entries = AuditEntry.objects.filter(benchmark="kitchen", action__startswith="judging.")
    assert sorted(entries.values_list("action", "after")) == [
        ("judging.decide", "0"), ("judging.decide", "B"), ("judging.take_back", "B"), ("judging.take_back", "none"),
    ]  # fmt: skip


@pytest.mark.endurance
def test_a_decision_reads_the_answers_of_its_group_alone(
    lea: User, kitchen: Benchmark, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    for number in range(5):
        said(lea, kitchen, {f"s{i}": f"neither {number} {i}" for i in range(8)}, f"Model {number}")
    many = {group.text: group.key for group in groups(kitchen, lea)}
    assert len(many) == 43
    read = texts_read(monkeypatch)
    with django_assert_max_num_queries(20):
        decide_answers(actor=lea, benchmark=kitchen, said={many["neither 2 3"]: "B"})
    with django_assert_max_num_queries(20):
        decide_answers(actor=lea, benchmark=kitchen, said={many[REFUSAL]: "0"})
    assert read == ["neither 2 3", REFUSAL]


def texts_read(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The answers that are read from now on."""
    read: list[str | None] = []
    monkeypatch.setattr(answer_rows, "judge_answer", lambda text, *rest: read.append(text) or judge_answer(text, *rest))
    return read


@pytest.mark.endurance
def test_groups_are_counted_by_their_names_and_one_answer_of_each_that_is_shown_is_read(
    lea: User, kitchen: Benchmark, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    for number in range(4):
        said(lea, kitchen, {"s0": REFUSAL, "s1": f"neither {number}"}, f"Model {number}")
    run = Run.objects.get(model__name="Model 2")
    read = texts_read(monkeypatch)
    read_groups(kitchen, lea)
    with django_assert_num_queries(8):
        found = read_groups(kitchen, lea)
    assert ([one.n for one in found.tallies], found.answers) == ([10, 1, 1, 1, 1, 1, 1], 16)
    assert (found.by_reason, found.by_run[run.pk]) == ({"refusal": 10, "none": 5, "unmatched": 1}, 2)
    assert read == []
    with django_assert_num_queries(2):
        [largest] = found.read(found.tallies[:1])
    assert (largest.text, largest.n, largest.by_run[run.pk], read) == (REFUSAL, 10, 1, [REFUSAL])

    decide_answers(actor=lea, benchmark=kitchen, said={largest.key: "B"}, run=run.pk)
    assert (read_groups(kitchen, lea).tallies[0].n, read_groups(kitchen, lea, run=run.pk).answers) == (9, 1)
    decide_answers(actor=lea, benchmark=kitchen, said={largest.key: "?"})
    assert largest.key not in {one.key for one in read_groups(kitchen, lea).tallies}


def test_a_group_is_counted_without_what_a_judge_model_decided(lea: User, kitchen: Benchmark) -> None:
    about = {"run": Run.objects.get(), "kind": "answer", "judge": "m", "verdict": "yes"}
    Judgement.objects.create(sample=kitchen.samples.get(key="s0"), **about)
    score_benchmark(actor=lea, benchmark=kitchen)
    assert [one.n for one in read_groups(kitchen, lea).tallies] == [5, 1, 1]


def test_a_group_is_found_by_its_name_of_today_where_scores_are_of_earlier_options(
    lea: User, kitchen: Benchmark
) -> None:
    other = [sample(f"s{i}", options=OPTIONS | {"B": "saucer"}) for i in range(8)]
    save_samples(actor=lea, benchmark=kitchen, records=other)
    [today] = [group for group in groups(kitchen, lea) if group.text == REFUSAL]
    assert today.key not in {one.answer_group for one in all_scores().values()}
    assert decide_answers(actor=lea, benchmark=kitchen, said={today.key: "B"}).answers == 6


def test_unread_answers_that_count_as_wrong_are_decided_by_group_too(lea: User, kitchen: Benchmark) -> None:
    change_settings(actor=lea, benchmark=kitchen, values={"unread_answer": "wrong"})
    score_benchmark(actor=lea, benchmark=kitchen)
    largest = groups(kitchen, lea)[0]
    assert [one.answer_group for one in all_scores().values()].count(largest.key) == 6
    assert decide_answers(actor=lea, benchmark=kitchen, said={largest.key: "B"}).answers == 6


def test_who_may_not_score_decides_nothing_and_a_second_person_comes_too_late(
    lea: User, ana: User, rui: User, kitchen: Benchmark
) -> None:
    add_member(actor=lea, benchmark=kitchen, user=ana, role=Role.ANNOTATOR)
    add_member(actor=lea, benchmark=kitchen, user=rui, role=Role.RESEARCHER)
    largest = groups(kitchen, lea)[0]
    with pytest.raises(NotAllowed):
        decide_answers(actor=ana, benchmark=kitchen, said={largest.key: "B"})
    decide_answers(actor=rui, benchmark=kitchen, said={largest.key: "B"})
    with pytest.raises(Conflict, match="decided or scored in the meantime"):
        decide_answers(actor=lea, benchmark=kitchen, said={largest.key: "A"})
    with pytest.raises(InvalidInput, match="A, B, C, D, 0 or"):
        decide_answers(actor=lea, benchmark=kitchen, said={groups(kitchen, lea, reason="none")[0].key: "E"})
    assert take_back_last(actor=lea, benchmark=kitchen) == 0
    assert take_back(actor=lea, benchmark=kitchen, keys=[largest.key]) == 6


def test_a_decision_outlives_an_import_with_the_same_text_and_no_other(lea: User, kitchen: Benchmark) -> None:
    decide_answers(actor=lea, benchmark=kitchen, said={groups(kitchen, lea)[0].key: "B"})
    said(lea, kitchen, {"s0": REFUSAL, "s1": "Something else"}, final_image="a")
    scores = scores_by_sample()
    assert (scores["s0"].correct, scores["s2"].correct) == (True, True)
    assert scores["s1"].correct is not True
    assert Judgement.objects.count() == 5
    assert "Something else" in {group.text for group in groups(kitchen, lea)}


def test_decisions_are_exported_and_read_back(lea: User, kitchen: Benchmark, tmp_path: Path) -> None:
    largest, *_ = groups(kitchen, lea)
    decide_answers(actor=lea, benchmark=kitchen, said={largest.key: "B"})
    score_benchmark(actor=lea, benchmark=kitchen)
    path = tmp_path / "kitchen.json"
    path.write_bytes(exported(kitchen))
    copy = create_benchmark(actor=lea, slug="copy", title="Copy")
    save_samples(actor=lea, benchmark=copy, records=[sample(f"s{i}") for i in range(8)])
    import_runs(actor=lea, benchmark=copy, path=path, format="native")
    score_benchmark(actor=lea, benchmark=copy)
    assert [group.n for group in groups(copy, lea, state=State.DECIDED)] == [6]
    assert accuracy(copy)[0] == pytest.approx(7 / 8)
    again, _ = import_runs(actor=lea, benchmark=kitchen, path=path, format="native")
    assert (again.counts["new"], again.counts["changed"], again.counts.get("refused", 0)) == (0, 0, 0)


def test_decisions_of_a_file_stand_once_when_another_reading_of_it_takes_its_place(
    lea: User, kitchen: Benchmark, tmp_path: Path
) -> None:
    decide_answers(actor=lea, benchmark=kitchen, said={groups(kitchen, lea)[0].key: "B"})
    path = tmp_path / "kitchen.json"
    path.write_bytes(exported(kitchen))
    copy = create_benchmark(actor=lea, slug="copy", title="Copy")
    save_samples(actor=lea, benchmark=copy, records=[sample(f"s{i}") for i in range(8)])
    import_runs(actor=lea, benchmark=copy, path=path, format="native")
    import_runs(actor=lea, benchmark=copy, path=path, format="native", setting="base", replace=True)
    score_benchmark(actor=lea, benchmark=copy)
    [group] = groups(copy, lea, state=State.DECIDED)
    assert [(str(run), group.by_run.get(run.pk, 0)) for run in Run.objects.filter(benchmark=copy)] == [
        ("Model A, base", 6)
    ]
    import_runs(
        actor=lea, benchmark=copy, path=path, format="native", setting="base", coordinates="pixel", replace=True
    )
    assert [group.n for group in groups(copy, lea, state=State.DECIDED)] == [6]


def exported(benchmark: Benchmark) -> bytes:
    out = io.BytesIO()
    export_as("native", benchmark, out)
    return out.getvalue()

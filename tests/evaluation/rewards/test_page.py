"""The rewards of the rollouts of a run, on the page and as JSON lines."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Benchmark, Sample
from evaluation.common.saving.batches import RunRegistry, save_others
from evaluation.metrics.rewards import rewards
from evaluation.models import Judgement, JudgingItem, JudgingQueue, Trajectory
from evaluation.schema import Rollout, RolloutGroup
from evaluation.scoring.settings import change_settings, settings_of
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark, only_run, repeat
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/street/rewards/"


@made_once
def benchmark(lea: User) -> Benchmark:
    """As in tests/evaluation/runs/test_repeats.py: groups of two or three rollouts on eight samples."""
    found = make_benchmark(lea)
    repeat(found, lea)
    return found


def groups_of(lea: User, **query: Any) -> dict[str, Any]:
    return {group.sample: group for group in signed_in(lea).get(PAGE, query).context["groups"]}


def test_each_group_has_the_rewards_of_the_one_definition(lea: User, benchmark: Benchmark) -> None:
    groups = groups_of(lea)
    assert {name: len(group.trajectories) for name, group in groups.items()} == {
        "seen-00": 2, "seen-01": 3, "seen-02": 3, "seen-wrong-00": 3, "seen-wrong-01": 3, "missed-00": 2,
        "unanswered-00": 2, "undecided-00": 2,
    }  # fmt: skip
    group = groups["seen-02"]
    assert [one.r_acc for one in group.rewards] == [1, 1, 0]
    assert [one.r_quadrant for one in group.rewards] == [1, 1, 0.25]
    records = tuple(Rollout(one.image_tokens, one.r_acc, one.r_format, one.r_s == 1) for one in group.rewards)
    wanted = rewards(RolloutGroup("g", records), settings_of(benchmark))
    assert [one.r_final for one in group.rewards] == [one.final for one in wanted]


def test_without_a_call_nothing_is_returned_and_no_answer_is_no_format(lea: User, benchmark: Benchmark) -> None:
    groups = groups_of(lea)
    last = groups["seen-00"].rewards[1]
    assert (last.image_tokens, last.r_m, last.r_box, last.calls) == (0, 0, 0, ())
    assert groups["unanswered-00"].rewards[0].r_format == 0


def test_the_verdict_of_a_judge_model_comes_before_coverage(lea: User, benchmark: Benchmark) -> None:
    run = only_run(benchmark)
    first = Trajectory.objects.get(run=run, sample__key="seen-01", rollout=0, condition="none")
    assert groups_of(lea)["seen-01"].rewards[0].r_s == 1
    Judgement.objects.create(
        run=run, sample=first.sample, trajectory=first, kind="sufficiency", judge="judge-7b", verdict="No."
    )
    assert [one.r_s for one in groups_of(lea)["seen-01"].rewards] == [0, 1, 1]


def test_who_still_judges_a_sample_gets_no_reward_with_the_verdict_of_a_judge(lea: User, benchmark: Benchmark) -> None:
    run = only_run(benchmark)
    first = Trajectory.objects.get(run=run, sample__key="seen-01", rollout=0, condition="none")
    queue = JudgingQueue.objects.create(benchmark=benchmark, people=1, seed="x", drawn_from=1, created_by=lea)
    JudgingItem.objects.create(queue=queue, trajectory=first, kind="sufficiency")
    assert groups_of(lea)["seen-01"].rewards, "coverage tells no verdict"
    Judgement.objects.create(
        run=run, sample=first.sample, trajectory=first, kind="sufficiency", judge="judge-7b", verdict="No."
    )
    group = groups_of(lea)["seen-01"]
    assert (group.rewards, bool(group.reason)) == ((), True)


def test_settings_and_family_change_the_rewards(lea: User, benchmark: Benchmark) -> None:
    before = groups_of(lea)["seen-02"].rewards[0]
    assert groups_of(lea, family="gemini")["seen-02"].rewards[0].image_tokens != before.image_tokens
    change_settings(actor=lea, benchmark=benchmark, values={"alpha": 0})
    assert groups_of(lea)["seen-02"].rewards[0].r_final == 2


def test_a_group_whose_rewards_are_undefined_says_why(lea: User, benchmark: Benchmark) -> None:
    Sample.objects.filter(benchmark=benchmark, key="seen-01").update(width=None, height=None)
    page = signed_in(lea).get(PAGE)
    assert {group.sample: group.reason for group in page.context["groups"]}["seen-01"]
    assert "Undefined: The size of the image is unknown." in page.content.decode()


def test_a_page_needs_as_many_queries_for_one_group_as_for_eight(
    lea: User, benchmark: Benchmark, django_assert_max_num_queries: Any
) -> None:
    client = signed_in(lea)
    client.get(PAGE)
    with django_assert_max_num_queries(40):
        assert len(client.get(PAGE).context["groups"]) == 8


def test_the_command_prints_the_same_as_json_lines(lea: User, benchmark: Benchmark) -> None:
    out = StringIO()
    call_command("rewards", "street", "--run", str(only_run(benchmark).pk), stdout=out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    groups = groups_of(lea)
    assert [line["sample"] for line in lines] == list(groups)
    for line in lines:
        assert [one["r_final"] for one in line["rollouts"]] == [one.r_final for one in groups[line["sample"]].rewards]
    assert lines[0]["settings"]["alpha"] == 0.5
    with pytest.raises(CommandError, match="has no run 0"):
        call_command("rewards", "street", "--run", "0")


def test_each_rollout_opens_its_trajectory_and_each_group_its_sample(lea: User, benchmark: Benchmark) -> None:
    client = signed_in(lea)
    page = client.get(PAGE)
    text = page.content.decode()
    for group in page.context["groups"]:
        assert f'href="/benchmarks/street/samples/{group.sample}/"' in text
        for pk, *_ in group.rows:
            assert f'href="/benchmarks/street/trajectories/{pk}/"' in text
    pk, *_ = page.context["groups"][0].rows[0]
    assert client.get(f"/benchmarks/street/trajectories/{pk}/").status_code == 200


def test_imported_rollouts_are_listed_with_as_many_queries_for_few_as_for_many(
    lea: User, benchmark: Benchmark, django_assert_num_queries: Any
) -> None:
    client, address = signed_in(lea), f"{PAGE}rollouts/"

    def save(*names: str) -> None:
        rows = [RolloutGroup(name, (Rollout(100, 1, 1, True), Rollout(300, 1, 1, False))) for name in names]
        save_others(RunRegistry(benchmark, lea), rows, None)

    save("a")
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        assert len(client.get(address).context["page"]) == 2
    save(*"bcdef")
    with django_assert_num_queries(len(few)):
        assert len(client.get(address).context["page"]) == 12
    assert [one.group_id for one in client.get(address, {"show": "groups"}).context["page"]] == list("abcdef")
    assert len(client.get(address, {"rewarded": "yes"}).context["page"]) == 12
    assert client.get(address, {"run": "12345"}).status_code == 404

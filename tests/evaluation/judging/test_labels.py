"""People label drawn verdicts of a judge: what is drawn, what the labels come to, and who is told when."""

from __future__ import annotations

import base64
import io
import json
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from PIL import Image as PillowImage

from annotation.benchmarks.write.benchmark import add_member
from annotation.drawn_labels import Batch, drawn_rate
from annotation.images.store import store_picture
from annotation.models import Benchmark, Sample
from annotation.workflow import Role
from evaluation.judging.present import SIDE
from evaluation.judging.read.judges import load_judged
from evaluation.judging.write.labels import draw_labels
from evaluation.judging.write.queues import judge_item, next_to_judge
from evaluation.models import Attempt, Experiment, JudgingItem, JudgingQueue, Run, Trajectory
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, wrong_links
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
VOTES = [["yes"] * 3] * 6 + [["no"] * 3] * 4 + [["yes", "no", "yes"], ["yes", None, "no"]]
"""Of the twelve: six yes, four no, one that a majority decides, one undecided."""
RED = (200, 30, 40)


@made_once
def street(lea: User, ana: User, rui: User) -> Benchmark:
    benchmark = make_benchmark(lea, {"seen": 12}, models=("Model A",))
    for user, role in ((ana, Role.ANNOTATOR), (rui, Role.RESEARCHER)):
        add_member(actor=lea, benchmark=benchmark, user=user, role=role)
    run = Run.objects.get()
    judge = Experiment.objects.create(
        benchmark=benchmark, kind="judge", source=run, state="done", endpoint_name="j", model="judge-7b", setting="j",
        rollouts=3, recipe={"question": "reliability", "model": "judge-7b"}, recipe_digest="0" * 64,
    )  # fmt: skip
    rows = Trajectory.objects.filter(run=run, condition="none", rollout=0).order_by("pk")
    Attempt.objects.bulk_create(
        Attempt(
            experiment=judge, sample=row.sample, trajectory=row, rollout=vote, state="done", digest=f"{row.pk}-{vote}",
            result={"verdict": said},
        )
        for row, votes in zip(rows, VOTES, strict=True)
        for vote, said in enumerate(votes)
    )  # fmt: skip
    return benchmark


@pytest.fixture
def judge(street: Benchmark) -> Experiment:
    return Experiment.objects.get(kind="judge")


def label_all(user: User, queue: JudgingQueue, verdicts: str) -> None:
    for verdict in verdicts.split():
        item = next_to_judge(actor=user, queue=queue)
        assert item is not None
        judge_item(actor=user, item=item, said={"verdict": verdict})


def told(user: User, judge: Experiment) -> Any:
    return signed_in(user).get(f"/api/v1/benchmarks/street/judging/experiments/{judge.pk}/").json()


def test_a_drawn_item_keeps_its_probability_and_the_undecided_one_is_drawn(judge: Experiment, lea: User) -> None:
    queue = draw_labels(actor=lea, experiment=judge, size=4)
    items = list(queue.items.order_by("pk"))
    assert (len(items), queue.weight, queue.drawn_from) == (4, 1.0, 12)
    chances = {item.trajectory_id: item.probability for item in items}
    place = {row.pk: at for at, row in enumerate(Trajectory.objects.filter(condition="none", rollout=0).order_by("pk"))}
    by_place = {place[pk]: chance for pk, chance in chances.items()}
    total = 10 * 0.1 + (2 / 9) ** 0.5
    assert by_place.pop(11) == 1
    for at, chance in by_place.items():
        assert chance == pytest.approx(3 * (0.1 if at < 10 else (2 / 9) ** 0.5) / total)
    assert {item.kind for item in items} == {"reliability"}


def test_the_labels_come_to_the_estimate_of_the_draw_and_the_next_batch_takes_its_weight(
    judge: Experiment, lea: User, rui: User
) -> None:
    queue = draw_labels(actor=lea, experiment=judge, size=6, seed="fixed")
    label_all(rui, queue, "yes no yes yes no yes")
    rows = list(Trajectory.objects.filter(condition="none", rollout=0).order_by("pk").values_list("pk", flat=True))
    said = {item.trajectory_id: item for item in queue.items.all()}
    labels = {
        one.trajectory_id: float(one.verdict == "yes")
        for one in queue.benchmark.runs.get().judgements.filter(person=rui, extra__queue=queue.pk)
    }
    batch = Batch(
        np.array([rows.index(pk) for pk in said]), np.array([item.probability for item in said.values()]),
        np.array([labels[pk] for pk in said]), 1.0,
    )  # fmt: skip
    wanted = drawn_rate(np.array([1.0] * 6 + [0.0] * 4 + [1.0, 0.5]), [batch])
    assert wanted is not None
    row = told(lea, judge)
    assert (row["waiting"], row["labeled"], row["left"], row["undecided"]) == (False, 6, 6, 1)
    assert (row["rate"], row["n"]) == (pytest.approx(7 / 11), 11)
    assert row["corrected"] == pytest.approx(wanted.value)
    page = signed_in(lea).get(f"/benchmarks/street/judging/experiments/{judge.pk}/")
    assert page.context["labels"].rate.value == row["corrected"]
    assert load_judged(judge.benchmark, "reliability", page.context.get("audience"), lea).unequal <= set(said)
    posted = signed_in(lea).post(f"/benchmarks/street/judging/experiments/{judge.pk}/", {"size": 3, "people": 1})
    assert posted.status_code == 302
    second = JudgingQueue.objects.latest("pk")
    assert second.weight == pytest.approx(wanted.next_weight)
    assert not set(second.items.values_list("trajectory", flat=True)) & set(said)


def test_until_all_is_judged_nothing_tells_what_the_questions_are_about(
    judge: Experiment, lea: User, rui: User
) -> None:
    before = told(lea, judge)
    assert (before["waiting"], before["left"]) == (False, 12)
    queue = draw_labels(actor=lea, experiment=judge, size=2)
    for person in (lea, rui):
        row = told(person, judge)
        assert row["waiting"]
        assert (row["rate"], row["n"], row["labeled"], row["corrected"], row["left"]) == (None, 0, 0, None, 0)
        page = signed_in(person).get(f"/benchmarks/street/judging/experiments/{judge.pk}/").content.decode()
        assert "still wait for people" in page
        assert f"judging/{queue.pk}/" not in page
    with pytest.raises(Conflict):
        draw_labels(actor=lea, experiment=judge, size=2)
    label_all(rui, queue, "yes no")
    assert told(lea, judge)["labeled"] == 2


def test_a_batch_that_was_deleted_leaves_no_estimate(judge: Experiment, lea: User, rui: User) -> None:
    first = draw_labels(actor=lea, experiment=judge, size=3)
    label_all(rui, first, "yes no yes")
    label_all(rui, draw_labels(actor=lea, experiment=judge, size=3), "yes no yes")
    assert told(lea, judge)["corrected"] is not None
    JudgingItem.objects.filter(queue=first).delete()
    assert told(lea, judge)["corrected"] is None
    with pytest.raises(Conflict):
        draw_labels(actor=lea, experiment=judge, size=2)


def test_wrong_sizes_other_experiments_and_people_without_the_right_are_refused(
    judge: Experiment, lea: User, ana: User, sam: User
) -> None:
    for changes in ({"size": 0}, {"size": 2, "people": 9}):
        with pytest.raises(InvalidInput):
            draw_labels(actor=lea, experiment=judge, **changes)
    address = f"/benchmarks/street/judging/experiments/{judge.pk}/"
    assert signed_in(ana).get(address).status_code == 403
    assert signed_in(sam).get(address).status_code == 404
    Experiment.objects.filter(pk=judge.pk).update(state="running")
    judge.refresh_from_db()
    with pytest.raises(Conflict):
        draw_labels(actor=lea, experiment=judge, size=2)
    assert signed_in(lea).get(address).context["labels"] is None


def test_the_page_asks_as_many_queries_for_more_labels(
    judge: Experiment, lea: User, rui: User, django_assert_max_num_queries: Any
) -> None:
    label_all(rui, draw_labels(actor=lea, experiment=judge, size=8), "yes no yes no yes no yes yes")
    client = signed_in(lea)
    client.get(f"/benchmarks/street/judging/experiments/{judge.pk}/")
    with django_assert_max_num_queries(30):
        client.get(f"/benchmarks/street/judging/experiments/{judge.pk}/")


def test_items_are_drawn_and_labeled_over_the_api(judge: Experiment, lea: User, rui: User) -> None:
    api, client = "/api/v1/benchmarks/street/judging/", signed_in(rui)

    def sent(person: Client, address: str, body: dict[str, Any]) -> Any:
        return person.post(f"{api}{address}", body, content_type="application/json")

    assert sent(client, f"experiments/{judge.pk}/", {"size": 0}).status_code == 400
    made = sent(signed_in(lea), f"experiments/{judge.pk}/", {"size": 3})
    assert made.status_code == 201
    queue = made.json()["queue"]
    assert sent(signed_in(lea), f"experiments/{judge.pk}/", {"size": 3}).status_code == 409
    for verdict in ("yes", "no", "yes"):
        asked = next_to_judge(actor=rui, queue=JudgingQueue.objects.get(pk=queue))
        here = f"{queue}/questions/{asked.key}/"
        assert sent(client, here, {"verdict": "perhaps"}).status_code == 400
        assert sent(client, here, {"verdict": verdict, "sure": 4}).status_code == 200
    assert sent(client, f"{queue}/next/", {}).json() == {"item": None}
    assert told(lea, judge)["labeled"] == 3


def test_a_question_over_the_api_names_neither_the_model_nor_the_image(
    judge: Experiment, lea: User, rui: User, run_jobs: Any
) -> None:
    photo = PillowImage.new("RGB", (1000, 800), RED)
    encoded = io.BytesIO()
    photo.save(encoded, "PNG")
    image = store_picture(actor=lea, benchmark=judge.benchmark, source=encoded.getvalue())
    Sample.objects.filter(benchmark=judge.benchmark).update(image=image)
    run_jobs()
    queue = draw_labels(actor=lea, experiment=judge, size=2)
    said = signed_in(rui).post(f"/api/v1/benchmarks/street/judging/{queue.pk}/next/", {}).content.decode()
    row = json.loads(said)
    assert set(row) == {"item", "kind", "question", "options", "answer", "crops"}
    assert (row["kind"], row["answer"]) == ("reliability", "A black")
    assert row["crops"]
    for crop in row["crops"]:
        shown = PillowImage.open(io.BytesIO(base64.b64decode(crop)))
        assert max(shown.size) <= SIDE
        assert all(abs(one - wanted) < 8 for one, wanted in zip(shown.getpixel((2, 2)), RED, strict=True))
    for hidden in ("Model A", "seen-", "gold"):
        assert hidden not in said


def test_the_command_draws_lists_imports_and_shows_labels(
    judge: Experiment, lea: User, rui: User, sam: User, tmp_path: Any
) -> None:
    file, out = tmp_path / "labels.jsonl", tmp_path / "items.jsonl"

    def run(*words: Any, **options: Any) -> str:
        said = StringIO()
        call_command("labels", *words, stdout=said, **options)
        return said.getvalue()

    run("draw", judge.pk, size=4)
    queue = JudgingQueue.objects.get()
    run("items", queue.pk, output=out)
    items = [json.loads(line) for line in out.read_text().splitlines()]
    assert {one["item"] for one in items} == set(queue.items.values_list("key", flat=True))
    assert "Model A" not in out.read_text()
    verdicts = ["yes", "no", "yes", "no"]
    rows = [{"item": one["item"], "verdict": verdict} for one, verdict in zip(items, verdicts, strict=True)]
    broken = ["no", "[]", '{"item": "x", "verdict": "yes"}', json.dumps(rows[0] | {"verdict": "perhaps"}),
              json.dumps(rows[0] | {"verdict": 1}), json.dumps(rows[0] | {"model": "A"})]  # fmt: skip
    for line in broken:
        file.write_text(f"{json.dumps(rows[1])}\n{line}")
        with pytest.raises(CommandError, match="line 2"):
            run("import", queue.pk, file, person=rui.email)
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(CommandError):
        run("import", queue.pk, file, person=sam.email)
    assert told(lea, judge)["waiting"]
    run("import", queue.pk, file, person=rui.email)
    row = json.loads(run("show", judge.pk))
    assert (row["waiting"], row["labeled"], row["left"]) == (False, 4, 8)
    assert row["corrected"] == pytest.approx(told(lea, judge)["corrected"])
    for wrong in (("draw", 10**6), ("items", 10**6), ("show", 10**6), ("import", queue.pk)):
        with pytest.raises(CommandError):
            run(*wrong)


def test_every_number_of_the_page_opens_its_trajectories(judge: Experiment, lea: User, rui: User) -> None:
    """Eleven decided, one undecided, four drawn and one of them not labeled, eight left."""
    queue = draw_labels(actor=lea, experiment=judge, size=4)
    client, address = signed_in(lea), f"/benchmarks/street/judging/experiments/{judge.pk}/"
    assert counted_links(client.get(address)) == {}
    label_all(rui, queue, "yes no undecided yes")
    page = client.get(address)
    found = sorted(counted_links(page).values())
    assert found in ([1, 1, 3, 8, 11], [1, 3, 8, 11]), "what is undecided by both is one list"
    assert wrong_links(client, page) == {}

"""The page on which people decide what answers say: what it shows and hides, and what each form does."""

from __future__ import annotations

import re

import pytest
from django.db import transaction
from django.test import Client

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.samples import save_samples
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.answers.read.groups import State, read_groups
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.models import Judgement, Run
from evaluation.schema import Trajectory
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.answers_data import REFUSAL, make_kitchen, said, sample
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/answers/"


@made_once
def kitchen(lea: User) -> Benchmark:
    return make_kitchen(lea)


def page_of(client: Client, query: str = "") -> str:
    answer = client.get(PAGE + query)
    assert answer.status_code == 200
    return answer.content.decode()


def groups_in(page: str) -> str:
    """The list of groups, without the tokens of its forms."""
    return re.sub(r'value="\w{64}"', "", page[page.index("answers__list") : page.index("</ol>")])


def test_a_group_shows_its_text_and_options_and_not_what_is_right(lea: User, kitchen: Benchmark) -> None:
    said(lea, kitchen, {"s0": '<script>x</script> <b dir="ltr">none</b>'}, "Model B")
    shown = page_of(signed_in(lea))
    assert REFUSAL in shown
    assert "&lt;script&gt;x&lt;/script&gt;" in shown
    assert "<script>x" not in shown
    save_samples(actor=lea, benchmark=kitchen, records=[sample(f"s{i}", gold="C") for i in range(8)])
    score_benchmark(actor=lea, benchmark=kitchen)
    assert groups_in(page_of(signed_in(lea))) == groups_in(shown)


def test_a_list_is_narrowed_by_reason_and_run(lea: User, kitchen: Benchmark) -> None:
    run = Run.objects.get()
    said(lea, kitchen, {"s0": "Elsewhere"}, "Model B")
    client = signed_in(lea)
    assert "Elsewhere" in page_of(client)
    assert "Elsewhere" not in page_of(client, f"?run={run.pk}")
    assert "Quai" in page_of(client, "?reason=unmatched")
    assert REFUSAL not in page_of(client, "?reason=unmatched")
    assert client.get(f"{PAGE}?run=x").status_code == 400
    assert "No answers to decide" in page_of(client, "?reason=unheard")


def test_a_decision_comes_back_as_a_piece_or_as_the_page(lea: User, kitchen: Benchmark) -> None:
    client = signed_in(lea)
    first, second, third = read_groups(kitchen, lea).groups
    piece = client.post(PAGE, {"group": first.key, "said": "B"}, headers={"HX-Request": "true"}).content.decode()
    assert "6 answers decided: they say B." in piece
    assert "<html" not in piece
    assert f"<kbd>{first.key}" not in piece
    assert "Stale scores" in piece
    again = client.post(PAGE, {"group": first.key, "said": "A"}, headers={"HX-Request": "true"})
    assert again.status_code == 409
    for group in (second, third):
        answer = client.post(PAGE, {"group": group.key, "said": "0" if group.multiple_choice else "n"}, follow=True)
        assert "1 answer decided" in answer.content.decode()
    assert "No answers to decide" in page_of(client)
    decided = page_of(client, "?state=decided")
    assert all(words in decided for words in ("B: cup", "none of the options", "not accepted"))
    client.post(PAGE, {"act": "undo"})
    client.post(f"{PAGE}?state=decided", {"act": "back", "group": first.key})
    assert Judgement.objects.count() == 1


def test_a_list_is_decided_at_once_after_a_preview_of_the_count(lea: User, kitchen: Benchmark) -> None:
    client = signed_in(lea)
    shown = page_of(client, "?all=0")
    assert "Decide 7 answers in 2 groups of 1 run at once" in shown
    said(lea, kitchen, {"s0": REFUSAL}, "Model B")
    late = client.post(PAGE, {"act": "all", "said": "0", "answers": "7"})
    assert late.status_code == 409
    assert not Judgement.objects.exists()
    client.post(PAGE, {"act": "all", "said": "0", "answers": "8"})
    assert {group.n for group in read_groups(kitchen, lea, state=State.DECIDED).groups} == {7, 1}
    assert client.post(PAGE, {"act": "all", "said": "B", "answers": "1"}).status_code == 400
    client.post(PAGE, {"act": "undo"})
    assert not Judgement.objects.exists()


def test_a_page_holds_fifty_groups_and_takes_few_queries(
    lea: User,
    kitchen: Benchmark,
    django_assert_max_num_queries,
) -> None:
    client = signed_in(lea)
    places = [(number, i) for number in range(8) for i in range(8)]
    rows = [Trajectory(f"Model {number}", f"s{i}", answer=f"neither {number} {i}") for number, i in places]
    with transaction.atomic():
        save_trajectories(RunRegistry(kitchen, lea), rows, None)
    score_benchmark(actor=lea, benchmark=kitchen)
    client.get(PAGE)
    with django_assert_max_num_queries(30):
        first = page_of(client)
    assert first.count("data-group") == 50
    assert page_of(client, "?page=2").count("data-group") == 17


def test_annotators_and_an_empty_benchmark(lea: User, ana: User, kitchen: Benchmark) -> None:
    add_member(actor=lea, benchmark=kitchen, user=ana, role=Role.ANNOTATOR)
    assert signed_in(ana).get(PAGE).status_code == 403
    create_benchmark(actor=lea, slug="empty", title="Empty")
    assert "No answers to decide" in signed_in(lea).get("/benchmarks/empty/answers/").content.decode()

"""The pages of human studies: set up and followed by a lead, taken by a participant."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.models import Experiment, HumanAnswer
from evaluation.studies.write.answers import next_to_answer
from evaluation.studies.write.states import close, pause
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, wrong_links
from tests.evaluation.studies.study_data import ON_GOLD, answer_all, make_study_benchmark, open_study, said
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
LIST_QUERIES, PAGE_QUERIES = 31, 37
"""Session, person, benchmark and role, tabs and their counts are in it."""
PAGE = "/benchmarks/street/studies/"


@made_once
def street(lea: User, ana: User, rui: User) -> Benchmark:
    return make_study_benchmark(lea, {ana: Role.ANNOTATOR, rui: Role.REVIEWER}, {"seen": 4, "planned": 2})


def begun(ana: User, study: Experiment, *, planned: bool = False) -> HumanAnswer:
    """A sample that Ana holds, with a tool plan or without."""
    for _ in range(10):
        item = next_to_answer(actor=ana, study=study)
        assert item is not None
        if item.sample.key.startswith("planned") == planned:
            return item
        HumanAnswer.objects.filter(pk=item.pk).update(place=None)
    raise AssertionError("No such sample was drawn.")


def test_a_lead_previews_the_strata_and_creates_the_study(lea: User, street: Benchmark) -> None:
    client = signed_in(lea)
    chosen = {"name": "study 1", "n": 6, "people": 2, "facets": ["category"], "roles": ["annotator"]}
    preview = client.get(f"{PAGE}new/", chosen)
    assert [(one["size"], one["drawn"]) for one in preview.context["strata"]] == [(3, 3), (3, 3)]
    assert not Experiment.objects.filter(kind="human").exists()
    assert client.get(f"{PAGE}new/", chosen | {"n": 7}).status_code == 400
    made = client.post(f"{PAGE}new/", chosen)
    study = Experiment.objects.get(kind="human")
    assert made.url == f"{PAGE}{study.pk}/"
    assert (study.design["people"], study.design["roles"]) == (2, ["annotator"])
    assert client.get(made.url).status_code == 200


def test_a_participant_sees_the_question_and_nothing_of_the_gold(lea: User, ana: User, street: Benchmark) -> None:
    study = open_study(lea, street, n=6)
    item = begun(ana, study)
    page = signed_in(ana).get(f"{PAGE}{study.pk}/{item.key}/").content.decode()
    assert "Which colour?" in page
    for hidden in (item.sample.key, "Model C", "gold", '"answer":'):
        assert hidden not in page


def test_an_answer_is_sent_and_the_next_sample_comes(lea: User, ana: User, street: Benchmark) -> None:
    study = open_study(lea, street, n=6)
    item, client = begun(ana, study), signed_in(ana)
    here = f"{PAGE}{study.pk}/{item.key}/"
    sent = {"answer": "B", "familiarity": "5", "seconds": "3.2", "zooms": ON_GOLD, "act": "answer"}
    wrong = client.post(here, sent | {"zooms": "[1]"})
    assert (wrong.status_code, wrong.context["said"]["answer"]) == (400, "B")
    done = client.post(here, sent)
    assert done.status_code == 303
    assert done.url not in (here, f"{PAGE}{study.pk}/")
    kept = HumanAnswer.objects.get(pk=item.pk)
    assert (kept.answer, kept.familiarity, kept.seconds, len(kept.steps)) == ("B", 5, 3.2, 1)
    # Sent again from a second tab, it changes nothing.
    assert client.post(here, sent | {"answer": "A"}).status_code == 303
    assert HumanAnswer.objects.get(pk=item.pk).answer == "B"
    assert client.get(here).url == f"{PAGE}{study.pk}/"


def test_tools_are_written_without_suggestions(lea: User, ana: User, street: Benchmark) -> None:
    study = open_study(lea, street, n=6)
    item = begun(ana, study, planned=True)
    here = f"{PAGE}{study.pk}/{item.key}/"
    page = signed_in(ana).get(here).content.decode()
    assert "datalist" not in page
    assert "hammer" not in page
    sent = {"recognition": "hammer\nsaw", "plan": " hammer \n\nnail", "familiarity": "2", "seconds": "9", "zooms": "[]"}
    signed_in(ana).post(here, sent)
    kept = HumanAnswer.objects.get(pk=item.pk)
    assert (kept.recognition, kept.plan, kept.answer) == (["hammer", "saw"], ["hammer", "nail"], None)


def test_the_sample_of_another_person_is_shown_to_nobody(lea: User, ana: User, rui: User, street: Benchmark) -> None:
    study = open_study(lea, street, n=6)
    here = f"{PAGE}{study.pk}/{begun(ana, study).key}/"
    assert signed_in(rui).get(here).status_code == 409
    assert signed_in(rui).post(here, {"act": "skip"}).status_code == 409


def test_gold_and_results_are_closed_until_a_participant_finishes(lea: User, ana: User, street: Benchmark) -> None:
    study, client = open_study(lea, street, n=6), signed_in(ana)
    addresses = ["samples/", "leaderboard/", "runs/", "trajectories/", "compare/"]

    def statuses() -> set[int]:
        return {client.get(f"/benchmarks/street/{address}").status_code for address in addresses}

    assert statuses() == {200}
    begun(ana, study)
    # The list of samples leads people who see no gold to their own work.
    assert statuses() <= {302, 403}
    pause(actor=lea, study=study)
    assert statuses() <= {302, 403}
    client.post(f"{PAGE}{study.pk}/finish/")
    assert statuses() == {200}


def test_a_lead_pauses_closes_and_exports(lea: User, ana: User, street: Benchmark) -> None:
    study, client = open_study(lea, street, n=6), signed_in(lea)
    answer_all(ana, study, most=2)
    for action, state in (("pause", "paused"), ("resume", "running"), ("close", "done")):
        assert client.post(f"{PAGE}{study.pk}/{action}/").status_code == 302
        study.refresh_from_db()
        assert study.state == state
    lines = b"".join(client.get(f"{PAGE}{study.pk}/answers.jsonl"))
    assert lines.count(b"\n") == 2
    assert client.get(f"{PAGE}{study.pk}/").context["result"] is not None


def test_the_list_takes_as_many_queries_for_many_studies(
    lea: User, street: Benchmark, django_assert_max_num_queries: Any
) -> None:
    for number in range(4):
        open_study(lea, street, name=f"study {number}", n=6)
    with django_assert_max_num_queries(LIST_QUERIES):
        assert len(signed_in(lea).get(PAGE).context["rows"]) == 4


def test_the_api_creates_follows_and_closes_a_study(lea: User, ana: User, street: Benchmark) -> None:
    client, api = signed_in(lea), "/api/v1/benchmarks/street/studies/"

    def sent(address: str, body: dict[str, Any], method: str = "post") -> Any:
        return getattr(client, method)(address, body, content_type="application/json")

    new = {"name": "api", "n": 6, "facets": ["category"], "people": 1}
    assert [one["drawn"] for one in sent(api, new | {"preview": True}).json()["strata"]] == [3, 3]
    made = sent(api, new)
    assert (made.status_code, made.json()["state"]) == (201, "open")
    here = f"{api}{made.json()['id']}/"
    answer_all(ana, Experiment.objects.get(pk=made.json()["id"]), most=2)
    found = client.get(here).json()
    assert found["participants"] == [{"person": 1, "answers": 2, "skipped": 0, "finished": False}]
    assert sum(one["answers"] for one in found["strata"]) == 2
    assert b"".join(client.get(f"{here}answers/")).count(b"\n") == 2
    assert sent(here, {"state": "closed"}, "patch").json()["study"]["state"] == "closed"
    assert sent(here, {"state": "open"}, "patch").status_code == 409
    assert client.get(api).json()["results"][0]["name"] == "api"
    assert Client().get(api).status_code == 401


def test_every_count_of_samples_opens_them_for_a_lead_alone(lea: User, ana: User, street: Benchmark) -> None:
    study = open_study(lea, street, n=6)
    item = begun(ana, study)
    here = f"{PAGE}{study.pk}/{item.key}/"
    signed_in(ana).post(here, {"answer": "B", "familiarity": "5", "seconds": "3.2", "zooms": "[]", "act": "answer"})
    client = signed_in(lea)
    page = client.get(f"{PAGE}{study.pk}/")
    assert {1, 3} <= set(counted_links(page).values())
    assert wrong_links(client, page) == {}
    assert counted_links(signed_in(ana).get(f"{PAGE}{study.pk}/")) == {}


@pytest.mark.endurance
def test_the_answers_of_a_participant_open_their_trajectories(lea: User, ana: User, street: Benchmark) -> None:
    study = open_study(lea, street, n=6)
    answer_all(ana, study)
    close(actor=lea, study=study)
    run_waiting()
    client = signed_in(lea)
    page = client.get(f"{PAGE}{study.pk}/")
    [(_, answers, skipped)] = page.context["people"]
    assert (answers.n, skipped.n) == (6, 0)
    assert counted_links(page)[answers.href] == 6
    assert wrong_links(client, page) == {}


def test_every_result_opens_the_samples_it_is_of_and_the_answers_to_them(
    lea: User, ana: User, rui: User, street: Benchmark, django_assert_max_num_queries: Any
) -> None:
    """Ana says that she knows everything, Rui nothing; both never zoom on one sample, and Rui skips one."""
    study = open_study(lea, street, n=6)
    item = next_to_answer(actor=rui, study=study)
    HumanAnswer.objects.filter(pk=item.pk).update(place=None)
    for person, familiarity in ((ana, 5), (rui, 1)):
        answer_all(person, study, lambda one, known=familiarity: said(one, familiarity=known, zooms=zooms_on(one)))
    close(actor=lea, study=study)
    run_waiting()
    client = signed_in(lea)
    page = client.get(f"{PAGE}{study.pk}/")
    lines = {(line.metric.metric, line.familiar): line for line in page.context["metrics"]}
    assert {"accuracy", "grounded_score", "selection_f1", "recognition_f1"} <= {metric for metric, _ in lines}
    for line in lines.values():
        assert line.cases.samples.n == line.metric.n
        assert (line.cases.samples.href, line.cases.answers.href) != ("", "")
    whole, known = lines["accuracy", ""].cases, lines["accuracy", "5"].cases
    assert whole.answers.n > known.answers.n == known.samples.n
    assert lines["grounded_score", ""].cases.samples.n < whole.samples.n
    assert [n.n for _, n in page.context["differences"]] == [one.n for one in page.context["result"].differences]
    assert all(n.href for _, n in page.context["differences"])
    assert [skipped.n for *_, skipped in page.context["people"]] == [1, 0]
    assert wrong_links(client, page) == {}
    with django_assert_max_num_queries(PAGE_QUERIES):
        client.get(f"{PAGE}{study.pk}/")


def zooms_on(item: HumanAnswer) -> str:
    return "[]" if item.sample.key == "seen-00" else ON_GOLD

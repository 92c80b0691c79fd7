"""Judges beside people: who is a person, what agrees, and how good a judge is as a test."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.models import Benchmark
from evaluation.models import Judgement, Model, Run
from tests.annotation.agreement_data import mugs
from tests.conftest import signed_in
from tests.evaluation.crawl import total, wrong_links
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/agreement/judges/"
JUDGE = "judge-7b"


@made_once
def kitchen(lea: User, ana: User, rui: User) -> Benchmark:
    return mugs(lea, {"annotator": ana, "reviewer": rui})


@made_once
def run(kitchen: Benchmark) -> Run:
    return Run.objects.create(benchmark=kitchen, number=1, model=Model.objects.create(name="zoomer"))


def judge(run: Run, judge: str, words: str, kind: str = "sufficiency") -> None:
    """One verdict for each letter, on the samples in order: y, n, or - for none."""
    samples = list(run.benchmark.samples.order_by("key"))
    Judgement.objects.bulk_create(
        Judgement(run=run, sample=sample, kind=kind, judge=judge, verdict={"y": "Yes.", "n": "no, it is cut off"}[word])
        for sample, word in zip(samples, words, strict=False)
        if word != "-"
    )


def context_of(user: User, **query: Any) -> Any:
    return signed_in(user).get(PAGE, query).context


def test_a_judge_is_held_against_the_person_it_is_named_like(lea: User, rui: User, run: Run) -> None:
    judge(run, "RUI@example.org", "yyyynnnn-")
    judge(run, JUDGE, "yyynynnny")
    context = context_of(lea)
    assert (context["judges"], context["people_n"]) == (["Rui Costa", JUDGE], 1)
    pair = context["pair"]
    assert (pair["names"], pair["verdicts"].n, pair["same_n"].n) == (("Rui Costa", JUDGE), 8, 6)
    assert [(name, one.value, one.n) for _, name, one, _ in pair["quality"]] == [
        ("Sensitivity", 0.75, 4),
        ("Specificity", 0.75, 4),
    ]
    kappa = {name: one for _, name, one, _ in pair["coefficients"]}["Cohen’s κ"]
    assert (kappa.value, kappa.interval) == (pytest.approx(0.5), None)
    assert [(word, [n for n, *_ in cells]) for word, cells in pair["table"]] == [("no", [3, 1]), ("yes", [1, 3])]


def test_verdicts_without_a_list_of_trajectories_have_one_of_their_own(lea: User, rui: User, run: Run) -> None:
    """The run has no trajectories: verdicts that name none, and too many to name, are listed as such."""
    judge(run, "RUI@example.org", "yyyynnnn-")
    judge(run, JUDGE, "yyynynnny")
    client = signed_in(lea)
    Judgement.objects.create(
        run=run, sample=run.benchmark.samples.order_by("key")[11], kind="sufficiency", judge=JUDGE, verdict="undecided"
    )
    page = client.get(PAGE, {"by": "evidence"})
    pair = page.context["pair"]
    shown = [pair["verdicts"], pair["same_n"], *pair["rate"], *(one for *_, one in pair["quality"])]
    assert [one.n for one in shown] == [8, 6, 5, 9, 4, 4]
    assert all("/agreement/judges/verdicts/" in one.href for one in shown)
    assert wrong_links(client, page) == {}
    [(name, unsure)] = page.context["undecided"]
    assert (name, total(client, unsure.href)) == (JUDGE, 1)
    first = client.get(pair["table"][0][1][1][2].href).context["rows"]
    assert [(one.word, other.word) for one, other, _ in first] == [("no", "yes")]
    assert client.get(f"{PAGE}verdicts/", {"kind": "reliability"}).status_code == 404
    assert (
        client.get(f"{PAGE}verdicts/", {"kind": "sufficiency", "a": "x", "b": "y"}).context["page"].paginator.count == 0
    )


def test_the_rate_of_a_judge_is_shown_raw_and_corrected_in_two_ways(lea: User, run: Run) -> None:
    judge(run, "Rui Costa", "yyyynnnn----")
    judge(run, JUDGE, "yyynynnnyynn")
    page = signed_in(lea).get(PAGE)
    pair = page.context["pair"]
    assert (pair["raw_rate"].value, pair["raw_rate"].interval.method) == (pytest.approx(0.5), "wilson")
    assert pair["corrected"].value == pytest.approx(0.5)
    # Covariance 1/8; variance of 12 verdicts, six of them yes, 3/11; n / N = 2.
    weight = (1 / 8) / (3 * 3 / 11)
    assert (pair["powered"].weight, pair["powered"].n) == (pytest.approx(weight), 12)
    assert pair["powered"].value == pytest.approx(0.5)
    assert not pair["disagree"]
    assert "do not overlap" not in page.content.decode()
    found = signed_in(lea).get("/api/v1/benchmarks/kitchen/judges/").json()["chosen"]
    assert found["powered"]["interval"]["method"] == "ppi++"


def test_corrections_that_contradict_each_other_say_that_an_assumption_fails(lea: User, run: Run) -> None:
    """The judge misses 2 of 6 where people labeled, and says no to all else: by its errors .05, by the labels .17."""
    for number in range(2, 114):
        one = Run.objects.create(benchmark=run.benchmark, number=number, model=run.model, setting=str(number))
        turn = number % 12
        if number < 14:
            judge(one, "Rui Costa", ("yyyyyynnnnnn" * 2)[turn : turn + 12])
            judge(one, JUDGE, ("yyyynnnnnnnn" * 2)[turn : turn + 12])
        else:
            judge(one, JUDGE, "n" * 12)
    page = signed_in(lea).get(PAGE)
    assert page.context["pair"]["corrected"].value == pytest.approx(0.0536, abs=1e-3)
    assert page.context["pair"]["powered"].value == pytest.approx(1 / 6)
    assert "do not overlap" in page.content.decode()


def test_one_verdict_in_use_is_no_coefficient(lea: User, run: Run) -> None:
    judge(run, "Rui Costa", "yyyy")
    judge(run, JUDGE, "yyyy")
    page = signed_in(lea).get(PAGE)
    pair = page.context["pair"]
    assert (pair["raw"], pair["coefficients"]) == (1.0, [])
    assert [(name, one.value) for _, name, one, _ in pair["quality"]] == [("Sensitivity", 1.0), ("Specificity", None)]
    assert "only one verdict occurs" in page.content.decode()


@pytest.mark.endurance
def test_every_count_opens_as_many_samples_by_facet_too(lea: User, run: Run) -> None:
    judge(run, "Rui Costa", "yyyynnnnyyyy")
    judge(run, JUDGE, "yyynynnnyyyn")
    client = signed_in(lea)
    pair = client.get(PAGE, {"by": "colour"}).context["pair"]
    counts = [pair["samples"], pair["same"], *(count for _, cells in pair["table"] for _, count, _ in cells)]
    counts += [row.samples for row in pair["by_rows"]]
    assert sum(row.verdicts.n for row in pair["by_rows"]) == 12
    for count in counts:
        assert client.get(count.href).context["total"] == count.n


def test_kinds_stand_apart_and_two_judges_without_a_person_are_compared(lea: User, run: Run) -> None:
    judge(run, JUDGE, "yyn")
    judge(run, "judge-70b", "ynn")
    judge(run, JUDGE, "y", kind="answer")
    page = signed_in(lea).get(PAGE, {"kind": "sufficiency"})
    assert page.context["kinds"] == ["answer", "sufficiency"]
    assert page.context["pair"]["raw"] == pytest.approx(2 / 3)
    assert "No human judgments." in page.content.decode()
    assert "Only one judge" in signed_in(lea).get(PAGE).content.decode()


def test_without_verdicts_the_page_says_where_they_come_from(lea: User, kitchen: Benchmark) -> None:
    assert "No verdicts yet" in signed_in(lea).get(PAGE).content.decode()


def test_people_see_their_own_and_researchers_no_names(lea: User, rui: User, ana: User, run: Run) -> None:
    judge(run, "Rui Costa", "yyn")
    judge(run, "Ana Lind", "ynn")
    judge(run, JUDGE, "yyy")
    assert context_of(rui)["judges"] == ["Rui Costa", JUDGE]
    mira = make_user("Mira Sato")
    run.benchmark.memberships.create(user=mira, role="researcher")
    page = signed_in(mira).get(PAGE)
    assert page.context["judges"] == ["a person", JUDGE]
    assert b"Rui" not in page.content
    rows = json.loads(b"".join(signed_in(lea).get("/benchmarks/kitchen/agreement/judges.json")))
    assert len(rows) == 9
    assert {(row["judge"], row["person"]) for row in rows} == {("Rui Costa", True), ("Ana Lind", True), (JUDGE, False)}
    User.objects.filter(pk=rui.pk).update(email_verified=False)
    rows = json.loads(b"".join(signed_in(lea).get("/benchmarks/kitchen/agreement/judges.json")))
    verified = {"Rui Costa": False, "Ana Lind": True, JUDGE: None}
    assert {row["judge"]: row["verified"] for row in rows} == verified
    listed = signed_in(lea).get("/api/v1/benchmarks/kitchen/judges/").json()["judges"]
    assert {row["name"]: row["verified"] for row in listed} == verified
    listed = signed_in(mira).get("/api/v1/benchmarks/kitchen/judges/").json()["judges"]
    assert {row["name"]: row["verified"] for row in listed} == {"a person": None, JUDGE: None}


def test_checks_and_audits_are_exported_for_the_lead_alone(lea: User, rui: User, kitchen: Benchmark) -> None:
    for table in ("checks", "audits"):
        address = f"/benchmarks/kitchen/agreement/{table}.json"
        assert json.loads(b"".join(signed_in(lea).get(address))) == []
        assert signed_in(rui).get(address).status_code == 403


def test_queries_do_not_grow(lea: User, run: Run, django_assert_num_queries: Any) -> None:
    judge(run, "Rui Costa", "y")
    judge(run, JUDGE, "n")
    client = signed_in(lea)
    with django_assert_num_queries(QUERIES):
        client.get(PAGE, {"by": "colour"})
    judge(run, "judge-70b", "yyyynnnnyyyy")
    with django_assert_num_queries(QUERIES):
        client.get(PAGE, {"by": "colour"})


QUERIES = 19
"""Session, user; benchmark; roles; facets, kinds, who judged here, members, metric settings, values of the facet,
verdicts; what the tabs count (5), whether labels were drawn, and the version."""

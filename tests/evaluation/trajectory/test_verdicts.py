"""What judges and people said of a trajectory: counted in its head, listed behind it, kept back while one judges."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.workflow import Role
from evaluation.judging.write.queues import judge_item, next_to_judge
from evaluation.models import Judgement, JudgingItem, JudgingQueue
from evaluation.trajectory.present.verdicts import verdict_lines
from evaluation.trajectory.read import Said
from tests.conftest import signed_in
from tests.evaluation import records
from tests.evaluation.trajectory_data import of, page, scored_kitchen
from tests.worlds import made_once

LINKED = re.compile(r'<a href="([^"]*)">(\d+) judgments?</a>')


def said(words, person=None, kind="reliability"):
    return [Said(kind, f"judge {n}", person, word, None, word) for n, word in enumerate(words)]


@pytest.mark.parametrize(
    ("told", "rule", "words", "apart"),
    [
        (said(["yes", "yes", "no"]) + said(["yes"], 1), "correct",
         "Crops support the answer: judges 2 of 3; people 1 of 1", ""),
        (said(["yes", "undecided"]), "correct", "Crops support the answer: judges 1 of 1 (1 not judged)", ""),
        (said(["undecided"]) + said(["no"], 1), "correct",
         "Crops support the answer: judges: 1 not judged; people 0 of 1", ""),
        (said([None]), "correct", "Crops support the answer: judges: 1 not judged", ""),
        (said(["no"]) + said(["yes"], 1), "correct",
         "Crops support the answer: judges 0 of 1; people 1 of 1", "judges and people differ"),
        # Half and half differs from nobody.
        (said(["yes", "no"]) + said(["no"], 1), "correct",
         "Crops support the answer: judges 1 of 2; people 0 of 1", ""),
        (said(["partly"], kind="sufficiency"), "", "Crops alone are enough: judges 0 of 1", ""),
        (said(["right", "correct"], kind="answer"), "correct", "Answer is correct: judges 2 of 2", ""),
        (said(["right"], kind="answer"), "incorrect", "Answer is correct: judges 1 of 1", "rule: incorrect"),
        (said(["wrong"], 1, "answer"), "correct", "Answer is correct: people 0 of 1", "rule: correct"),
        (said(["yes"], kind="answer"), "undecided", "Answer is correct: judges 1 of 1", ""),
    ],
)  # fmt: skip
def test_each_kind_has_a_line_and_says_who_differs(told, rule, words, apart):
    [line] = verdict_lines(told, rule)
    assert (line.words, line.apart) == (words, apart)


def test_nobody_said_anything_is_no_line():
    assert verdict_lines([], "correct") == []


@made_once
def kitchen(lea):
    return scored_kitchen(lea)


def judged(trajectory, kind="reliability", judge="judge-7b", verdict="yes", **fields):
    about = {"run": trajectory.run, "sample": trajectory.sample}
    return Judgement.objects.create(**about, kind=kind, judge=judge, verdict=verdict, **fields)


def address(trajectory, query=""):
    return f"/benchmarks/kitchen/trajectories/{trajectory.pk}/{query}"


def shown(client, trajectory):
    """The head's number, and what the tab it leads to lists."""
    text = page(client, address(trajectory))
    [(href, number)] = LINKED.findall(text)
    tab = page(client, href.replace("&amp;", "&").removesuffix("#more"))
    body = tab[tab.index('id="more"') :].partition("</section>")[0]
    return int(number), body.count("<tr><td>"), text, body


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_head_counts_what_the_tab_lists(lea, ana, kitchen):
    add_member(actor=lea, benchmark=kitchen, user=ana, role=Role.ANNOTATOR)
    trajectory = of("Model A", "mug")
    judged(trajectory)
    judged(trajectory, judge="judge-70b", verdict="no")
    judged(trajectory, judge="ANA@example.org")
    judged(trajectory, kind="sufficiency", verdict=None, answer="B")
    number, listed, text, body = shown(signed_in(lea), trajectory)
    assert (number, listed) == (4, 4)
    # Who is named like a member is a person, and has no name for others.
    assert "Crops support the answer: judges 1 of 2; people 1 of 1" in text
    assert "Crops alone are enough: judges 1 of 1" in text
    assert "a person" in body
    assert "ANA@" not in text + body
    assert "you" in shown(signed_in(ana), trajectory)[3]


@pytest.mark.django_db
@pytest.mark.one_database
@pytest.mark.parametrize(
    ("answer", "verdict", "judges", "words"),
    [
        ("A", True, [], "Judge: correct; rule: incorrect"),
        ("A", True, ["judge-7b"], "judge-7b: correct; rule: incorrect"),
        ("A", True, ["judge-7b", "judge-70b"], "Judge: correct; rule: incorrect"),
        ("B", False, [], "Judge: incorrect; rule: correct"),
        ("B", True, [], ""),
        ("B", None, ["judge-7b"], ""),
        ("", True, [], ""),
    ],
)
def test_a_verdict_that_overrides_the_rule_is_said(lea, answer, verdict, judges, words):
    scored_kitchen(lea, trajectories=[replace(records.trajectories()[1], answer=answer, judge_correct=verdict)])
    trajectory = of("Model A", "mug")
    for judge in judges:
        judged(trajectory, "answer", judge, "right" if verdict else "wrong")
    text = page(signed_in(lea), address(trajectory))
    assert words in text
    assert ("; rule:" in text) == bool(words)


@pytest.mark.django_db
@pytest.mark.one_database
def test_an_open_answer_that_only_a_judge_can_tell_says_so(lea, kitchen):
    text = page(signed_in(lea), address(of("Model A", "sign")))
    assert "Judge: correct; the rule can't tell" in text.replace("&#x27;", "'")


@pytest.mark.django_db
@pytest.mark.both_databases
def test_who_still_has_to_judge_is_not_told_what_anybody_said(lea, ana, kitchen):
    """D2.3: their own verdicts and those of other kinds would name the run as well as those of others."""
    add_member(actor=lea, benchmark=kitchen, user=ana, role=Role.ANNOTATOR)
    mug, cup = of("Model A", "mug"), of("Model A", "cup")
    queue = JudgingQueue.objects.create(benchmark=kitchen, people=1, seed="x", drawn_from=2, created_by=lea)
    for trajectory in (mug, cup):
        JudgingItem.objects.create(queue=queue, trajectory=trajectory, kind="reliability")
    judged(mug)
    judged(mug, "sufficiency", judge="judge-70b")
    client = signed_in(ana)
    text = page(client, address(mug)) + page(client, address(mug, "?tab=judgements"))
    assert "support the answer" not in text
    assert "judge-7" not in text
    assert not LINKED.findall(text)
    assert "is finished" in text
    for _ in range(2):
        item = next_to_judge(actor=ana, queue=queue)
        assert client.get(address(mug)).status_code == 403, "she is in the middle of it"
        judge_item(actor=ana, item=item, said={"verdict": "no"})
    number, listed, text, _ = shown(client, mug)
    assert (number, listed) == (3, 3)
    assert "Crops support the answer: judges 1 of 1; people 0 of 1" in text
    assert "judges and people differ" in text


@pytest.mark.django_db
@pytest.mark.one_database
@pytest.mark.parametrize("n", [1, 30])
def test_verdicts_take_two_queries_more_however_many(lea, kitchen, n, django_assert_num_queries):
    """Those of test_trajectory_page_text, without a further turn, and what is kept back."""
    trajectory = of("Model A", "mug")
    for number in range(n):
        judged(trajectory, judge=f"judge {number}")
    client = signed_in(lea)
    client.get(address(trajectory))
    with django_assert_num_queries(28):
        assert client.get(address(trajectory)).status_code == 200

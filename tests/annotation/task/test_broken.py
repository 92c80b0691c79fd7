"""Before a schema is in force, its lead sees which samples would break which of its rules."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.content.samples import save_samples
from annotation.models import Benchmark
from annotation.schema import SampleContent, SampleRecord
from annotation.task.read import broken_rules
from annotation.task.write import save_draft
from annotation.task_schema import TaskSchema
from tests.annotation.task.test_task import CATEGORY, fresh, in_force
from tests.annotation.work_data import drafted, next_review, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/settings/task/"


@made_once
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    """Two accepted samples, one in review with a long question, one draft without one, and one to do."""
    benchmark = to_annotate(5, annotator=ana, reviewer=rui, lead=lea)
    for boxes in (1, 3):
        drawn = [{"box": [100 * n, 100, 100 * n + 20, 120], "label": "mug"} for n in range(boxes)]
        submitted(ana, benchmark, gold_boxes=drawn)
        reviewed(rui, next_review(rui, benchmark), "accept")
    submitted(ana, benchmark, question="Which colour is the mug on the table by the window?")
    drafted(ana, benchmark, question="", options={"A": "black", "B": "white", "C": "red"})
    return benchmark


def broken(benchmark: Benchmark, **blocks: Any) -> list[tuple[str, list[str], list[str]]]:
    found = broken_rules(fresh(benchmark), TaskSchema.parse(blocks))
    assert all((one.accepted_n, one.working_n) == (len(one.accepted), len(one.working)) for one in found)
    return [(one.where, one.accepted, one.working) for one in found]


def test_each_rule_names_the_samples_that_would_break_it(kitchen: Benchmark) -> None:
    assert broken(kitchen) == []
    assert broken(kitchen, question={"most_words": 5}) == [("question", [], ["s-0002"])]
    assert broken(kitchen, question={"most_words": 4}) == [("question", ["s-0000", "s-0001"], ["s-0002"])]
    assert broken(kitchen, evidence={"count": [1, 2]}) == [("gold_boxes", ["s-0001"], [])]
    assert broken(kitchen, evidence={"count": [1, 2], "smallest_side": 16}) == [
        ("gold_boxes", [], ["s-0002", "s-0003"]),
        ("gold_boxes", ["s-0001"], []),
    ]
    assert broken(kitchen, answer={"options": [2, 2]}) == [("options", [], ["s-0003"])]
    assert broken(kitchen, evidence={"shapes": ["point"]}) == [
        ("gold_boxes", ["s-0000", "s-0001"], ["s-0002", "s-0003"])
    ]
    required = {"facets": [{"name": "tier", "required": "accept"}], "toolchain": {"use": "required"}}
    assert broken(kitchen, **required) == [
        ("reference_toolchain", ["s-0000", "s-0001"], ["s-0002", "s-0003"]),
        ("facets.tier", ["s-0000", "s-0001"], []),
    ]


def test_samples_without_a_question_from_a_file_are_counted(kitchen: Benchmark, lea: User) -> None:
    """The sample to do too: nobody could submit it."""
    assert broken(kitchen, question={"who": "import"}) == [("question", [], ["s-0002", "s-0003", "s-0004"])]
    record = SampleRecord("s-0004", SampleContent("How many mugs are there?", answers=("2",)), "")
    save_samples(actor=lea, benchmark=kitchen, records=[record], pictures={})
    assert broken(kitchen, question={"who": "import"}) == [("question", [], ["s-0002", "s-0003"])]
    in_force(lea, kitchen, question={"who": "import"})
    assert broken(kitchen, question={"who": "import"}) == []


def test_what_the_schema_in_force_rejects_too_and_listed_values_are_no_news(kitchen: Benchmark, lea: User) -> None:
    in_force(lea, kitchen, question={"most_words": 4})
    assert broken(kitchen, question={"most_words": 3}) == []
    other = CATEGORY | {"values": [{"value": "OCR"}]}
    assert broken(kitchen, question={"most_words": 4}, facets=[other]) == []


def test_the_page_counts_them_and_links_to_them(kitchen: Benchmark, lea: User, ana: User) -> None:
    client = signed_in(lea)
    save_draft(actor=lea, benchmark=kitchen, content={"question": {"most_words": 4}})
    assert f"{PAGE}affected/" in client.get(PAGE).content.decode()
    shown = client.get(f"{PAGE}affected/")
    assert "The question has 5 words (limit: 4)." in shown.content.decode()
    [rule] = shown.context["rules"]
    assert (rule.accepted_n, rule.working_n) == (2, 1)
    [(n, address)] = rule.accepted
    listed = client.get(address)
    assert n == 2
    assert sorted(row.sample.key for row in listed.context["rows"]) == ["s-0000", "s-0001"]
    save_draft(actor=lea, benchmark=kitchen, content={}, version=1)
    assert "No existing sample would break a rule" in client.get(f"{PAGE}affected/").content.decode()
    assert signed_in(ana).get(f"{PAGE}affected/").status_code == 403

"""The history of a sample has words for everything that happens to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotation.queue.timeline import WORDS, timeline
from annotation.workflow import TRANSITIONS
from tests.annotation.task.test_task import fresh, in_force
from tests.annotation.work_data import next_review, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from webapp.accounts.models import User

ROOT = Path(__file__).resolve().parents[3]
ON_OTHERS = {"sample.purged"}
"""Actions that are noted on the benchmark, after the row of the sample is gone."""


def test_every_change_of_an_annotation_has_words() -> None:
    assert {f"annotation.{one.name}" for one in TRANSITIONS} - WORDS.keys() == set()


def test_every_action_on_a_sample_has_words() -> None:
    named = r"\"(sample\.\w+)\""
    noted = re.compile(rf"(?:record|entry)\(\s*(?:actor=)?\w+,\s*(?:action=)?[^,]*?{named}(?: if [^,]* else {named})?")
    texts = [path.read_text() for app in ("annotation", "evaluation") for path in (ROOT / app).rglob("*.py")]
    found = {name for text in texts for match in noted.findall(text) for name in match if name}
    assert {"sample.compare", "sample.withdraw", "sample.delete"} <= found
    assert found - WORDS.keys() == ON_OTHERS


@pytest.mark.django_db
@pytest.mark.one_database
def test_a_submission_names_the_schema_that_was_in_force(ana: User, rui: User, lea: User) -> None:
    kitchen = to_annotate(1, annotator=ana, reviewer=rui, lead=lea)
    sample = submitted(ana, kitchen)
    reviewed(rui, next_review(rui, kitchen), "return", comment="Tighter.")
    in_force(lea, kitchen, question={"most_words": 9})
    in_force(lea, kitchen, question={"most_words": 8})
    submitted(ana, fresh(kitchen))
    in_force(lea, kitchen, question={"most_words": 7})
    events = [one for one in timeline(sample, rui) if one.action == "annotation.submit"]
    assert [one.schema for one in events] == [None, 2]
    assert {one.schema for one in timeline(sample, rui) if one.action == "annotation.return"} == {None}
    assert "schema 2" in signed_in(rui).get(f"/benchmarks/kitchen/samples/{sample.key}/").content.decode()
    assert "schema 2" in signed_in(ana).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/").content.decode()

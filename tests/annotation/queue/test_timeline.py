"""The history of a sample has words for everything that happens to it."""

from __future__ import annotations

import re
from pathlib import Path

from annotation.queue.timeline import WORDS
from annotation.workflow import TRANSITIONS

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

"""The filters under which lists of trajectories are measured."""

from __future__ import annotations

from collections.abc import Mapping

PAGES: Mapping[str, Mapping[str, str]] = {
    "everything": {},
    "quadrant": {"quadrant": "G-A-"},
    "correct": {"correct": "no"},
    "counted": {"q": "counted"},
    "ioa": {"q": "ioa > 0.5"},
    "calls": {"calls": "3"},
    "failure": {"failure": "missed_evidence"},
    "category": {"facet.category": "counting"},
    "sample": {"q": "sample:sample-00001*"},
    "type": {"q": "type:mc"},
    "boxes": {"q": "boxes:1"},
    "targets": {"q": "targets:3"},
    "priced": {"q": "priced"},
    "tool": {"q": "tool:zoom_in"},
    "tool_failed": {"q": "tool_failed:any"},
    "reference_tool": {"q": "reference_tool:zoom_in"},
    "aligned": {"q": 'aligned:"zoom_in>zoom_in"'},
    "followed": {"q": 'followed:"zoom_in>canny"'},
    "crop_cell": {"q": "crop_cell:3-5"},
    "paired": {"q": "paired:yes"},
    "unjudged": {"q": "unjudged:reliability"},
    "without a tag": {"q": "tag:none"},
    "incorrect, by IoA": {"q": "wrong", "sort": "ioa"},
    "words in a question": {"q": 'question:"numbered 12*"'},
}
PAIRS: Mapping[str, Mapping[str, str]] = {
    "failure and category": {"failure": "missed_evidence", "facet.category": "counting"},
    "quadrant and calls": {"quadrant": "G-A-", "calls": "3"},
    "tool and incorrect": {"q": 'tool:"Canny Edge" wrong'},
    "ioa and sample": {"q": "ioa > 0.5 sample:sample-00001*"},
}
WORDS = frozenset({"words in a question"})
OTHERS = {"A correct, B incorrect": {"q": 'run:"Model" correct and run:"Model 001" wrong'}}
ALL: Mapping[str, Mapping[str, str]] = {**PAGES, **PAIRS, **OTHERS}

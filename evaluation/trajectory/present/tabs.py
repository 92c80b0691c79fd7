"""The tabs under the frame: toolchain, tool plan, interventions, judgments, notes, raw record. One is open."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext

from evaluation.common.frame import frame_of
from evaluation.common.present_crops import present_crops
from evaluation.common.records import trajectory_record
from evaluation.common.trajectory.answer import Answer, short_answer
from evaluation.common.trajectory.notes import ShownNote
from evaluation.common.trajectory.read import Corners, TrajectoryDetail, read_arguments, read_others
from evaluation.common.trajectory.turns import TEXT_CAP, Excerpt, excerpt
from evaluation.detections import detections_in
from evaluation.exporters.native import trajectory_row
from evaluation.trajectory.present.alignment import MOST_ROWS, alignment_of, chain_words
from evaluation.trajectory.present.graph import graph_of
from evaluation.trajectory.present.plan import plan_of
from evaluation.trajectory.present.verdicts import verdict_lines
from evaluation.trajectory.read import Said, Verdicts
from webapp.common.formatting import NOT_AVAILABLE

RAW_CAP = 20_000


@dataclass(frozen=True, slots=True)
class TabLink:
    """A tab as ``ui/_tabs.html`` draws it."""

    name: str
    label: str
    href: str
    current: bool
    count: int | None


@dataclass(frozen=True, slots=True)
class Trial:
    """The same run on the same sample under one condition. ``href`` "": only the outcome was recorded. ``crops``: the
    scored one; ``flip``: "lost" or "gained" against the plain trajectory. ``numbered``: there are several rollouts
    under its condition."""

    condition: str
    rollout: int
    said: str
    correct: bool | None
    undecided: bool
    quadrant: str
    href: str
    current: bool
    calls: int | None = None
    crops: Sequence[Mapping[str, Any]] = ()
    flip: str = ""
    numbered: bool = False

    @property
    def verdict(self) -> str:
        if self.correct is None:
            return "undecided" if self.undecided else NOT_AVAILABLE
        return "correct" if self.correct else "incorrect"


def tab_context(
    request: HttpRequest,
    row: Any,
    detail: TrajectoryDetail,
    answer: Answer,
    notes: Sequence[ShownNote] | None,
    verdicts: Verdicts,
) -> dict[str, Any]:
    """``tabs``, ``tab`` (the current one's name) and what that one shows. ``notes`` None: they are for members."""
    others, outcomes = read_others(row)
    crops = present_crops(others, [row.run])
    trials = [_trial(request, other, detail, row, crops.get(other.pk)) for other in others]
    trials += [_outcome(one, detail) for one in outcomes]
    judgements = [_judged(one, request) for one in verdicts.told]
    rollouts = sum(one.condition == row.condition for one in others)
    plan = bool(detail.record.content.plan.targets)
    labels = {"plan": gettext("Tool plan")} if plan else {}
    detections = detections_in(row.extra)
    labels |= {"detections": gettext("Detections")} if detections else {}
    labels |= {
        "toolchain": gettext("Toolchain"),
        "interventions": gettext("Rollouts, interventions") if rollouts > 1 else gettext("Interventions"),
        "judgements": gettext("Judgments"),
    } | ({} if notes is None else {"notes": gettext("Notes")})
    messages = _messages(row)
    labels |= ({"messages": gettext("Messages")} if messages else {}) | {"raw": gettext("Raw record")}
    counts = {"interventions": len(trials) - 1, "judgements": len(judgements), "notes": len(notes or ())}
    counts["messages"] = len(messages)
    counts["detections"] = len(detections.found) if detections else 0
    wanted = request.GET.get("tab", "")
    current = wanted if wanted in labels else next(iter(labels))
    shown: Mapping[str, Callable[[], dict[str, Any]]] = {
        "plan": lambda: {"plan": plan_of(detail)},
        "detections": dict,
        "toolchain": lambda: _toolchain(row, detail, answer),
        "interventions": lambda: {"trials": _with_flips(trials)},
        "judgements": lambda: {"judgements": judgements},
        "notes": lambda: {"notes": notes},
        "messages": lambda: {"messages": messages},
        "raw": lambda: {"raw": _raw(row, whole=request.GET.get("whole") == "1")},
    }
    links = [
        TabLink(name, label, _here(request, tab=name), name == current, counts.get(name))
        for name, label in labels.items()
    ]
    return {
        "tabs": links,
        "tab": current,
        "whole_raw": _here(request, tab="raw", whole="1"),
        "verdict_lines": verdict_lines(verdicts.told, answer.rule),
        "rollouts_n": rollouts,
        "rollouts_href": f"{_here(request, tab='interventions')}#more",
        "judgements_n": len(judgements),
        "judgements_href": f"{_here(request, tab='judgements')}#more",
        "withheld": verdicts.withheld,
        **shown[current](),
    }


def _messages(row: Any) -> list[Mapping[str, Any]]:
    """The transcript that was sent with the answer of a session; a file may hold anything under this name."""
    found = row.extra.get("messages")
    messages = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return [
        {
            "role": str(one.get("role", "")),
            "text": excerpt(one["text"], TEXT_CAP),
            "images": one["images"] if isinstance(one.get("images"), int) else 0,
        }
        for one in messages
        if isinstance(one.get("text"), str)
    ]


def _judged(one: Said, request: HttpRequest) -> dict[str, Any]:
    """A judgment as shown. Of judgments by people, only one's own has a name, as on the pages on agreement."""
    own = one.person is not None and one.person == request.user.pk
    judge = gettext("you") if own else one.judge if one.person is None else gettext("a person")
    return {"kind": one.kind, "judge": judge, "verdict": one.verdict, "answer": one.answer}


def _here(request: HttpRequest, **changes: str) -> str:
    terms = {name: str(value) for name, value in request.GET.items() if name not in ("tab", "whole")}
    return f"{request.path}?{urlencode(terms | changes)}"


def _toolchain(row: Any, detail: TrajectoryDetail, answer: Answer) -> dict[str, Any]:
    wants_arguments = detail.reference is not None and bool(detail.turns)
    arguments = read_arguments(row, MOST_ROWS) if wants_arguments else []
    return {
        "graph": graph_of(detail, answer.said, frame_of(row.run.benchmark.slug, row.sample)),
        "alignment": alignment_of(detail, arguments),
        "reference": detail.reference.calls if detail.reference else (),
        "chain_words": chain_words(detail),
    }


def _trial(request: HttpRequest, other: Any, detail: TrajectoryDetail, row: Any, crop: Corners | None) -> Trial:
    score = other.score
    letter = score.letter if score else ""
    missing = ""
    if score and score.missing_answer:
        missing = gettext("nothing")
    elif score and score.unread:
        missing = gettext("unread")
    address = reverse("evaluation:trajectory", args=[row.run.benchmark.slug, other.pk])
    return Trial(
        other.condition,
        other.rollout,
        short_answer(letter, detail.record.content.options) or missing,
        score.correct if score else None,
        bool(score and score.undecided),
        score.quadrant if score else "",
        f"{address}?{urlencode({'tab': 'interventions'})}",
        other.pk == row.pk,
        score.calls if score else None,
        _crops(score, crop),
    )


def _crops(score: Any, crop: Corners | None) -> list[dict[str, Any]]:
    if crop is None:
        return []
    return [{"box": crop, "turn": (score.crop_index or 0) + 1, "focused": True}]


def _with_flips(trials: Sequence[Trial]) -> list[Trial]:
    """Each that is not the plain trajectory, with how it turned its answer (docs/metrics.md#interventions)."""
    # In order of their rollouts: metrics are made of the lowest one, which need not be number 0.
    plain = next((one.correct for one in trials if one.condition == "none"), None)
    turned: dict[tuple[bool | None, bool | None], str] = {(True, False): "lost", (False, True): "gained"}
    several = Counter(one.condition for one in trials if one.href)
    return [
        replace(
            one,
            flip="" if one.condition == "none" else turned.get((plain, one.correct), ""),
            numbered=several[one.condition] > 1 and bool(one.href),
        )
        for one in trials
    ]


def _outcome(one: Any, detail: TrajectoryDetail) -> Trial:
    said = short_answer(one.answer or "", detail.record.content.options)
    return Trial(one.condition, 0, said, one.correct, False, "", "", False)


def _raw(row: Any, *, whole: bool) -> Excerpt:
    """The record as JSON; of a long one only the beginning is written, and what is left counts as one character."""
    pieces = json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(trajectory_row(trajectory_record(row)))
    written: list[str] = []
    room = math.inf if whole else RAW_CAP
    for piece in pieces:
        written.append(piece)
        room -= len(piece)
        if room < 0:
            break
    text = "".join(written)
    return Excerpt(text, len(text)) if room >= 0 else Excerpt(text[:RAW_CAP], RAW_CAP + 1)

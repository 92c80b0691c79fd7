"""The page of a replayed trajectory: each call's image, its agreement with the record, and which of both counts."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_http_methods, require_POST

from annotation.common.access import allowed
from annotation.common.loading import load_benchmark
from annotation.common.uploads import member_room
from annotation.imaging.encoding import encode, fitted
from annotation.toolbox.results import Picture
from annotation.workflow import Right
from evaluation.common.frame import frame_of
from evaluation.common.trajectory.read import kept_replay, load_trajectory, read_trajectory
from evaluation.models import Trajectory
from evaluation.replay.run import WORDS, Outcome, Replayed
from evaluation.scoring.replays.keep import drop_replay, keep_replay
from evaluation.scoring.replays.trajectory import MOST_STEPS, recorded_calls, recorded_pictures, replay_trajectory
from evaluation.trajectory.present.graph import graph_of
from webapp.accounts.http import SignedInRequest
from webapp.common.bodies import takes_files
from webapp.common.errors import InvalidInput
from webapp.common.limits import AtOnce, Rate, asking

SIDE = 240
MOST_BYTES = 200_000_000
REPLAYS, RATE = AtOnce(2, gettext_noop("%(limit)s replays of yours are already running.")), Rate("replays")
"""The limits of recorded images that are uploaded for comparison."""
SHOWN_DIGEST = 10
LONGEST = 60_000
"""The maximum number of characters of calls passed to the workbench in its URL, after the #, which is not sent to
servers.
"""


@dataclass(frozen=True)
class ReplayRow:
    """One call: its outcome as text, URLs of its image and the recorded one, and the region it shows."""

    step: Replayed
    words: str
    picture: str
    recorded: str = ""

    @property
    def seen(self) -> str:
        return ", ".join(f"{value:.0f}" for value in self.step.seen.as_list()) if self.step.seen else ""

    @property
    def digests(self) -> tuple[str, str]:
        """The beginnings of the digest here and of the recorded one."""
        return self.step.digest[:SHOWN_DIGEST], self.step.recorded_digest[:SHOWN_DIGEST]

    @property
    def holds(self) -> bool:
        """Return whether the record counts for this call, even if the replay is kept."""
        return self.step.ok is None


@takes_files(member_room(MOST_BYTES))
@require_http_methods(["GET", "HEAD", "POST"])
def replayed(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/trajectory/replay/replay.html; context: trajectory, sample, rows (ReplayRow), and the counts
    same, differ, lost, ran, total, most; kept (the replay that scores use), may_keep, compared (recorded images that
    were sent), left (rejected files, with the reason), graph (the data flow, with the images made here), ``chain`` (the
    URL of the workbench with these calls).

    A POST contains recorded images to compare with; they are not stored.
    """
    row = load_trajectory(load_benchmark(request, slug, Right.SEE_GOLD), pk)
    row.sample.benchmark = row.run.benchmark
    RATE.take(asking(request))
    with REPLAYS.one_of(asking(request)):
        recorded, left = recorded_pictures(row, _sent(request)) if request.method == "POST" else ({}, [])
        rows = [_shown(step, recorded) for step in replay_trajectory(row, partial(fitted, side=SIDE), recorded)]
    made = {one.step.number: one.picture for one in rows if one.picture}
    came = Counter(one.step.outcome for one in rows)
    context = {
        "benchmark": row.run.benchmark, "trajectory": row, "sample": row.sample, "run": row.run, "rows": rows,
        "same": came[Outcome.SAME], "differ": came[Outcome.DIFFERS] + came[Outcome.UNLIKE],
        "lost": came[Outcome.LOST], "total": row.steps.count(), "most": MOST_STEPS,
        "ran": sum(not one.holds for one in rows), "kept": kept_replay(row),
        "may_keep": allowed(request.user, row.run.benchmark, Right.SCORE),
        "graph": graph_of(read_trajectory(row), row.answer or "", frame_of(slug, row.sample), made),
        "chain": _as_chain(slug, row),
        "compared": len(recorded), "left": left, "noted": any(one.step.recorded_digest for one in rows),
    }  # fmt: skip
    return render(request, "evaluation/trajectory/replay/replay.html", context)


@login_required
@require_POST
def keep(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Let scores use the result of the replay."""
    row = load_trajectory(load_benchmark(request, slug, Right.SCORE), pk)
    keep_replay(actor=request.user, trajectory=row)
    messages.success(request, gettext("Scores now use this replay. Rescore the run to update lists and tables."))
    return redirect("evaluation:replay", slug, pk)


@login_required
@require_POST
def drop(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Let scores use the recorded results again."""
    row = load_trajectory(load_benchmark(request, slug, Right.SCORE), pk)
    drop_replay(actor=request.user, trajectory=row)
    messages.success(
        request, gettext("Scores now use the recorded values. Rescore the run to update lists and tables.")
    )
    return redirect("evaluation:replay", slug, pk)


def _as_chain(slug: str, row: Trajectory) -> str:
    """Return the URL of the workbench with the recorded calls; empty if they are too long for a URL."""
    calls = quote(json.dumps({"steps": recorded_calls(row)}, ensure_ascii=False))
    address = reverse("annotation:workbench", args=[slug, row.sample.key])
    return f"{address}#chain={calls}" if len(calls) <= LONGEST else ""


def _sent(request: HttpRequest) -> Iterator[tuple[str, bytes]]:
    files = request.FILES.getlist("pictures")
    if not files:
        raise InvalidInput(gettext("Choose the images that the model’s tools returned."), field="pictures")
    if len(files) > MOST_STEPS or sum(file.size or 0 for file in files) > MOST_BYTES:
        message = gettext("Up to %(count)s images with %(size)s MB together can be compared at once.")
        raise InvalidInput(message % {"count": MOST_STEPS, "size": MOST_BYTES // 1_000_000}, field="pictures")
    return ((file.name or "", file.read()) for file in files)


def _shown(step: Replayed, recorded: Mapping[str, Picture]) -> ReplayRow:
    theirs = recorded.get(step.image_out)
    small = fitted(theirs, SIDE) if theirs is not None else None
    return ReplayRow(step, gettext(WORDS[step.outcome]), _address(step.image), _address(small))


def _address(picture: Picture | None) -> str:
    if picture is None:
        return ""
    return "data:image/webp;base64," + base64.b64encode(encode(picture, ".webp")).decode()

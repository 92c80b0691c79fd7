"""Judging by people: the queues of a benchmark, and the page of one queue with its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.common.access import allowed
from annotation.common.loading import load_benchmark
from annotation.quality.read.agreement import Audience
from annotation.quality.views.agreement import agreement_context
from annotation.workflow import Right
from evaluation.common.frame import frame_of
from evaluation.common.judging.known import queue_known_to
from evaluation.common.judging.words import ANSWER, RELIABILITY, SUFFICIENCY
from evaluation.common.judging.write import delete_queue, dropped_from, losses
from evaluation.common.links import cases
from evaluation.common.present_crops import present_crops
from evaluation.common.terms import narrowing, terms_of
from evaluation.judging.forms import JudgingForm
from evaluation.judging.present import VerdictLists
from evaluation.judging.read.audit import audit_reader
from evaluation.judging.read.judges import Judged, Pair, Verdict, load_judged
from evaluation.judging.read.queues import load_queue, progress_of, queues_of
from evaluation.judging.views.judges import pair_context, rate_of, unsure_of
from evaluation.judging.write.queues import draw_judging, fit_to_judge, skip_the_rest
from evaluation.models import JudgingQueue, Run, Trajectory
from evaluation.scoring.load.images import Corners
from evaluation.store.scores import put_scores
from evaluation.store.snapshot import Snapshot
from webapp.accounts.http import SignedInRequest
from webapp.accounts.models import User

CROP_SIDE = 120
MOST_DIFFERENCES = 12


@dataclass(frozen=True, slots=True)
class Difference:
    """A question on which a person and a judge differ."""

    trajectory: Trajectory
    href: str
    kind: str
    mine: str
    theirs: str
    crop: str


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def judging(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/judging/judging.html; context: queues (JudgingQueue), form, fit (Count, of the list with the
    terms in the address), terms (name, value). Posted: ``size``, ``people`` and ``about``, which draws a queue.
    """
    benchmark = load_benchmark(request, slug, Right.SCORE if request.method == "POST" else Right.JUDGE)
    terms = narrowing(terms_of(request))
    form = JudgingForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = draw_judging(actor=request.user, benchmark=benchmark, terms=terms, **form.cleaned_data)
        return redirect("evaluation:judging-queue", slug, made.pk)
    draws = allowed(request.user, benchmark, Right.SCORE)
    context = {
        **agreement_context(request, benchmark, "judges", tab="judging"),
        "queues": queues_of(benchmark),
        "form": form,
        "draws": draws,
        **(_fit(request, benchmark, terms) if draws else {"fit_n": 0, "said_n": 0}),
        "list_href": f"{reverse('evaluation:trajectories', args=[slug])}?{urlencode(terms)}",
        "terms": list(_in_words(benchmark, terms)),
        "here": f"{reverse('evaluation:judging', args=[slug])}?{urlencode(terms)}",
    }
    return render(request, "evaluation/judging/judging.html", context, status=400 if form.errors else 200)


def _fit(request: SignedInRequest, benchmark: Any, terms: Mapping[str, str]) -> dict[str, int]:
    """Return fit_n, said_n: the numbers of trajectories of the list from which questions about crops and about answers
    can be drawn.
    """
    snapshot = Snapshot(benchmark, list(Run.objects.of(benchmark)), request.user)
    return {
        "fit_n": len(fit_to_judge(snapshot, terms)),
        "said_n": len(fit_to_judge(snapshot, terms, answers=True)),
    }


@login_required
@require_safe
def queue(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Template evaluation/judging/queue.html; context: queue, mine (Progress), ``told`` (whether models may be named:
    see ``queue_known_to``), seed ("" before all is judged), kinds (see ``_of_kind``), reader (of ``audit_reader``) and
    reader_n (its counts with lists), terms, runs (names), gone (what is deleted with it), dropped (run, file and
    number of questions removed by an import). Before ``told``, the page shows progress only.
    """
    benchmark = load_benchmark(request, slug, Right.JUDGE)
    found = load_queue(benchmark, pk)
    mine = progress_of(request.user, found)
    may = queue_known_to(request.user, found)
    told = may.source
    context = {
        **agreement_context(request, benchmark, "judges", tab="judging"),
        "queue": found,
        "mine": mine,
        "told": told,
        "seed": found.seed if may.seed else "",
        "kinds": list(_kinds(request.user, benchmark, found)) if told else [],
        "terms": list(_in_words(benchmark, found.terms)) if told else [],
        "runs": _runs(found) if told else [],
        "reader": (reader := audit_reader(request.user, found) if told else None),
        "reader_n": {name: cases(benchmark, pks) for name, pks in reader.cases.items()} if reader else {},
        "about_answers": found.items.filter(kind=ANSWER).exists(),
        "may_draw": (may_draw := allowed(request.user, benchmark, Right.SCORE)),
        "gone": _gone(found) if may_draw else "",
        "dropped": [(run, file, n) for (run, file), n in dropped_from(found).items()] if told else [],
        "again": f"{reverse('evaluation:judging', args=[slug])}?{urlencode(found.terms)}" if told else "",
    }
    return render(request, "evaluation/judging/queue.html", context)


@login_required
@require_POST
def skip(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Skip the rest of the queue."""
    found = load_queue(load_benchmark(request, slug, Right.JUDGE), pk)
    n = skip_the_rest(actor=request.user, queue=found)
    message = ngettext(
        "%(count)s question of queue %(queue)s skipped.", "%(count)s questions of queue %(queue)s skipped.", n
    )
    messages.success(request, message % {"count": f"{n:,}", "queue": pk})
    return redirect("evaluation:judging-queue", slug, pk)


@login_required
@require_POST
def delete(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Delete the queue with its verdicts."""
    found = load_queue(load_benchmark(request, slug, Right.SCORE), pk)
    delete_queue(actor=request.user, queue=found)
    messages.success(request, gettext("Queue %(pk)s deleted.") % {"pk": pk})
    return redirect("evaluation:judging", slug)


def _gone(found: JudgingQueue) -> str:
    for loss in losses(found.items.all()):
        message = gettext("This is deleted permanently. Questions: %(questions)s. Verdicts: %(verdicts)s.")
        return message % {"questions": f"{loss.questions:,}", "verdicts": f"{loss.verdicts:,}"}
    return gettext("It has no questions.")


def _in_words(benchmark: Any, terms: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The terms of a list as text, with runs by name."""
    for name, value in terms.items():
        run = Run.objects.of(benchmark).filter(pk=value).first() if name == "run" and value.isdecimal() else None
        yield name.removeprefix("facet."), str(run) if run else value


def _runs(found: JudgingQueue) -> list[str]:
    runs = Run.objects.filter(trajectories__in=found.items.values("trajectory")).select_related("model").distinct()
    return sorted(str(run) for run in runs)


def _kinds(user: User, benchmark: Any, found: JudgingQueue) -> Iterator[dict[str, Any]]:
    """Yield each kind that this person has judged, with the judge they share most verdicts with and both verdicts."""
    for kind in (RELIABILITY, SUFFICIENCY):
        judged = load_judged(benchmark, kind, Audience.OWN, user, queue=found)
        me = next(iter(judged.people), "")
        if me:
            asked = found.items.filter(kind=kind).order_by().values_list("trajectory", flat=True)
            yield _of_kind(benchmark, kind, judged, me, list(asked))


def _of_kind(benchmark: Any, kind: str, judged: Judged, me: str, asked: list[int]) -> dict[str, Any]:
    """kind, asked, mine (verdicts) with mine_yes and their rate, undecided, pair (of ``pair_context``, or None without
    a judge), differences. ``asked``: trajectories."""
    pairs = [judged.pair(me, judge) for judge in judged.judges if judge != me]
    best = max(pairs, key=lambda pair: len(pair.verdicts), default=None)
    pair = best if best and best.verdicts else None
    lists = VerdictLists(benchmark)
    yes, n = rate_of(lists, judged, me)
    return {
        "kind": kind,
        "asked": cases(benchmark, asked),
        "mine": n,
        "mine_yes": yes,
        "mine_rate": yes.n / n.n if n.n else None,
        "undecided": unsure_of(lists, judged, me),
        "pair": pair_context(lists, judged, pair) if pair else None,
        "differences": list(_differences(benchmark, kind, pair)) if pair else [],
        "differing": cases(benchmark, [one.trajectory for one, other in pair.verdicts if one.word != other.word])
        if pair
        else None,
    }


def _differences(benchmark: Any, kind: str, pair: Pair) -> Iterator[Difference]:
    apart: list[tuple[Verdict, Verdict]] = [both for both in pair.verdicts if both[0].word != both[1].word]
    shown = apart[:MOST_DIFFERENCES]
    rows = Trajectory.objects.select_related("run__model", "run__scoring", "sample__image").in_bulk(
        [one.trajectory for one, _ in shown]
    )
    put_scores(list(rows.values()))
    crops = present_crops(list(rows.values()), [one.run for one in rows.values()])
    for one, other in shown:
        if trajectory := rows.get(one.trajectory):
            href = reverse("evaluation:trajectory", args=[benchmark.slug, trajectory.pk])
            crop = _crop(benchmark, trajectory, crops.get(trajectory.pk))
            yield Difference(trajectory, href, kind, one.word, other.word, crop)


def _crop(benchmark: Any, trajectory: Trajectory, crop: Corners | None) -> str:
    frame = frame_of(benchmark.slug, trajectory.sample)
    return frame.region(crop, CROP_SIDE) if frame is not None and crop is not None else ""

"""Decisions of people on undecided answers: one group of equal answers at a time, or all of a list at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.answers.read.groups import AnswerGroups, State, read_groups
from evaluation.answers.read.rows import AnswerGroup
from evaluation.answers.write import KEYS, as_judged, decide_answers, may_decide_unseen, take_back, take_back_last
from evaluation.common.extraction.present import REASONS
from evaluation.common.judging.known import judges_are_asked
from evaluation.common.staleness import staleness
from evaluation.models import Run
from evaluation.schema import DecisionWord
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import Conflict, InvalidInput
from webapp.common.formatting import decimal

ON_A_PAGE = 50
RUNS_SHOWN = 4
LONGEST_SHOWN = 20_000
"""The maximum number of characters of an answer on the page."""
STATES = {
    State.OPEN: gettext_lazy("To decide"),
    State.LEFT: gettext_lazy("Left for a judge"),
    State.DECIDED: gettext_lazy("Decided"),
}
WORDS = {
    DecisionWord.NONE: gettext_lazy("none of the options"),
    DecisionWord.SAME: gettext_lazy("same as accepted"),
    DecisionWord.DIFFERENT: gettext_lazy("not accepted"),
    DecisionWord.LEAVE: gettext_lazy("left for a judge"),
}
AT_ONCE = {
    "0": gettext_lazy("none of the options"),
    "n": gettext_lazy("not accepted"),
    "?": gettext_lazy("left for a judge"),
}
"""Decisions for an entire list, without looking at each group."""
AS_JUDGED = "="
"""The key that decides the groups with agreeing judges by the word of these judges."""
PROPOSED = 200
"""The maximum number of suggestions of judges in one form."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The filters of the list."""

    state: State
    run: int | None
    reason: str

    def query(self, **changes: Any) -> str:
        here = {"state": self.state.value, "run": self.run, "reason": self.reason} | changes
        kept = {name: value for name, value in here.items() if value and value != State.OPEN.value}
        return f"?{urlencode(kept)}" if kept else ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a facet."""

    label: str
    count: int
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A group for display. ``runs``: name and count, the largest first, and the number of ``more``; ``rest``: the full
    answer if the text is cut; ``words``: its decision. ``judged``: the key on which all of its ``judges`` (name, and
    number of answers) agree for ``judged_n`` answers; "" without such agreement.
    """

    group: AnswerGroup
    reason: str
    runs: list[tuple[str, int]]
    more: int
    rest: str
    words: str
    judged: str
    judged_words: str
    judges: list[tuple[str, int]]

    @property
    def judged_n(self) -> int:
        return len({vote.trajectory for vote in self.group.votes})


@dataclass(frozen=True, slots=True)
class AtOnce:
    """All groups of a list that can get the same decision: ``said`` with this key, and the numbers of answers, groups
    and runs.
    """

    said: str
    words: str
    answers: int
    groups: int
    runs: int


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def answers(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/answers/answers.html; context: see ``_context``. Posted: ``group`` and ``said``; ``act=back``
    with ``group``; ``act=undo``; ``act=all`` with ``said`` and the number of ``answers`` that was shown; or
    ``act=judged`` with each ``group`` and its key to adopt from judges.
    """
    benchmark = load_benchmark(request, slug, Right.SCORE)
    terms = _terms(request, benchmark)
    if request.method != "POST":
        return render(request, "evaluation/answers/answers.html", _context(request, benchmark, terms))
    act = request.POST.get("act", "")
    if not act and "HX-Request" in request.headers:
        return _decided_here(request, benchmark, terms)
    do = {"undo": _undo, "back": _back, "all": _all, "judged": _take_over}.get(act, _decide)
    messages.success(request, do(request, benchmark, terms))
    return redirect(f"{request.path}{terms.query()}")


def _terms(request: SignedInRequest, benchmark: Any) -> Terms:
    state = request.GET.get("state", "")
    run = request.GET.get("run", "")
    known = run.isdecimal() and Run.objects.filter(benchmark=benchmark, pk=int(run[:18])).exists()
    if run and not known:
        raise InvalidInput(gettext("Run not found on this benchmark."), field="run")
    where = State(state) if state in set(State) else State.OPEN
    return Terms(where, int(run) if run else None, request.GET.get("reason", "")[:40])


def _context(request: SignedInRequest, benchmark: Any, terms: Terms) -> dict[str, Any]:
    """Return found (AnswerGroups), page, groups (of Shown), facets, here (address), at_once (of AtOnce), asked (the one
    to confirm, or None), proposed (Shown on which judges agree, if these are to be confirmed), judged (whether they
    agree on any), open (whether the groups are undecided), waits (whether they were left for judges), and the context
    of ``benchmark.html`` and ``_stale.html``.
    """
    found = read_groups(benchmark, request.user, state=terms.state, run=terms.run, reason=terms.reason)
    page = Paginator(found.tallies, ON_A_PAGE).get_page(request.GET.get("page"))
    is_open = terms.state is State.OPEN
    waits = is_open and judges_are_asked(benchmark)
    agreed = _agreed(found) if is_open and not waits else []
    at_once = _at_once(found, agreed) if is_open and not waits else []
    wanted = request.GET.get("all")
    proposed = agreed[:PROPOSED] if wanted == AS_JUDGED else []
    return {
        **benchmark_context(request, benchmark, "answers"),
        **staleness(benchmark, Run.objects.of(benchmark)),
        "found": found,
        "page": page,
        "groups": [_shown(group, found) for group in found.read(list(page.object_list))],
        "facets": _facets(request.path, found, terms),
        "here": f"{request.path}{terms.query()}",
        "joiner": "&" if terms.query() else "?",
        "at_once": at_once,
        "asked": next((one for one in at_once if one.said == wanted), None),
        "proposed": [_shown(group, found) for group in proposed],
        "judged": any(one.said == AS_JUDGED for one in at_once),
        "open": is_open,
        "waits": waits,
        "state": terms.state.value,
        "states": [
            (words, f"{request.path}{Terms(one, terms.run, '').query()}", one is terms.state)
            for one, words in STATES.items()
        ],
    }


def _shown(group: AnswerGroup, found: AnswerGroups) -> Shown:
    runs = sorted(((found.names[run], n) for run, n in group.by_run.items()), key=lambda one: (-one[1], one[0]))
    rest = group.raw[:LONGEST_SHOWN] if group.raw != group.text else ""
    return Shown(
        group,
        str(REASONS.get(group.reason, group.reason)),
        runs[:RUNS_SHOWN],
        max(0, len(runs) - RUNS_SHOWN),
        rest,
        _words(group, group.said.letter or group.said.word) if group.said else "",
        as_judged(group),
        _words(group, group.agreed) if as_judged(group) else "",
        sorted(Counter(vote.by for vote in group.votes).items()),
    )


def _words(group: AnswerGroup, word: str) -> str:
    """Return the label of an option's letter or of a ``DecisionWord``."""
    return f"{word}: {group.options[word]}" if word in group.options else str(WORDS[DecisionWord(word)])


def _facets(path: str, found: AnswerGroups, terms: Terms) -> list[dict[str, Any]]:
    reasons = sorted(found.by_reason.items(), key=lambda one: (-one[1], one[0]))
    runs = sorted(found.by_run.items(), key=lambda one: (-one[1], found.names[one[0]]))
    return [
        _facet(
            gettext("Reason"), [(str(REASONS.get(name, name)), n, "reason", name) for name, n in reasons], path, terms
        )
        | {"term": "unread"},
        _facet(gettext("Run"), [(found.names[run], n, "run", run) for run, n in runs], path, terms) | {"term": "run"},
    ]


def _facet(title: str, rows: list[tuple[str, int, str, Any]], path: str, terms: Terms) -> dict[str, Any]:
    """Return a facet. A selected value links back to all."""
    values = []
    for label, count, name, value in rows:
        current = getattr(terms, name) == value
        values.append(Choice(label, count, f"{path}{terms.query(**{name: '' if current else value})}", current))
    return {"title": title, "values": values, "largest": max((value.count for value in values), default=0)}


def _agreed(found: AnswerGroups) -> list[AnswerGroup]:
    """Return the groups on which judges agree."""
    return [group for group in found.read([one for one in found.tallies if one.voted]) if as_judged(group)]


def _at_once(found: AnswerGroups, agreed: list[AnswerGroup]) -> list[AtOnce]:
    made = []
    for said, words in {AS_JUDGED: gettext("as the judges agree"), **AT_ONCE}.items():
        unseen = (one for one in found.tallies if may_decide_unseen(one.multiple_choice, said))
        fit = agreed if said == AS_JUDGED else list(unseen)
        if fit:
            runs = {run for group in fit for run in group.by_run}
            made.append(AtOnce(said, str(words), sum(group.n for group in fit), len(fit), len(runs)))
    return made


def _decided_here(request: SignedInRequest, benchmark: Any, terms: Terms) -> HttpResponse:
    """Render the decided group in place of its form. Context: words, done (Decided), left (answers)."""
    words = _decide(request, benchmark, terms)
    context = {
        "benchmark": benchmark,
        "words": words,
        "group_key": request.POST.get("group", ""),
        "rights": {"score": True},
        **staleness(benchmark, Run.objects.of(benchmark)),
    }
    return render(request, "evaluation/answers/_decided.html", context)


def _decide(request: SignedInRequest, benchmark: Any, terms: Terms) -> str:
    said = request.POST.get("said", "")
    key = request.POST.get("group", "")
    done = decide_answers(actor=request.user, benchmark=benchmark, said={key: said}, run=terms.run)
    return gettext("%(answers)s %(decision)s.") % {
        "answers": _answers(done.answers),
        "decision": _verb(said, done.answers),
    }


def _verb(said: str, n: int) -> str:
    if said == "?":
        return gettext("left for a judge")
    if said in KEYS:
        return gettext("decided: %(decision)s") % {"decision": WORDS[KEYS[said]]}
    return ngettext("decided: it says %(answer)s", "decided: they say %(answer)s", n) % {"answer": said}


def _all(request: SignedInRequest, benchmark: Any, terms: Terms) -> str:
    said = request.POST.get("said", "")
    if said not in AT_ONCE:
        raise InvalidInput(
            gettext("Decisions for all groups must be one of %(at_once)s.") % {"at_once": ", ".join(AT_ONCE)},
            field="said",
        )
    found = read_groups(benchmark, request.user, run=terms.run, reason=terms.reason)
    fit = [one for one in found.tallies if may_decide_unseen(one.multiple_choice, said)]
    if str(sum(one.n for one in fit)) != request.POST.get("answers"):
        raise Conflict(gettext("The list has changed in the meantime. Review it again."))
    each = {one.key: said for one in fit}
    done = decide_answers(actor=request.user, benchmark=benchmark, said=each, run=terms.run)
    message = gettext("%(answers)s in %(groups)s %(decision)s.")
    return message % {
        "answers": _answers(done.answers),
        "groups": _groups(done.groups),
        "decision": _verb(said, done.answers),
    }


def _take_over(request: SignedInRequest, benchmark: Any, terms: Terms) -> str:
    """Adopt the decisions of judges that were shown. The form contains them, so that later changes of judges are not
    adopted unseen.
    """
    pairs = (one.partition(" ") for one in request.POST.getlist("judged")[:PROPOSED])
    said = {key: word for key, _, word in pairs}
    agreed = {one.key: as_judged(one) for one in _agreed(read_groups(benchmark, request.user, run=terms.run))}
    if not said:
        raise InvalidInput(gettext("Select decisions of judges to accept."), field="judged")
    if any(agreed.get(key) != word for key, word in said.items()):
        raise Conflict(gettext("The judges' agreement has changed in the meantime. Review it again."))
    done = decide_answers(actor=request.user, benchmark=benchmark, said=said, run=terms.run)
    message = gettext("%(answers)s in %(groups)s decided as the judges agree.")
    return message % {"answers": _answers(done.answers), "groups": _groups(done.groups)}


def _undo(request: SignedInRequest, benchmark: Any, terms: Terms) -> str:
    n = take_back_last(actor=request.user, benchmark=benchmark)
    return _undone(n) if n else gettext("You have no decision to undo.")


def _back(request: SignedInRequest, benchmark: Any, terms: Terms) -> str:
    key = request.POST.get("group", "")
    n = take_back(actor=request.user, benchmark=benchmark, keys=[key], run=terms.run)
    return _undone(n)


def _undone(n: int) -> str:
    return gettext("Undone: %(answers)s.") % {"answers": _answers(n)}


def _answers(n: int) -> str:
    return ngettext("%(count)s answer", "%(count)s answers", n) % {"count": decimal(n)}


def _groups(n: int) -> str:
    return ngettext("%(count)s group", "%(count)s groups", n) % {"count": decimal(n)}

"""Selection of samples by a lead, and actions on them: assign, set a facet, return, discard, reopen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.facets.present import facets_of
from annotation.common.loading import load_benchmark
from annotation.common.terms import SORTS, Terms
from annotation.common.work_pages import work_context
from annotation.content.facet_batches import facet_batches, undo_batch, undo_message
from annotation.models import Benchmark, Receipt
from annotation.models.querysets.samples import SampleQuerySet
from annotation.queue.priority import prioritize_samples
from annotation.queue.reopen import reopen_samples
from annotation.work.forms import AssignForm, FacetForm, PriorityForm, ReopenForm, WhyForm, WorkForm
from annotation.work.present import rows_of
from annotation.work.write.assignment import assign_samples
from annotation.work.write.discard import discard_samples
from annotation.work.write.facets import plan_facet, read_choice, set_facet
from annotation.work.write.returns import return_samples
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import ApplicationError, conflict_as_message
from webapp.common.paging import page_after
from webapp.common.translation import Text

PAGE_SIZE = 100
MOST_NAMED = 200
BATCHES = 5
LONGEST_KEY = 80


@dataclass(frozen=True)
class Act:
    """An action on selected samples: its form, its command, and its message when it is done."""

    form: type[WorkForm]
    action: Callable[..., Receipt]
    done: Text


ACTS: dict[str, Act] = {
    "assign": Act(AssignForm, assign_samples, gettext_lazy("assigned to %(to)s")),
    "priority": Act(PriorityForm, prioritize_samples, gettext_lazy("given priority %(priority)s")),
    "facet": Act(FacetForm, set_facet, gettext_lazy("changed: %(change)s")),
    "return": Act(WhyForm, return_samples, gettext_lazy("returned to their authors")),
    "reopen": Act(ReopenForm, reopen_samples, gettext_lazy("reopened")),
    "discard": Act(WhyForm, discard_samples, gettext_lazy("discarded")),
}


@login_required
@require_safe
def work_samples(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template annotation/work/samples.html; context: see ``samples_page``. Address: as the list of samples, and
    ?work=PERSON:KIND (``annotation.models.querysets.waiting.WORK``), ?problem=open, ?priority=5 or 1+.
    """
    return samples_page(request, load_benchmark(request, slug, Right.MANAGE))


def samples_page(
    request: SignedInRequest, benchmark: Benchmark, *, form: WorkForm | None = None, problem: str = ""
) -> HttpResponse:
    """Context: rows (Row), page, total, facets, terms, tokens, hidden, query (of the address), forms by act, batches
    (FacetBatch, the newest), key (of the next request), chosen (keys), all_chosen, problem (a message), and the context
    of ``work_context``.
    """
    terms = Terms.read(request.GET, lead=True)
    found = _matching(request, benchmark, terms)
    page = page_after(
        found.select_related("image").with_share_place(), request.GET.get("after", ""), order=SORTS[terms.sort],
        size=PAGE_SIZE,
    )  # fmt: skip
    forms = {name: act.form(benchmark, prefix=name) for name, act in ACTS.items()}
    forms["facet"].initial["facet"] = next((name[6:] for name in terms.values if name.startswith("facet.")), "")
    if form is not None:
        forms[str(form.prefix)] = form
        for name in [name for name in form.errors if name in form.fields][:1]:
            form.fields[name].widget.attrs["autofocus"] = True
    context: dict[str, Any] = {
        **work_context(request, benchmark, "samples"),
        "rows": rows_of(benchmark, page.rows),
        "page": page,
        "total": found.count(),
        "facets": facets_of(benchmark.samples.all().for_lead(terms.values), terms, request.user),
        "terms": terms,
        "tokens": terms.tokens(benchmark),
        "hidden": terms.pairs(leave="q"),
        "query": request.GET.urlencode(),
        "forms": forms,
        "batches": facet_batches(benchmark)[:BATCHES],
        "key": uuid4().hex,
        "chosen": set(request.POST.getlist("id")),
        "all_chosen": "all" in request.POST,
        "problem": problem,
    }
    wrong = bool(problem or form)
    return render(request, "annotation/work/samples.html", context, status=400 if wrong else 200)


def _matching(request: SignedInRequest, benchmark: Benchmark, terms: Terms) -> SampleQuerySet:
    samples: SampleQuerySet = benchmark.samples.all()
    narrowed = samples.narrowed(terms.values, chosen=terms.chosen, user=request.user)
    return narrowed.for_lead(terms.values)


@login_required
@require_POST
def act_on_samples(request: SignedInRequest, slug: str, verb: str) -> HttpResponse:
    """Posted: id (several) or all (the number of matches when the page was created), key, and the fields of the act's
    form. Redirects to the outcome.
    """
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    act = ACTS.get(verb)
    if act is None:
        raise Http404(gettext("Unknown action."))
    form = act.form(benchmark, request.POST, prefix=verb)
    again = partial(samples_page, request, benchmark, form=form)
    if not form.is_valid():
        return again()
    key = request.POST.get("key", "")[:LONGEST_KEY] or uuid4().hex
    known = Receipt.objects.filter(user=request.user, key=key).exists()
    samples = _matching(request, benchmark, Terms.read(request.GET, lead=True))
    if "all" not in request.POST:
        samples = benchmark.samples.filter(key__in=request.POST.getlist("id"))
    elif not known and str(n := samples.count()) != request.POST["all"]:
        said = ngettext(
            "%(count)s sample matches now, not %(before)s. Review the list, then try again.",
            "%(count)s samples match now, not %(before)s. Review the list, then try again.",
            n,
        )
        return again(problem=said % {"count": n, "before": request.POST["all"]})
    try:
        if isinstance(form, FacetForm) and form.cleaned_data["expected"] is None:
            return _preview(request, benchmark, samples, form)
        receipt = act.action(actor=request.user, benchmark=benchmark, samples=samples, key=key, **form.cleaned_data)
    except ApplicationError as error:
        if error.field not in form.fields:
            return again(problem=error.message)
        form.add_error(error.field, error.message)
        return again()
    address = reverse("annotation:work-outcome", args=[slug, receipt.pk])
    return redirect(f"{address}?{request.GET.urlencode()}" if request.GET else address)


def _preview(request: SignedInRequest, benchmark: Benchmark, samples: SampleQuerySet, form: FacetForm) -> HttpResponse:
    """Template annotation/work/facet.html; context: change (text), done_n, totals (values before, after,
    number of samples), refused (reason, number, keys), posted (names and values to post again), query (of the
    address)."""
    given = {name: value for name, value in form.cleaned_data.items() if name != "expected"}
    plan = plan_facet(benchmark, samples, read_choice(benchmark, **given))
    names = ("id", "all", "key", *(form.add_prefix(name) for name in given))
    context = {
        **work_context(request, benchmark, "samples"),
        "change": _change_words(given),
        "done_n": len(plan.done),
        "totals": plan.totals,
        "refused": _by_reason(plan.refused.items()),
        "posted": [(name, value) for name in names for value in request.POST.getlist(name)],
        "query": request.GET.urlencode(),
    }
    return render(request, "annotation/work/facet.html", context)


def _change_words(answer: Mapping[str, Any]) -> str:
    words = gettext("%(facet)s without “%(value)s”") if answer["remove"] else gettext("%(facet)s “%(value)s”")
    return words % {"facet": answer["facet"], "value": answer["value"]}


def _by_reason(refused: Iterable[Sequence[str]]) -> list[tuple[str, int, list[str]]]:
    """Each reason, the number of its samples, and the keys of the first of them."""
    ordered = sorted(refused, key=lambda pair: pair[1])
    groups = [(why, [key for key, _ in pairs]) for why, pairs in groupby(ordered, key=lambda pair: pair[1])]
    return [(why, len(keys), keys[:MOST_NAMED]) for why, keys in groups]


@login_required
@require_POST
def undo_facets(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Undo a batch of facet values, then list the samples again."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    batch = get_object_or_404(facet_batches(benchmark), pk=pk)
    with conflict_as_message(request):
        back, kept = undo_batch(actor=request.user, batch=batch)
        messages.success(request, undo_message(back, kept))
    return redirect("annotation:work-samples", slug)


@login_required
@require_safe
def work_outcome(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Template annotation/work/outcome.html; context: done_n, done (the message), done_keys, refused (reason, number,
    keys), refused_n, batch (number of a batch of facet values), at, back (the address of the list).
    """
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    receipt = get_object_or_404(Receipt, pk=pk, user=request.user)
    verb, _, number = receipt.about.partition(":")
    if verb not in ACTS or number != str(benchmark.pk):
        raise Http404(gettext("Outcome not found on this benchmark."))
    answer = receipt.answer
    change = _change_words(answer) if verb == "facet" else ""
    back = reverse("annotation:work-samples", args=[slug])
    context = {
        **work_context(request, benchmark, "samples"),
        "done_n": len(answer["done"]),
        "done": ACTS[verb].done
        % {"to": answer.get("to", ""), "priority": answer.get("priority", ""), "change": change},
        "done_keys": answer["done"][:MOST_NAMED],
        "refused": _by_reason(answer["refused"]),
        "refused_n": len(answer["refused"]),
        "batch": answer.get("batch"),
        "at": receipt.created_at,
        "back": f"{back}?{request.GET.urlencode()}" if request.GET else back,
    }
    return render(request, "annotation/work/outcome.html", context)

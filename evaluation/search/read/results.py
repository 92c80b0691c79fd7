"""Searches runs and saved slices."""

from __future__ import annotations

from django.db.models import Case, IntegerField, Q, Value, When

from evaluation.common.slices import without_marks
from evaluation.models import Run, SavedSlice
from evaluation.search.read.gold import Searchable, Wanted


def find_runs(area: Searchable, wanted: Wanted, most: int) -> list[Run]:
    """Return runs whose model and setting contain every word, those of this benchmark first. One query, none without
    a text."""
    if not wanted.text:
        return []
    rows = Run.objects.filter(benchmark__in=area.open).select_related("model")
    for word in wanted.words:
        rows = rows.filter(Q(model__name__icontains=word) | Q(setting__icontains=word))
    return list(rows.annotate(away=_away(wanted)).order_by("away", "model__name", "setting", "pk")[:most])


def find_slices(area: Searchable, wanted: Wanted, most: int) -> list[SavedSlice]:
    """Saved slices whose name holds every word, as their lists show them to this person. One query, none without a
    text."""
    if not wanted.text:
        return []
    rows = SavedSlice.objects.filter(benchmark__in=area.open)
    for word in wanted.words:
        rows = rows.filter(name__icontains=word)
    marked = {pk for pk in area.open if area.known[pk].marks}
    found: list[SavedSlice] = list(rows.annotate(away=_away(wanted)).order_by("away", "name", "pk"))
    return [one for one in found if one.benchmark_id in marked or without_marks(one)][:most]


def run_of(area: Searchable, text: str) -> Run | None:
    """The run of this number, if the person may open it. One query at most."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        return None
    run: Run | None = Run.objects.filter(benchmark__in=area.open, pk=int(text)).select_related("model").first()
    return run


def _away(wanted: Wanted) -> Case:
    return Case(When(benchmark=wanted.here, then=Value(0)), default=Value(1), output_field=IntegerField())

"""The segments of samples that list none themselves: those of the tools that their gold plan needs
(docs/metrics.md#plan-breakdown).

They are kept as facet values of the kind "bank", so that pages and slices of metrics find them like any other facet.
What people write, export or compare leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db.models import Case, F, When
from django.utils import timezone

from annotation.content.changes import facets_changed
from annotation.models import Benchmark, FacetValue, PlanTool, Sample, ToolName
from annotation.tool_bank.segments import SEGMENTS
from webapp.common.locks import lock_rows

SEGMENT = "segment"
BATCH = 500
Rows = dict[int, tuple[str, ...]]


def place_segments(benchmark: Benchmark, samples: Iterable[int] | None = None) -> int:
    """Bring the segments of these samples (default: of all with a plan) up to date with the bank; how many changed.
    Call inside a transaction. Three queries, and some for each batch that changes."""
    pks = None if samples is None else list(samples)
    changed = sum(_placed(benchmark, chunk) for chunk in _chunks(benchmark, pks))
    if changed:
        facets_changed(benchmark.pk, pks[0] if pks is not None and len(pks) == 1 else None)
    return changed


def _chunks(benchmark: Benchmark, samples: Iterable[int] | None) -> Iterator[tuple[int, ...]]:
    if samples is None:
        planned = PlanTool.objects.of_gold(benchmark).filter(step__isnull=False)
        kept = FacetValue.objects.filter(sample__benchmark=benchmark, kind=FacetValue.Kind.BANK)
        samples = {
            *planned.order_by().values_list("revision__gold_of__sample", flat=True).distinct(),
            *kept.order_by().values_list("sample", flat=True).distinct(),
        }
    ordered = tuple(sorted(samples))
    yield from (ordered[start : start + BATCH] for start in range(0, len(ordered), BATCH))


def _placed(benchmark: Benchmark, samples: tuple[int, ...]) -> int:
    had, listed = _kept(samples)
    wanted = {pk: titles for pk, titles in _of_plans(benchmark, samples).items() if pk not in listed}
    changed = [pk for pk in samples if had.get(pk, ()) != wanted.get(pk, ())]
    if not changed:
        return 0
    lock_rows(Sample.objects.filter(pk__in=changed))
    FacetValue.objects.filter(sample__in=changed, name=SEGMENT, kind=FacetValue.Kind.BANK).delete()
    FacetValue.objects.bulk_create(
        FacetValue(
            sample_id=pk, benchmark=benchmark, name=SEGMENT, position=position, value=title, kind=FacetValue.Kind.BANK
        )
        for pk in changed
        for position, title in enumerate(wanted.get(pk, ()))
    )
    Sample.objects.filter(pk__in=changed).update(changed_at=timezone.now())
    return len(changed)


def _kept(samples: tuple[int, ...]) -> tuple[Rows, set[int]]:
    """Return the segments that were stored earlier, and the samples that list segments themselves."""
    had: Rows = {}
    listed = set()
    rows = FacetValue.objects.filter(sample__in=samples, name=SEGMENT).order_by("sample", "position")
    for pk, value, kind in rows.values_list("sample", "value", "kind"):
        if kind == FacetValue.Kind.BANK:
            had[pk] = (*had.get(pk, ()), value)
        else:
            listed.add(pk)
    return had, listed


def _of_plans(benchmark: Benchmark, samples: tuple[int, ...]) -> Rows:
    """The segments of the target tools of each sample's gold, in the order of the plan."""
    merged = When(tool__merged_into__isnull=False, then=F("tool__merged_into__segment"))
    targets = PlanTool.objects.filter(revision__gold_of__sample__in=samples, step__isnull=False)
    rows = list(targets.order_by("step", "position").values_list("revision__gold_of__sample", "key"))
    names = ToolName.objects.filter(benchmark=benchmark, key__in={key for _, key in rows})
    segment_of = dict(names.annotate(segment=Case(merged, default=F("tool__segment"))).values_list("key", "segment"))
    found: dict[int, dict[str, None]] = {}
    for pk, key in rows:
        if title := SEGMENTS.get(segment_of.get(key, "")):
            found.setdefault(pk, {})[title] = None
    return {pk: tuple(titles) for pk, titles in found.items()}

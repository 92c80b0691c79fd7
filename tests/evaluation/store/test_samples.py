"""The samples of a benchmark as files: whole, and beside them the few that changed one by one."""

from __future__ import annotations

import pytest
from django.db.models import F

from annotation.content.changes import content_changed, fold_changes
from annotation.content.revisions import make_gold
from annotation.content.segments import place_segments
from annotation.models import ContentChange, FacetValue, Gold, GoldBox, Sample
from evaluation.models import Run
from evaluation.store import samples as module
from evaluation.store.samples import sample_files
from evaluation.store.snapshot import Snapshot
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once

pytestmark = pytest.mark.django_db


@made_once
def street(lea):
    return make_benchmark(lea, pictures=False)


def rows(benchmark):
    """The samples and facets that statements find; clusters by the samples that share one, as their numbers differ."""
    snapshot = Snapshot(benchmark, list(Run.objects.of(benchmark)))
    clusters = snapshot.ask("SELECT list(sample ORDER BY sample) FROM samples GROUP BY cluster ORDER BY 1")
    facets = snapshot.ask("SELECT name, value, sample FROM facets ORDER BY ALL")
    rows = snapshot.ask("SELECT * EXCLUDE (cluster) FROM samples ORDER BY sample")
    return rows, facets, clusters


def written_whole(benchmark, monkeypatch):
    """The same from files that are written anew."""
    with monkeypatch.context() as patched:
        patched.setattr(module, "MOST_CHANGED", -1)
        patched.setattr(module, "_path", lambda table, _, number: module.folder() / f"anew-{table}-{number}.parquet")
        return rows(benchmark)


def change_gold(sample):
    revision = Gold.objects.select_related("revision__annotation__sample__benchmark").get(sample=sample).revision
    GoldBox.objects.filter(revision=revision).update(x2=F("x2") + 9)
    GoldBox.objects.filter(revision=revision, position__gt=0).delete()
    revision.facets = {"weather": ["fog", "rain"]}
    make_gold(revision)


def test_samples_that_changed_one_by_one_are_read_beside_the_others(street, monkeypatch):
    before = rows(street)
    whole = sample_files(street)
    first, second, *_ = Sample.objects.filter(benchmark=street).order_by("pk")
    change_gold(first)
    change_gold(second)
    files = sample_files(street)
    assert (files.samples, files.changed) == (whole.samples, (first.pk, second.pk))
    assert rows(street) == written_whole(street, monkeypatch) != before
    Gold.objects.filter(sample=second).delete()
    FacetValue.objects.filter(sample=second).delete()
    content_changed(street.pk, second.pk)
    assert sample_files(street).samples == whole.samples
    assert rows(street) == written_whole(street, monkeypatch)


def test_a_change_of_several_samples_writes_all_again(street, monkeypatch):
    whole = sample_files(street)
    change_gold(Sample.objects.filter(benchmark=street)[0])
    FacetValue.objects.filter(benchmark=street).delete()
    content_changed(street.pk)
    files = sample_files(street)
    assert files.samples != whole.samples
    assert files.changed == ()
    assert rows(street) == written_whole(street, monkeypatch)


def test_many_changes_and_folded_ones_write_all_again(street, monkeypatch):
    whole = sample_files(street)
    monkeypatch.setattr(module, "MOST_CHANGED", 2)
    pks = list(Sample.objects.filter(benchmark=street).values_list("pk", flat=True)[:3])
    for pk in pks[:2]:
        content_changed(street.pk, pk)
    assert sample_files(street).samples == whole.samples
    content_changed(street.pk, pks[2])
    later = sample_files(street)
    assert later.samples != whole.samples
    content_changed(street.pk, pks[0])
    monkeypatch.setattr("annotation.content.changes.MOST_ROWS", 1)
    assert fold_changes() > 0
    assert ContentChange.objects.filter(benchmark=street).count() == 1
    folded = sample_files(street)
    assert folded.changed == ()
    assert folded.samples != later.samples


def test_a_gold_that_changes_names_its_sample_alone(street):
    sample = Sample.objects.filter(benchmark=street)[0]
    before = ContentChange.objects.latest_first(street.pk)
    change_gold(sample)
    added = ContentChange.objects.latest_first(street.pk)[: -len(before) or None]
    assert {pk for _, pk in added} == {sample.pk}
    place_segments(street)
    assert all(pk in (sample.pk, None) for _, pk in ContentChange.objects.latest_first(street.pk))

"""The tables of a run's page are made of its file: they say what the columns say that scoring had in its hands."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from django.db import transaction
from django.urls import reverse

from annotation.models import Gold
from evaluation.common.extraction.read import read_extraction, read_slices_extraction
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.metrics.accuracy_gap import grounded_difference
from evaluation.metrics.chains import chains_of, choices
from evaluation.metrics.columns import TRUE, Quadrant
from evaluation.metrics.extraction import Tally
from evaluation.metrics.grounding import gold_sets
from evaluation.metrics.heatmap import cells_of_boxes, crop_cells, heat_map, in_units
from evaluation.metrics.measures import open_quadrants
from evaluation.metrics.plans import targets_of
from evaluation.metrics.ragged import rows_of
from evaluation.metrics.score import score_run
from evaluation.metrics.slices import CALLS, slice_rows
from evaluation.metrics.tables import coverage_curve, length_histogram, outcomes_by_targets
from evaluation.metrics.thresholds import quadrant_intervals, quadrants_by_threshold
from evaluation.metrics.undecided import difference_range, right_among
from evaluation.models import Run
from evaluation.query.fields import slice_terms
from evaluation.scoring.load.columns import load_run, load_samples
from evaluation.scoring.settings import change_settings, settings_of
from evaluation.scoring.write import score_benchmark
from evaluation.store.files import rows_changed
from evaluation.store.snapshot import Snapshot
from evaluation.store.tables import OF_CALLS, report_on, tables_of
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark, only_run, repeat, trajectories
from tests.worlds import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@made_once
def street(lea):
    """A run of every kind of trajectory, with further rollouts and trajectories under conditions."""
    benchmark = make_benchmark(lea)
    repeat(benchmark, lea)
    return benchmark


def tables(benchmark, terms=None):
    run = Run.objects.of(benchmark).get()
    return tables_of(Snapshot(benchmark, [run]), run, terms or {}, canonical=False)


class Columns:
    """A run as scoring sees it."""

    def __init__(self, benchmark):
        self.settings = settings_of(benchmark)
        self.samples = load_samples(benchmark).columns
        self.run = load_run(only_run(benchmark), load_samples(benchmark)).columns
        self.scores = score_run(self.samples, self.run, self.settings)
        self.chains = chains_of(self.samples, self.run, self.scores)

    def tables(self, rows):
        """What the tables about some of its trajectories have to be, but for repeated rollouts and names of tools."""
        scores, sample = self.scores, self.scores.sample
        measured = scores.ioa[rows], scores.correct[rows] == TRUE, scores.quadrant[rows] != Quadrant.OUTSIDE
        cluster, targets = self.samples.cluster[sample[rows]], targets_of(self.samples)[sample[rows]]
        cells = cells_of_boxes(scores.crop_box, self.samples.size[sample], scores.in_population)
        among = np.isin(np.arange(len(scores)), rows) & scores.scorable
        curve = coverage_curve(scores.step_coverage, self.run.step_start, among)
        return {
            "lengths": list(
                map(
                    asdict,
                    length_histogram(
                        *(c[rows] for c in (scores.calls, scores.effective_calls, scores.reference_calls))
                    ),
                )
            ),
            "outcomes": {
                size: n.tolist() for size, n in outcomes_by_targets(scores.plan_outcome[rows], targets).items()
            },
            "thresholds": quadrants_by_threshold(*measured).tolist(),
            "threshold_intervals": quadrant_intervals(*measured, cluster),
            "grounded_difference": asdict(grounded_difference(scores.quadrant[rows], cluster, self._left_open(rows))),
            "crop_cells": crop_cells(cells[rows]).tolist(),
            "tool_choices": [
                {name: getattr(one, name) for name in ("tool", "tp", "fp", "fn")}
                for one in choices(self.chains.take(rows), None)
            ],
            "coverage": curve.tolist(),
            "heat": self._heat(among),
        }

    def _left_open(self, rows):
        """The differences by grounding that undecided answers allow."""
        cells = open_quadrants(self.scores)
        grounded, ungrounded = (right_among(*pair).range(rows) for pair in (cells[:2], cells[2:]))
        return difference_range(ungrounded, grounded)

    def _heat(self, among):
        owner = rows_of(self.run.step_start)
        gold = gold_sets(self.samples).take(self.scores.sample[among])
        size = self.samples.size[self.scores.sample]
        crops = in_units(self.scores.step_crops[among[owner]], size[owner][among[owner]])
        found = heat_map(crops, in_units(gold.boxes, size[among][rows_of(gold.start)]), int(among.sum()))
        return None if found is None else asdict(found) | {"difference": found.difference.round(6).tolist()}

    def report(self, rows):
        """How these answers are read, each read again."""
        tally = Tally(self.settings)
        for row in rows.tolist():
            key, decision = self.samples.answers[self.run.sample[row]], self.run.decided.get(row)
            tally.take(self.run.answers[row], key, int(self.run.verdict[row]), decision)
        return tally.report()


@pytest.mark.both_databases
@pytest.mark.parametrize("settings", [{}, {"undecided_answer": "exclude", "multi_crop": "union", "ioa_threshold": 0.3}])
@pytest.mark.endurance
def test_the_tables_of_the_file_are_those_of_the_columns_on_the_run_and_on_every_slice(lea, settings, street):
    if settings:
        change_settings(actor=lea, benchmark=street, values=settings)
        score_benchmark(actor=lea, benchmark=street)
    columns, run = Columns(street), Run.objects.of(street).get()
    snapshot, seen = Snapshot(street, [run]), 0
    for part in slice_rows(columns.samples, columns.scores.sample, columns.scores.calls):
        terms = slice_terms(part.by, part.value)
        found = tables_of(snapshot, run, terms, canonical=False)
        for name, wanted in columns.tables(part.rows).items():
            assert _close(found[name], wanted), (part.by, part.value, name)
        assert report_on(snapshot, run, terms) == columns.report(part.rows)
        seen += part.by != CALLS
    assert seen > 5


def _close(found, wanted):
    """Equal, but for the last digits of fractions."""
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(_close(found[name], wanted[name]) for name in wanted)
    if isinstance(wanted, list | tuple):
        return len(found) == len(wanted) and all(map(_close, found, wanted))
    return found == (pytest.approx(wanted, abs=1e-9) if isinstance(wanted, float) else wanted)


def test_tools_are_named_as_the_run_writes_them_and_merge_under_canonical_names(street):
    found = tables(street)
    assert [(row["tool"], row["calls"]) for row in found["tools"]] == [
        ("crop", sum(r["calls"] for r in found["tools"]))
    ]
    assert found["tool_names"] == {"crop": ["crop"]}


def test_tables_are_made_once_for_a_content_and_anew_for_another(lea, street):
    first = tables(street)
    assert tables(street) is first
    assert tables(street, {"facet.category": "Color"}) is not first
    Gold.objects.filter(sample__key="seen-00").delete()
    score_benchmark(actor=lea, benchmark=street)
    assert sum(tables(street)["thresholds"][50]) == sum(first["thresholds"][50]) - 1


def test_a_run_that_changed_since_it_was_scored_keeps_what_its_rows_say_and_asks_for_a_scoring(lea, street):
    before, client = tables(street), signed_in(lea)
    rows_changed([only_run(street).pk])
    after = tables(street)
    ends = {"low": None, "high": None}  # Of the scoring, not of the rows.
    assert {name: after[name] for name in after if name not in OF_CALLS} == {
        name: before[name] for name in before if name not in OF_CALLS
    } | {"grounded_difference": before["grounded_difference"] | ends}
    assert all(after[name] is None for name in OF_CALLS)
    assert [one.report for one in read_extraction(street)] == [None]
    answer = client.get(reverse("evaluation:run", args=[street.slug, only_run(street).pk]))
    assert "Some charts are missing." in answer.content.decode()
    charts = client.get(f"/api/v1/benchmarks/street/runs/{only_run(street).pk}/charts/").json()
    assert (charts["tools"], charts["heat"], charts["thresholds"]) == ([], None, before["thresholds"])
    score_benchmark(actor=lea, benchmark=street)
    assert tables(street) == before


def test_reports_by_a_facet_are_those_of_its_slices(street):
    run = Run.objects.of(street).get()
    for facet in ("category", "targets"):
        by_value = read_slices_extraction(street, facet)[run.pk]
        assert by_value
        for value, report in by_value.items():
            assert report == report_on(Snapshot(street, [run]), run, slice_terms(facet, value))


def test_reports_of_many_runs_take_as_many_queries_as_of_one(lea, street, django_assert_num_queries):
    def asked():
        read_extraction(street)
        with django_assert_num_queries(4):
            return read_extraction(street)

    [one] = asked()
    with transaction.atomic():
        save_trajectories(RunRegistry(street, lea), list(trajectories("Model D", {"seen": 2})), None)
    score_benchmark(actor=lea, benchmark=street)
    first, second = asked()
    assert first.report == one.report
    assert second.report["answers"] == 2

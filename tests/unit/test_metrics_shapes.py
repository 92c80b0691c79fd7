"""Grounding on polygons and points (docs/metrics.md#shapes)."""

import math

import numpy as np
import pytest
import shapely

from annotation.schema import Box, Outline, OutlineKind, SampleContent, SampleRecord
from evaluation.metrics.aggregate import aggregate
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, Quadrant
from evaluation.metrics.grounding import gold_sets
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.regions import BoxSets
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.shares import measure_regions
from evaluation.schema import Step, Trajectory

SIDE = 100
SEED = 7


def polygon(*points):
    return Outline.of(OutlineKind.POLYGON, [(float(x), float(y)) for x, y in points])


def point(x, y):
    return Outline.of(OutlineKind.POINT, [(float(x), float(y))])


def as_polygon(box, first=0):
    corners = [(box.x1, box.y1), (box.x2, box.y1), (box.x2, box.y2), (box.x1, box.y2)]
    return polygon(*corners[first:], *corners[:first])


def record(*shapes, key="a", side=SIDE):
    content = SampleContent("Where?", answers=("here",), gold_boxes=shapes)
    return SampleRecord(key, content, width=side, height=side)


def shares(crops, *shapes, multi_gold="union", side=SIDE):
    gold = gold_sets(sample_columns([record(*shapes, side=side)]))
    found = measure_regions(BoxSets(np.array(crops, float), np.array([0, len(crops)])), gold, multi_gold)
    return [getattr(found, name)[0] for name in ("coverage", "concentration", "ioa", "iou")]


def test_a_triangle_counts_by_its_own_area_not_by_its_box():
    triangle = polygon((0, 0), (10, 0), (0, 10))
    coverage, concentration, ioa, iou = shares([[0, 0, 10, 5]], triangle)
    assert coverage == pytest.approx(37.5 / 50)
    assert concentration == pytest.approx(37.5 / 50)
    assert ioa == pytest.approx(0.75)
    assert iou == pytest.approx(37.5 / 62.5)


def test_overlapping_shapes_and_crops_count_once():
    left, right = Box(0, 0, 10, 10), polygon((5, 0), (15, 0), (15, 10), (5, 10))
    coverage, concentration, *_ = shares([[0, 0, 6, 10], [4, 0, 30, 10]], left, right)
    assert coverage == pytest.approx(1)
    assert concentration == pytest.approx(150 / 300)


def test_points_alone_are_counted_and_have_no_second_ratio():
    crop = [[10, 10, 20, 20]]
    coverage, concentration, ioa, iou = shares(crop, point(15, 15), point(20, 10), point(20.1, 10), point(50, 50))
    assert (coverage, ioa) == (0.5, 0.5), "a point on the edge of a crop is inside"
    assert math.isnan(concentration)
    assert math.isnan(iou)


@pytest.mark.parametrize(("rule", "share"), [("union", 0.5), ("mean", 0.5), ("any", 1), ("all", 0)])
def test_each_point_is_a_gold_shape_of_its_own(rule, share):
    assert shares([[0, 0, 20, 20]], point(5, 5), point(50, 50), multi_gold=rule)[0] == share


def test_points_next_to_an_area_count_nothing():
    box = Box(0, 0, 10, 10)
    assert shares([[0, 0, 10, 5]], box, point(90, 90)) == pytest.approx(shares([[0, 0, 10, 5]], box))


def test_only_the_part_of_a_polygon_inside_the_image_counts():
    half = polygon((90, 0), (110, 0), (110, 20), (90, 20))
    assert shares([[90, 0, 100, 20]], half)[0] == pytest.approx(1)
    assert gold_sets(sample_columns([record(point(150, 5))])).counts[0] == 0


def test_a_polygon_that_crosses_itself_encloses_its_loops():
    bow = polygon((0, 0), (10, 10), (10, 0), (0, 10))
    assert shares([[0, 0, 5, 10]], bow)[0] == pytest.approx(0.5)


def some_boxes(rng, most, side=64):
    count = rng.integers(1, most + 1)
    corners = np.sort(rng.integers(0, side, (count, 2, 2)), axis=1)
    return [Box(a, b, c + 1, d + 1) for (a, b), (c, d) in corners.tolist()]


def rectangles(cases):
    rng = np.random.default_rng(SEED)
    for case in range(cases):
        boxes, crops = some_boxes(rng, 4), [box.as_list() for box in some_boxes(rng, 3)]
        kept = [as_polygon(box, case % 4) if rng.random() < 0.7 else box for box in boxes[1:]]
        yield boxes, [as_polygon(boxes[0]), *kept], crops, ("union", "any", "all", "mean")[case % 4]


def check_rectangles(cases):
    for boxes, outlines, crops, rule in rectangles(cases):
        expected = shares(crops, *boxes, multi_gold=rule)
        assert shares(crops, *outlines, multi_gold=rule) == pytest.approx(expected, abs=1e-9)


def test_rectangles_entered_as_polygons_give_the_results_of_boxes():
    check_rectangles(300)


@pytest.mark.endurance
def test_ten_thousand_rectangles_entered_as_polygons_give_the_results_of_boxes():
    check_rectangles(10_000)


def star(rng, side):
    """A polygon without crossings: vertices at increasing angles around a center."""
    angles = np.sort(rng.uniform(0, 2 * math.pi, rng.integers(3, 9)))
    center, reach = rng.uniform(0.2 * side, 0.8 * side, 2), rng.uniform(0.1, 0.4, len(angles)) * side
    return [(center[0] + r * math.cos(a), center[1] + r * math.sin(a)) for a, r in zip(angles, reach, strict=True)]


def spans_of(vertices, lines):
    """(n, m, 2) the parts of n horizontal lines inside a polygon by the even-odd rule; empty ones are infinite."""
    (ax, ay), (bx, by) = np.array(vertices).T, np.roll(np.array(vertices), -1, axis=0).T
    y = lines[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where((ay <= y) != (by <= y), ax + (y - ay) / (by - ay) * (bx - ax), np.inf)
    found = np.sort(found, axis=1)
    return found[:, : found.shape[1] // 2 * 2].reshape(len(lines), -1, 2)


def raster_shares(polygons, crops, side, per_pixel=32):
    """Coverage and concentration on a raster of fine lines, each cut where it enters or leaves a shape."""
    lines = (np.arange(side * per_pixel) + 0.5) / per_pixel
    gold = np.concatenate([spans_of(vertices, lines) for vertices in polygons], axis=1)
    y = lines[:, None]
    x1, y1, x2, y2 = np.array(crops, float).T
    at = (y1 <= y) & (y < y2)
    seen = np.stack([np.where(at, x1, np.inf), np.where(at, x2, np.inf)], axis=2)
    cuts = np.concatenate([gold.reshape(len(lines), -1), seen.reshape(len(lines), -1)], axis=1)
    cuts = np.sort(np.clip(cuts, 0, side), axis=1)
    long, middle = np.diff(cuts), (cuts[:, 1:] + cuts[:, :-1]) / 2

    def covered(spans):
        return ((spans[:, None, :, 0] <= middle[:, :, None]) & (middle[:, :, None] < spans[:, None, :, 1])).any(axis=2)

    inside, shown = covered(gold), covered(seen)
    common = long[inside & shown].sum()
    return common / long[inside].sum(), common / long[shown].sum()


def check_raster(cases):
    rng, compared = np.random.default_rng(SEED), 0
    while compared < cases:
        side = 64
        drawn = [star(rng, side) for _ in range(rng.integers(1, 3))]
        shapes = [polygon(*vertices) for vertices in drawn]
        if shapely.union_all([shapely.Polygon(v).buffer(0) for v in drawn]).area < 100:
            continue
        crops = [box.as_list() for box in some_boxes(rng, 2, side)]
        expected = raster_shares(drawn, crops, side)
        coverage, concentration, *_ = shares(crops, *shapes, side=side)
        assert coverage == pytest.approx(expected[0], abs=1e-3), (drawn, crops)
        if sum((c[2] - c[0]) * (c[3] - c[1]) for c in crops) >= 100:
            assert concentration == pytest.approx(expected[1], abs=1e-3), (drawn, crops)
        compared += 1


def test_random_polygons_match_a_fine_raster():
    check_raster(20)


@pytest.mark.endurance
def test_ten_thousand_random_polygons_match_a_fine_raster():
    check_raster(10_000)


def scored(*golds, crop=(0.0, 0.0, 20.0, 20.0), **settings):
    """One sample for each gold, and one trajectory with a crop (or none) for each."""
    records = [record(*shapes, key=f"s{at}") for at, shapes in enumerate(golds)]
    samples, settings = sample_columns(records), MetricSettings(**settings)
    steps = () if crop is None else (Step("crop", bbox=crop),)
    runs = run_columns([Trajectory("m", one.id, answer="here", steps=steps) for one in records], samples)
    scores = score_run(samples, runs, settings)
    rows = aggregate(samples, scores, runs, settings, slices=())
    return scores, {row.metric: row for row in rows if not row.slice_by}


def test_a_sample_of_points_is_grounded_by_its_share_of_points():
    scores, _ = scored([point(5, 5)], [point(5, 5), point(90, 90)], [point(90, 90)])
    assert scores.ioa.tolist() == [1, 0.5, 0]
    assert scores.grounded.tolist() == [TRUE, FALSE, FALSE], "half of the points is not above the threshold"
    assert [Quadrant.NAMES[code] for code in scores.quadrant] == ["G+A+", "G-A+", "G-A+"]
    assert np.isnan([scores.concentration, scores.iou]).all()
    assert scores.center_hit.tolist() == [UNKNOWN] * 3


def test_means_never_mix_points_with_areas():
    scores, metrics = scored([Box(0, 0, 20, 40)], [point(5, 5)])
    assert scores.coverage.tolist() == [0.5, 1]
    assert [metrics[name].value for name in ("mean_coverage", "mean_concentration", "mean_ioa")] == [0.5, 1, 1]
    assert metrics["mean_coverage"].n == 1
    assert metrics["mean_point_share"].value == 1
    assert metrics["grounded_score"].n == 2


def test_a_mean_over_no_area_is_undefined():
    _, metrics = scored([point(5, 5)])
    assert metrics["mean_coverage"].value is None
    assert metrics["mean_concentration"].value is None
    _, metrics = scored([Box(0, 0, 20, 40)])
    assert metrics["mean_point_share"].value is None


def test_points_without_a_usable_crop_are_missed_and_stay_without_a_second_ratio():
    scores, _ = scored([point(5, 5)], crop=(30.0, 30.0, 20.0, 20.0))
    assert (scores.coverage[0], scores.ioa[0], scores.grounded[0]) == (0, 0, FALSE)
    assert np.isnan(scores.concentration[0])


def test_the_full_image_holds_every_point():
    scores, _ = scored([point(5, 5), point(99, 100)], crop=None, no_crop="full_image")
    assert scores.coverage[0] == 1
    assert np.isnan(scores.concentration[0])


def test_polygons_take_part_in_every_measure_of_a_run():
    triangle = polygon((0, 0), (40, 0), (0, 40))
    scores, metrics = scored([triangle], [as_polygon(Box(0, 0, 20, 20))], [Box(0, 0, 20, 20)])
    assert scores.coverage[0] == pytest.approx(0.5)
    assert scores.concentration[0] == pytest.approx(1)
    assert scores.step_coverage[0] == pytest.approx(0.5)
    assert scores.center_hit.tolist() == [TRUE] * 3
    for name in ("coverage", "concentration", "ioa", "iou", "union_coverage"):
        assert getattr(scores, name)[1] == pytest.approx(getattr(scores, name)[2], abs=1e-9)
    assert metrics["mean_coverage"].value == pytest.approx(2.5 / 3)

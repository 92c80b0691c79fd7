"""Variants of a sample: made by a lead, with the gold carried over, reviewed before they count."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
import shapely
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from PIL import Image as Pillow

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.removal import take_out
from annotation.content.samples import save_samples
from annotation.images.store import picture_path, store_pictures
from annotation.imaging.variants.pixels import apply, digest_of
from annotation.imaging.variants.recipes import FORMS, Kind, ladder, recipe_of, recipes_of
from annotation.models import (
    Annotation,
    Benchmark,
    BenchmarkSchema,
    FacetValue,
    Gold,
    GoldCheck,
    Image,
    ImageVariant,
    Revision,
    Sample,
)
from annotation.portable.read.project import export_project
from annotation.quality.write.checks import add_checks, draw_checks
from annotation.queue.assignment import next_to_annotate
from annotation.queue.settings import set_queue
from annotation.review.write.decisions import next_to_review, under_review
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, ToolCall
from annotation.variants.read import pixels_of, variants_of
from annotation.variants.write import make_variants, run_recipes
from annotation.work.write.replacement import replace_image
from annotation.workflow import Role
from evaluation.common.compared import compared_samples
from evaluation.scoring.load.columns import load_samples
from evaluation.trash.write.samples import delete_samples, restore_sample
from tests.annotation.work_data import reviewed, to_annotate
from tests.conftest import signed_in
from webapp.accounts.actions import create_token
from webapp.accounts.scopes import Scope
from webapp.common import objects
from webapp.common.errors import Conflict, NotAllowed
from webapp.common.models import AuditEntry
from webapp.jobs.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
API = "/api/v1/benchmarks/kitchen/variants/desk/"
PAGE = "/benchmarks/kitchen/variants/samples/desk/"
CONTENT = SampleContent(
    question="Which mug is left of the plate?",
    answer_type=AnswerType.MULTIPLE_CHOICE,
    options={"A": "black", "B": "white"},
    answers=("B",),
    gold_boxes=(Box(100, 60, 180, 120), Box(220, 150, 260, 200)),
    reference_toolchain=(ToolCall("crop", {"x": 100, "y": 60, "width": 80, "height": 60}),),
)


def drawn() -> bytes:
    picture = np.random.default_rng(4).integers(0, 255, (240, 320, 3), dtype=np.uint8)
    return bytes(cv2.imencode(".png", cv2.GaussianBlur(picture, (0, 0), 2))[1])


@pytest.fixture
def desk(tmp_path: Any, settings: Any, ana, rui, lea) -> Sample:
    """An accepted sample whose image is here; Ana annotates, Rui reviews, Lea leads."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}
    benchmark = to_annotate(1, annotator=ana, reviewer=rui, lead=lea)
    records = [SampleRecord("desk", CONTENT, "desk.png", facets={"category": ("Color",)})]
    found = store_pictures(actor=None, benchmark=benchmark, records=records, folder=tmp_path,
                           embedded={"desk.png": drawn()})  # fmt: skip
    save_samples(actor=None, benchmark=benchmark, records=records, pictures=found)
    Image.objects.update(state=Image.State.READY)
    return loaded("desk")


def loaded(key: str) -> Sample:
    return Sample.objects.select_related("benchmark").with_gold().get(key=key)


def made(lea: Any, sample: Sample, kind: str, *doses: float, **more: Any) -> list[Sample]:
    """These variants, made at once."""
    done = make_variants(actor=lea, sample=sample, recipes=recipes_of(kind, doses, **more))
    for job in Job.objects.filter(kind="annotation.variants"):
        run_recipes(actor=lea, **job.payload, report=lambda *_: None)
    assert done.job is not None
    return list(variants_of(sample))


def test_a_variant_waits_for_review_with_the_gold_carried_over(desk, lea, rui):
    [turned] = made(lea, desk, "rotate", 90)
    assert (turned.key, turned.state, turned.variant_of) == ("desk-rotate-90", "in_review", desk)
    assert (turned.width, turned.height) == (240, 320)
    assert not hasattr(turned, "gold")
    assert {(f.name, f.original()) for f in turned.facets.all()} == {
        ("category", "Color"), ("variant", "rotate"), ("dose", 90),
    }  # fmt: skip
    revision = Revision.objects.get(annotation__sample=turned)
    assert [box.x1 for box in revision.gold_boxes.all()] == [120, 40]
    assert (revision.question, revision.options, revision.answers) == (
        CONTENT.question, dict(CONTENT.options), ["B"],
    )  # fmt: skip
    # A toolchain counts in pixels that are elsewhere now.
    assert not revision.reference_calls.exists()
    annotation = Annotation.objects.get(sample=turned)
    assert (annotation.author, annotation.state) == (None, "submitted")
    assert next_to_review(actor=rui, benchmark=desk.benchmark) == turned
    reviewed(rui, loaded("desk-rotate-90"), "accept")
    turned = loaded("desk-rotate-90")
    assert (turned.state, turned.gold.revision) == ("accepted", revision)
    assert set(turned.facets.values_list("name", "value")) == {
        ("category", "Color"), ("variant", "rotate"), ("dose", "90"),
    }  # fmt: skip


def test_the_recipe_gives_the_stored_pixels_again(desk, lea):
    for row in made(lea, desk, "noise", 10, 30, seed=7):
        variant = row.variant
        recipe = recipe_of(**{"dose": None, "choice": "", **variant.recipe}, seed=variant.seed)
        again = apply(recipe, pixels_of(variant.parent))
        assert digest_of(again) == variant.digest
        stored = Pillow.open(io.BytesIO(objects.read(picture_path(row.image))))
        assert np.array_equal(np.asarray(stored), again)


def test_twelve_variants_in_one_job_and_none_twice(desk, lea):
    doses = ladder(FORMS[Kind.BLUR], 1, 12, 12)
    rows = made(lea, desk, "blur", *doses)
    assert [row.variant.recipe["dose"] for row in rows] == list(range(1, 13))
    assert len({row.image_id for row in rows}) == 12
    # Where no place moves, the toolchain stays.
    assert Revision.objects.get(annotation__sample=rows[0]).reference_calls.count() == 1
    assert len(made(lea, desk, "blur", *doses)) == 12
    assert AuditEntry.objects.filter(action="sample.make_variants").count() == 2
    assert AuditEntry.objects.filter(action="sample.variant").count() == 12


def test_gold_that_would_be_cut_rejects_a_variant(desk, lea):
    done = make_variants(actor=lea, sample=desk, recipes=recipes_of("crop", [5, 20, 40]))
    assert [one.recipe.dose for one in done.accepted] == [5]
    assert [(one.recipe.dose, one.rejected) for one in done.rejected] == [(20, (2,)), (40, (1, 2))]
    alone = make_variants(actor=lea, sample=desk, recipes=recipes_of("crop", [40]))
    assert (alone.job, alone.accepted) == (None, ())


def test_a_tilted_box_keeps_its_polygon_and_directions_are_flagged(desk, lea):
    [tilted] = made(lea, desk, "rotate", 30)
    assert [len(polygon) for polygon in tilted.variant.polygons] == [4, 4]
    assert tilted.variant.directions == ["left"]
    [blurred] = [row for row in made(lea, desk, "blur", 3) if row.variant.recipe["kind"] == "blur"]
    assert (blurred.variant.polygons, blurred.variant.directions) == ([[], []], [])


def test_the_image_of_an_original_stays_while_it_has_variants(desk, lea):
    made(lea, desk, "flip")
    other = Image.objects.create(sha256="b" * 64, width=320, height=240, format="PNG", bytes=1, state="ready")
    said = {"image": other, "scale": False, "comment": "", "key": "one"}
    with pytest.raises(Conflict, match="desk-flip-horizontal"):
        replace_image(actor=lea, sample=loaded("desk"), **said)
    gone = loaded("desk-flip-horizontal").pk
    take_out(actor=lea, benchmark=desk.benchmark, samples=[gone], at=timezone.now())
    assert replace_image(actor=lea, sample=loaded("desk"), **said).keys == ["desk"]


def test_it_comes_back_from_the_trash_only_if_its_source_has_the_image_that_it_was_made_of(desk, lea):
    made(lea, desk, "flip")
    variant = loaded("desk-flip-horizontal")
    trash = {"actor": lea, "benchmark": desk.benchmark}
    delete_samples(**trash, keys=[variant.key])
    restore_sample(**trash, sample=variant)
    assert loaded(variant.key).variant_of == desk
    delete_samples(**trash, keys=[variant.key])
    other = Image.objects.create(sha256="b" * 64, width=320, height=240, format="PNG", bytes=1, state="ready")
    replace_image(actor=lea, sample=loaded("desk"), image=other, scale=False, comment="", key="one")
    delete_samples(**trash, keys=["desk"])
    with pytest.raises(Conflict, match="the image that desk had before it was replaced") as refused:
        restore_sample(**trash, sample=variant)
    assert refused.value.code == "image_replaced"
    answer = signed_in(lea).post(f"/api/v1/benchmarks/kitchen/trash/samples/{variant.pk}/restore/")
    assert answer.status_code == 409
    assert not Sample.objects.filter(key=variant.key).exists()
    assert AuditEntry.objects.filter(action="sample.restore").count() == 1


def test_it_stays_with_its_source_named_when_that_goes(desk, lea):
    made(lea, desk, "flip")
    Sample.objects.filter(pk=desk.pk).update(state="discarded")
    assert loaded("desk-flip-horizontal").variant_of == desk
    Gold.objects.filter(sample=desk).delete()
    Annotation.objects.filter(sample=desk).delete()
    Sample.objects.filter(pk=desk.pk).delete()
    left = loaded("desk-flip-horizontal")
    assert (left.variant_of, left.variant.source_key) == (None, "desk")
    page = signed_in(lea).get("/benchmarks/kitchen/samples/desk-flip-horizontal/").content.decode()
    assert "desk" in page


def test_no_variant_of_a_variant_or_without_gold_or_image(desk, lea):
    made(lea, desk, "flip")
    for key, code in (("desk-flip-horizontal", "is_variant"), ("s-0000", "no_gold")):
        with pytest.raises(Conflict) as refused:
            make_variants(actor=lea, sample=loaded(key), recipes=recipes_of("flip"))
        assert refused.value.code == code
    Image.objects.update(state=Image.State.FAILED)
    with pytest.raises(Conflict) as refused:
        make_variants(actor=lea, sample=loaded("desk"), recipes=recipes_of("flip"))
    assert refused.value.code == "no_image"


def test_only_leads_make_variants(desk, ana, rui):
    for person in (ana, rui):
        with pytest.raises(NotAllowed):
            make_variants(actor=person, sample=desk, recipes=recipes_of("flip"))


def test_people_who_annotate_meet_no_variant(desk, lea, ana, rui):
    """It would show them that another sample has gold, which can be a gold check."""
    [flipped] = made(lea, desk, "flip")
    add_member(actor=None, benchmark=desk.benchmark, user=ana, role=Role.REVIEWER)
    assert next_to_review(actor=ana, benchmark=desk.benchmark) is None
    assert Sample.objects.waiting_for(ana, "review").count() == 0
    assert Sample.objects.waiting_for(rui, "review").get() == flipped
    fresh = Sample.objects.select_related("benchmark", "image").get(pk=flipped.pk)
    with pytest.raises(NotAllowed) as refused:
        under_review(ana, fresh)
    assert refused.value.code == "variant"
    assert under_review(rui, fresh)[0].sample == flipped
    assert Sample.objects.waiting_for(ana, "annotate").get().key == "s-0000"


def test_an_overlap_leaves_variants_to_the_reviewers(desk, lea, ana, rui):
    set_queue(actor=lea, benchmark=desk.benchmark, order="sequential", overlap=2)
    [flipped] = made(lea, desk, "flip")
    assert next_to_annotate(actor=ana, benchmark=desk.benchmark).key == "s-0000"
    assert list(Sample.objects.waiting_for(rui, "review")) == [flipped]


def test_a_variant_is_never_a_gold_check(desk, lea, rui):
    made(lea, desk, "flip")
    next_to_review(actor=rui, benchmark=desk.benchmark)
    reviewed(rui, loaded("desk-flip-horizontal"), "accept")
    with pytest.raises(Conflict):
        add_checks(actor=lea, benchmark=desk.benchmark, keys=["desk-flip-horizontal"])
    assert draw_checks(actor=lea, benchmark=desk.benchmark, n=10) == 1
    assert GoldCheck.objects.get().sample == desk


def test_the_page_shows_before_and_after_and_makes_variants(desk, lea):
    page = signed_in(lea)
    found = page.get(f"{PAGE}?kind=rotate&dose=30").content.decode()
    assert found.count("<polygon") == 4
    assert "“left”" in found
    cut = page.get(f"{PAGE}?kind=crop&dose=20").content.decode()
    assert cut.count('class="variants__gold is-bad"') == 1
    answer = page.post(f"{PAGE}?kind=blur", {"first": "1", "last": "12", "count": "12"})
    assert answer.status_code == 302
    job = Job.objects.get(kind="annotation.variants")
    run_recipes(actor=lea, **job.payload, report=lambda *_: None)
    assert page.get(PAGE).content.decode().count("/samples/desk-blur-") == 12


def test_the_page_needs_as_many_queries_for_many_variants(desk, lea):
    page = signed_in(lea)
    made(lea, desk, "blur", 1)
    with CaptureQueriesContext(connection) as few:
        page.get(PAGE)
    made(lea, desk, "blur", *range(2, 10))
    with CaptureQueriesContext(connection) as many:
        page.get(PAGE)
    assert len(few) == len(many)


@pytest.mark.parametrize("posted", [{"first": "0", "last": "12", "count": "3"}, {"first": "1"}, {"count": "900"}])
def test_a_dose_that_is_not_possible_is_refused_at_its_field(desk, lea, posted):
    answer = signed_in(lea).post(f"{PAGE}?kind=blur", posted)
    assert answer.status_code == 400
    assert not Job.objects.filter(kind="annotation.variants").exists()


@pytest.mark.parametrize("query", ["kind=blur&dose=x", "kind=blur&dose=-1", "kind=noise&dose=3&seed=-2"])
def test_a_recipe_in_an_address_that_is_not_possible_is_a_bad_request(desk, lea, query):
    assert signed_in(lea).get(f"{PAGE}?{query}").status_code == 400


def test_a_facet_of_a_closed_schema_does_not_stop_a_variant(desk, lea):
    assert FacetValue.objects.filter(sample=desk, name="variant").count() == 0
    [one] = made(lea, desk, "jpeg", 5)
    assert ImageVariant.objects.get().sample == one


def test_variants_are_made_and_listed_over_the_api(desk, lea):
    _, secret = create_token(actor=lea, name="script", scopes=[Scope.IMPORT])
    program = Client(headers={"authorization": f"Bearer {secret}"})
    sent = {"kind": "crop", "doses": [5, 40]}
    told = program.post(API, sent, content_type="application/json")
    assert told.status_code == 202
    assert (told.json()["accepted"], [one["dose"] for one in told.json()["rejected"]]) == (1, [40])
    assert program.get(f"/api/v1/jobs/{told.json()['job']}/").status_code == 200
    run_recipes(actor=lea, **Job.objects.get(pk=told.json()["job"]).payload, report=lambda *_: None)
    [row] = program.get(API).json()["variants"]
    assert (row["id"], row["recipe"], row["state"]) == ("desk-crop-5", {"kind": "crop", "dose": 5}, "in_review")
    assert program.post(API, {"kind": "crop", "doses": [99]}, content_type="application/json").status_code == 400


def test_a_variant_is_in_the_cluster_of_its_parent(desk, lea, rui):
    """Accuracy by dose has intervals that resample parents with all their variants."""
    for row in made(lea, desk, "blur", 2, 6):
        assert next_to_review(actor=rui, benchmark=desk.benchmark) == row
        reviewed(rui, loaded(row.key), "accept")
    records = [SampleRecord("other", replace(CONTENT, gold_boxes=()), None)]
    save_samples(actor=None, benchmark=desk.benchmark, records=records)
    columns = load_samples(desk.benchmark).columns
    clusters = dict(zip(columns.keys, columns.cluster.tolist(), strict=True))
    assert clusters["desk"] == clusters["desk-blur-2"] == clusters["desk-blur-6"] != clusters["other"]
    compared = compared_samples(desk.benchmark)
    assert len(set(compared.cluster.tolist())) == 2
    assert set(desk.benchmark.samples.on_one_picture_with(loaded("desk-blur-2")).values_list("key", flat=True)) == {
        "desk", "desk-blur-6",
    }  # fmt: skip


def test_a_variant_goes_into_a_portable_file_with_the_image_it_was_made_of(desk, lea):
    Sample.objects.get(key="s-0000").delete()
    made(lea, desk, "flip")
    out = io.BytesIO()
    export_project(actor=lea, benchmark=desk.benchmark, out=out, named=False)
    with zipfile.ZipFile(out) as archive:
        rows = archive.read("tables/imagevariant.jsonl").decode().splitlines()
    assert len(rows) == 1
    assert '"source_key":"desk"' in rows[0].replace(" ", "")


def test_a_visitor_signs_in_first(desk):
    assert Client().get(PAGE).url.startswith("/sign-in/")


@pytest.mark.parametrize(("kind", "dose"), [("rotate", 30), ("perspective", 10)])
def test_a_tilted_box_is_a_polygon_within_a_pixel_of_the_warped_mask_where_the_task_allows_it(desk, lea, kind, dose):
    content = {"evidence": {"shapes": ["box", "polygon"]}}
    BenchmarkSchema.objects.create(
        benchmark=desk.benchmark, number=1, state="active", activated_at=timezone.now(), content=content
    )
    desk.benchmark = Benchmark.objects.get(pk=desk.benchmark_id)
    [tilted] = made(lea, desk, kind, dose)
    shapes = Revision.objects.get(annotation__sample=tilted).evidence
    assert [[list(point) for point in one.points] for one in shapes] == tilted.variant.polygons
    recipe = recipes_of(kind, [dose])[0]
    source = Gold.objects.get(sample=desk).revision.evidence
    for box, shape in zip(source, shapes, strict=True):
        mask = np.zeros((desk.height, desk.width, 3), np.uint8)
        mask[int(box.y1) : int(box.y2), int(box.x1) : int(box.x2)] = 255
        around = apply(recipe, np.zeros_like(mask)).astype(int)
        warped = (apply(recipe, mask) - around)[:, :, 0] > 127
        ys, xs = np.mgrid[: warped.shape[0], : warped.shape[1]]
        area = shapely.Polygon(shape.points)
        inside = shapely.contains_xy(area, xs + 0.5, ys + 0.5)
        edge = shapely.distance(area.exterior, shapely.points(xs + 0.5, ys + 0.5)) <= 1
        assert np.array_equal(warped | edge, inside | edge)

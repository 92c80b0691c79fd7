"""A benchmark with rows in many tables, its portable files, and files that someone changed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image as Picture

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.chains.read import digest_of
from annotation.content.comments import add_comment
from annotation.content.freeze import freeze_version
from annotation.content.json import calls_to_json
from annotation.guidelines.write import publish
from annotation.images.store import store_picture
from annotation.models import AcceptedChain, Annotation, Benchmark, Sample, Version
from annotation.portable.read.project import export_project
from annotation.project_file import Reader, Writer
from annotation.quality.write.checks import draw_checks
from annotation.queue.settings import set_queue
from annotation.review.write.adjudication import Verdict, adjudicate
from annotation.schema import ToolCall
from annotation.studio.write.draft import save_draft as save_work
from annotation.studio.write.submit import submit
from annotation.task.write import activate, save_draft
from annotation.tools.write import accept_tool
from annotation.work.write.discard import discard_samples
from annotation.work.write.replacement import replace_image
from annotation.work.write.returns import return_samples
from annotation.workflow import Role
from evaluation.exports.write import import_project
from tests.annotation.work_data import assigned, content, next_review, reviewed, submitted
from tests.factories import make_user
from webapp.accounts.anonymize import anonymize_person
from webapp.accounts.models import User


def png(shade: int, width: int = 100, height: int = 80) -> bytes:
    out = io.BytesIO()
    Picture.fromarray(np.full((height, width, 3), shade, np.uint8)).save(out, "PNG")
    return out.getvalue()


KEYS = tuple(f"mug-{number}" for number in range(7))


def make_kitchen(ana: User, rui: User, lea: User, keys: Sequence[str] = KEYS) -> Benchmark:
    """Seven samples: two accepted, one returned with a comment and submitted again, four to do; a version, guidelines,
    a schema, gold checks."""
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Küche", licence="CC BY")
    for user, role in ((ana, Role.ANNOTATOR), (rui, Role.REVIEWER)):
        add_member(actor=lea, benchmark=benchmark, user=user, role=role)
    for number, key in enumerate(keys):
        image = store_picture(actor=lea, benchmark=benchmark, source=png(40 + number))
        Sample.objects.create(benchmark=benchmark, key=key, image=image, width=100, height=80)
    fits = {"gold_boxes": [{"box": [10, 10, 30, 25], "label": "Henkel ☕"}]}
    for _ in range(2):
        submitted(ana, benchmark, **fits)
        reviewed(rui, next_review(rui, benchmark), "accept")
    freeze_version(actor=lea, benchmark=benchmark, note="First.")
    publish(actor=lea, benchmark=benchmark, body="# Question\n", must_read=False, based_on=0)
    returned = submitted(ana, benchmark, **fits)
    reviewed(rui, next_review(rui, benchmark), "return", reasons=["typo"], comment="Look.")
    annotation = Annotation.objects.get(sample=returned)
    add_comment(actor=ana, annotation=annotation, text="Where?")
    submitted(ana, benchmark, reference_toolchain=[{"tool": "colorspace_gray", "arguments": {}}], **fits)
    draft = save_draft(actor=lea, benchmark=benchmark, content={"question": {"most_words": 40}})
    activate(actor=lea, benchmark=benchmark, version=draft.version)
    draw_checks(actor=lea, benchmark=benchmark, n=1)
    return Benchmark.objects.get(pk=benchmark.pk)


def add_planned(kitchen: Benchmark, ana: User, rui: User, lea: User) -> Benchmark:
    """The kitchen with a second version: a plan whose tools are in the bank, a further toolchain, facets, and an image
    that replaced another."""
    fits = {"gold_boxes": [{"box": [10, 10, 30, 25], "label": "Henkel ☕"}]}
    plan = {"targets": [{"tool": "tape measure", "step": 1}], "distractors": ["saw"], "ordered": True}
    sample = submitted(ana, kitchen, **plan, facets={"category": ["Colour", "größe"]}, **fits)
    while sample.state != "accepted":
        reviewed(rui, next_review(rui, kitchen), "accept")
        sample.refresh_from_db()
    accept_tool(actor=lea, tool=kitchen.tools.get(name="tape measure"), name="tape measure", segment="27", aliases=[])
    calls = [ToolCall("colorspace_gray", {})]
    chain = {"calls": calls_to_json(calls), "digest": digest_of(calls), "note": "shorter"}
    AcceptedChain.objects.create(sample=sample, accepted_by=rui, **chain)
    image = store_picture(actor=lea, benchmark=kitchen, source=png(200))
    kept = kitchen.samples.exclude(gold=None).filter(gold_check=None).first()
    replace_image(actor=lea, sample=kept, image=image, scale=False, comment="", key="one")
    freeze_version(actor=lea, benchmark=kitchen)
    return Benchmark.objects.get(pk=kitchen.pk)


def add_states(kitchen: Benchmark, ana: User, rui: User, lea: User) -> Benchmark:
    """The kitchen with a third version and samples of every state: one disputed, one adjudicated, a draft, one
    discarded. Bo, who annotated some, is anonymized."""
    bo = make_user("Bo Ek")
    add_member(actor=lea, benchmark=kitchen, user=bo, role=Role.ANNOTATOR)
    for number in range(6):
        image = store_picture(actor=lea, benchmark=kitchen, source=png(100 + number))
        Sample.objects.create(benchmark=kitchen, key=f"ß-{number}", image=image, width=100, height=80, priority=5)
    set_queue(actor=lea, benchmark=kitchen, order="sequential", overlap=2)
    fits = {"gold_boxes": [{"box": [10, 10, 30, 25], "label": "Henkel ☕"}]}
    for key, theirs in (("ß-0", "A"), ("ß-1", "A"), ("ß-4", "B"), ("ß-5", "B")):
        for person, answer in ((ana, "B"), (bo, theirs)):
            assigned(lea, kitchen, person, key)
            sample = kitchen.samples.select_related("benchmark", "image").get(key=key)
            submit(actor=person, sample=sample, version=0, content=content(answer=[answer], **fits))
    adjudicate(actor=rui, sample=kitchen.samples.get(key="ß-0"), verdict=Verdict("accept", content(**fits)))
    assigned(lea, kitchen, bo, "ß-2")
    draft = content(question="Unfertig?", **fits)
    save_work(actor=bo, sample=kitchen.samples.get(key="ß-2"), version=0, content=draft)
    back = kitchen.samples.filter(key="ß-5")
    return_samples(actor=lea, benchmark=kitchen, samples=back, reasons=["typo"], comment="Größer.", key="three")
    rest = kitchen.samples.filter(key="ß-3")
    discard_samples(actor=lea, benchmark=kitchen, samples=rest, reasons=["typo"], comment="Ünlesbar.", key="two")
    freeze_version(actor=lea, benchmark=kitchen, note="Dritte.")
    anonymize_person(actor=lea, user=bo)
    return Benchmark.objects.get(pk=kitchen.pk)


def exported(benchmark: Benchmark, path: Path, *, named: bool = True, version: Version | None = None) -> Path:
    with path.open("wb") as out:
        export_project(actor=None, benchmark=benchmark, out=out, named=named, version=version)
    return path


def taken_elsewhere(benchmark: Benchmark, lead: User, slug: str, *, named: bool = True) -> Benchmark:
    """The benchmark as another team has it that made it from its file."""
    with TemporaryDirectory() as folder:
        file = exported(benchmark, Path(folder) / "file", named=named)
        return import_project(actor=lead, path=file, slug=slug, lead=lead)


def damaged(file: Path, name: str, change: Any) -> Path:
    """The file with one member changed; its manifest is not."""
    out = file.with_suffix(".damaged")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.namelist():
            data = old.read(member)
            if member == name:
                data = change(data)
            if data is not None:
                new.writestr(member, data)
    return out


def forged(file: Path, name: str, change: Any) -> Path:
    """The file with one table changed, and a manifest that agrees."""
    out = file.with_suffix(".forged")
    with Reader(file) as old, out.open("wb") as stream:
        new = Writer(stream)
        for table in old.tables:
            rows = list(old.rows(table))
            new.table(table, change(rows) if table == name else rows)
        for sha, member in old.images.items():
            new.image(member.removeprefix("images/"), io.BytesIO(b"".join(old.pieces(member))))
            assert sha in member
        new.close(old.manifest.about)
    return out

"""Guidelines for readers: Markdown with images and examples of the benchmark, and what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from annotation.common.access import known_to
from annotation.content.revisions import content_of
from annotation.guideline_text import Change, Example, Heading, Outline, changed_lines, outline, render, uploads_in
from annotation.guidelines.read import uploaded_by_name, uploaded_images
from annotation.imaging.evidence import moved_into, wide_area
from annotation.models import Benchmark, Gold, Guideline, GuidelineImage, Image, Revision, Sample
from annotation.schema import SampleContent
from annotation.workflow import SampleState

if TYPE_CHECKING:
    from annotation.models.querysets.samples import Person

SIDE = 480
SIDE_OF_UPLOAD, SIDE_IN_CHANGES = 960, 240
"""The longer side in pixels of an uploaded image in a text, and next to a changed line."""


@dataclass(frozen=True, slots=True)
class Text:
    """``html`` is safe: HTML of the text is escaped, images and examples come from templates."""

    html: SafeString
    headings: tuple[Heading, ...]


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """``sign``: "+", "−", or a space. ``kind``: a value of ``Change``, or "gap" where same lines are left out.
    ``images``: the uploaded images that the line shows."""

    kind: str
    sign: str
    words: str
    images: tuple[Upload, ...] = ()


@dataclass(frozen=True, slots=True)
class Upload:
    """An uploaded image on a page. ``address``: "" while it can't be shown, for the reason ``problem``. ``waits``: it
    is being prepared. Width and height are those shown."""

    reference: str
    address: str = ""
    width: int = 0
    height: int = 0
    problem: str = ""
    waits: bool = False


SIGNS = {Change.SAME: " ", Change.ADDED: "+", Change.REMOVED: "−"}
CONTEXT = 3
"""Same lines shown around each change."""


def text_for(person: Person, benchmark: Benchmark, body: str) -> Text:
    """The text as this person sees it: where its examples would show them gold they may not see, only the words are
    left. Four queries at most."""
    found = outline(body)
    gold = _gold(benchmark, found) if known_to(person, benchmark).examples else {}
    keys = {*found.images, *(example.sample for example in found.examples)}
    loaded = Sample.objects.filter(benchmark=benchmark, key__in=keys).select_related("image") if keys else ()
    samples = {sample.key: sample for sample in loaded}
    uploads = uploaded_by_name(benchmark) if found.uploads else {}

    def uploaded(name: str, words: str) -> str:
        context = {"upload": upload_of(benchmark, name, uploads.get(name), SIDE_OF_UPLOAD), "words": words}
        return render_to_string("annotation/guidelines/_upload.html", context)

    def figure(key: str, words: str) -> str:
        context = {"benchmark": benchmark, "image": _ready(samples.get(key)), "words": words, "key": key}
        return render_to_string("annotation/guidelines/_image.html", context)

    def head(example: Example) -> str:
        content = gold.get(example.sample)
        sample = samples.get(example.sample)
        context = {"example": example, "content": content, "sample": sample}
        context |= _picture(benchmark, sample, content) if content and sample else {}
        return render_to_string("annotation/guidelines/_example.html", context)

    # The parser escapes HTML, and both callbacks render templates.
    return Text(mark_safe(render(body, figure=figure, uploaded=uploaded, example=head)), found.headings)


def _gold(benchmark: Benchmark, found: Outline) -> dict[str, SampleContent]:
    keys = {example.sample for example in found.examples}
    if not keys:
        return {}
    rows = Gold.objects.filter(
        sample__benchmark=benchmark, sample__key__in=keys, sample__state=SampleState.ACCEPTED
    ).values_list("sample__key", "revision")
    numbers = dict(rows)
    revisions = Revision.objects.with_content().in_bulk(list(numbers.values()))
    return {key: content_of(revisions[number]) for key, number in numbers.items()}


def _ready(sample: Sample | None) -> Image | None:
    image = sample.image if sample else None
    return image if image is not None and image.state == Image.State.READY else None


def _picture(benchmark: Benchmark, sample: Sample, content: SampleContent) -> dict[str, object]:
    image = _ready(sample)
    if image is None:
        return {}
    area = wide_area(image.width, image.height, content.gold_boxes)
    corners = ",".join(str(round(value)) for value in area.as_list())
    return {
        "picture": reverse("annotation:region", args=[benchmark.slug, image.sha256, corners, SIDE]),
        "width": area.width,
        "height": area.height,
        "boxes": [moved_into(area, box) for box in content.gold_boxes],
    }


def upload_of(benchmark: Benchmark, name: str, row: GuidelineImage | None, side: int) -> Upload:
    """An uploaded image with its longer side at most ``side`` pixels. ``row`` None: it is missing."""
    reference = f"image:{name}"
    if row is None:
        return Upload(reference, problem=gettext("The image %(name)s is missing.") % {"name": reference})
    image = row.image
    if image.state != Image.State.READY:
        waits = image.state == Image.State.WAITING
        preparing = gettext("The image %(name)s is being prepared.") % {"name": reference}
        return Upload(reference, problem=preparing if waits else image.problem, waits=waits)
    scale = min(1, side / max(image.width, image.height))
    whole = f"0,0,{image.width},{image.height}"
    return Upload(
        reference,
        address=reverse("annotation:region", args=[benchmark.slug, image.sha256, whole, side]),
        width=max(1, round(image.width * scale)),
        height=max(1, round(image.height * scale)),
    )


@dataclass(frozen=True, slots=True)
class UploadRow:
    """A row of the list of uploaded images. ``versions``: the numbers of those that show it, the newest first."""

    name: str
    upload: Upload
    versions: tuple[int, ...]


def upload_rows(benchmark: Benchmark) -> list[UploadRow]:
    """Two queries."""
    return [
        UploadRow(one.row.name, upload_of(benchmark, one.row.name, one.row, SIDE_IN_CHANGES), one.versions)
        for one in uploaded_images(benchmark)
    ]


def changes(benchmark: Benchmark, before: Guideline | None, after: Guideline) -> list[ChangedLine]:
    """The lines that changed with those around them. At most one query."""
    shown = uploads_in([before.body if before else "", after.body])
    uploads = uploaded_by_name(benchmark) if shown else {}
    lines = list(changed_lines(before.body if before else "", after.body))
    near = {
        place + step
        for place, (change, _) in enumerate(lines)
        if change is not Change.SAME
        for step in range(-CONTEXT, CONTEXT + 1)
    }
    rows: list[ChangedLine] = []
    for place, (change, words) in enumerate(lines):
        if place in near:
            images = tuple(
                upload_of(benchmark, name, uploads.get(name), SIDE_IN_CHANGES)
                for name in (outline(words).uploads if shown else ())
            )
            rows.append(ChangedLine(change.value, SIGNS[change], words, images))
        elif not rows or rows[-1].kind != "gap":
            rows.append(ChangedLine("gap", "…", ""))
    return rows

"""Asking another question about an image: a separate sample, reserved for its author."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.utils.translation import gettext

from annotation.common.access import known_to, require
from annotation.common.idempotency import answer_once
from annotation.content.changes import content_changed
from annotation.content.guidelines import require_read
from annotation.content.json import blank_content
from annotation.content.questions import add_question, first_of, hidden_key, next_key
from annotation.models import Assignment, Benchmark, Sample
from annotation.queue.editor import shown_boxes
from annotation.queue.handed import require_handed
from annotation.queue.image_questions import questions_on_image
from annotation.queue.leases import queue_of, take_to_annotate
from annotation.queue.pauses import require_not_paused
from annotation.queue.qualification import is_qualified
from annotation.studio.write.draft import save_draft
from annotation.task_schema import QuestionAuthor
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict


def ask_another(*, actor: User, sample: Sample, copy: bool = False, key: str = "") -> Sample:
    """Make a sample with the same image, assigned to ``actor`` and reserved for them; twice with one ``key`` is once.

    ``copy``: their draft of it begins with the boxes and facets that they see on ``sample``, and each box names that
    sample as its source. Nothing of this depends on whether ``sample`` is a gold check, so that an annotator cannot
    find out. Raises ``NotAllowed``, ``GuidelinesUnread``, and ``Conflict`` with the code ``paused``, ``not_qualified``,
    ``no_image`` or ``too_many_questions``."""
    benchmark = sample.benchmark
    require(actor, benchmark, Right.ANNOTATE)
    require_handed(actor, sample)
    require_read(actor, benchmark)

    def work() -> dict[str, Any]:
        # One at a time, so that no two choose the same ID and none is beyond the limit.
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        _require_room(actor, sample)
        made = _make(actor, sample)
        if copy:
            _copy(actor, sample, made)
        return {"sample": made.pk}

    receipt = answer_once(actor, key or uuid4().hex, f"ask:{sample.pk}", work)
    return Sample.objects.select_related("benchmark", "image", "asked_from").get(pk=receipt.answer["sample"])


def _require_room(actor: User, sample: Sample) -> None:
    require_not_paused(actor, sample.benchmark)
    if sample.benchmark.task.question.who is QuestionAuthor.IMPORT:
        message = gettext("Questions of %(title)s come from imported files, so you can't write another one.")
        raise Conflict(message % {"title": sample.benchmark.title}, code="questions_imported")
    if not is_qualified(actor, sample.benchmark):
        message = gettext("Pass the qualification test of %(title)s first.") % {"title": sample.benchmark.title}
        raise Conflict(message, code="not_qualified")
    if sample.image_id is None:
        message = gettext("%(key)s has no image to ask about. Choose another sample.") % {"key": sample.key}
        raise Conflict(message, code="no_image")
    asked = questions_on_image(actor, sample)
    if asked.is_full:
        message = gettext(
            "The image of %(key)s has %(count)s questions (limit: %(most)s). Continue with another image."
        )
        found = {"key": sample.key, "count": asked.count, "most": asked.most}
        raise Conflict(message % found, code="too_many_questions")


def _make(actor: User, sample: Sample) -> Sample:
    first, benchmark = first_of(sample), sample.benchmark
    hidden = known_to(actor, benchmark).handed_checks
    made = add_question(first, hidden_key(first, actor) if hidden else next_key(first))
    Assignment.objects.create(sample=made, user=actor)
    take_to_annotate(actor, made.pk, queue_of(benchmark))
    audit.record(actor, "sample.ask", made, benchmark.slug, data={"from": sample.key})
    content_changed(benchmark.pk)
    made.benchmark = benchmark
    return made


def _copy(actor: User, sample: Sample, made: Sample) -> None:
    """Begin the author's draft with the content that they see on the sample they ask from."""
    shown = shown_boxes(actor, sample)
    if not shown:
        return
    boxes = [box | {"source": sample.key} for box in shown.get("gold_boxes", ())]
    begin = blank_content(sample.benchmark.task, shown.get("facets", {}))
    save_draft(actor=actor, sample=made, version=0, content=begin | {"gold_boxes": boxes})

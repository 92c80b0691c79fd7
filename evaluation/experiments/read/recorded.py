"""Trajectories as arms repeat them: the messages that were sent, or messages made again from an imported record."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from annotation.content.records import record_of
from annotation.images.chain_runs import original_of
from annotation.imaging.crops import Picture, crop
from annotation.imaging.model_view import model_view
from annotation.importers.fields import Number4
from annotation.marking import gettext_noop
from annotation.models import Sample
from annotation.regions import polygons_in
from annotation.schema import ORIGINAL, Box
from evaluation.common.trajectory.read import Corners, read_crops
from evaluation.endpoints.replies import ErrorInBody, Unreadable, read_answer
from evaluation.experiments.read.tasks import task_of
from evaluation.importers.dialogue import answer_in
from evaluation.metrics.answers import digest
from evaluation.models import Attempt, Exchange, Run, SentImage, Step, Trajectory
from evaluation.runner.arms.catalogue import CannotApply
from evaluation.runner.arms.text import MARKER
from evaluation.runner.arms.view import Recorded, ShownImage
from evaluation.runner.dialects.zoom import spoken
from evaluation.runner.images import ImagePolicy, sent_original, sent_picture
from evaluation.runner.images import SentImage as Sent
from evaluation.runner.recipe import ToolImages
from evaluation.runner.replies import reply_of
from evaluation.runner.templates import load_prompt
from evaluation.runner.toolsets import ToolResult
from evaluation.runner.transcript import Transcript
from evaluation.scoring.load.images import is_on_present_image
from webapp.common import objects

REBUILT = "fit:1568"
"""The image policy of messages that are reconstructed."""
_THOUGHTS = re.compile(r"<think>(.*?)(?:</think>|\Z)", re.DOTALL)


def load_repeated(run: Run, samples: Sequence[int]) -> dict[int, Trajectory]:
    """The trajectories of a run that arms repeat, by sample: the lowest rollout without an intervention."""
    rows = Trajectory.objects.filter(run=run, sample__in=samples, condition="none").order_by("-rollout")
    rows = rows.select_related("sample__image", "sample__gold__revision").prefetch_related(
        "steps", "sample__facets", "sample__gold__revision__gold_boxes", "sample__gold__revision__gold_shapes",
        "sample__gold__revision__reference_calls",
        "sample__gold__revision__plan_tools",
    )  # fmt: skip
    return {row.sample_id: row for row in rows}


def recorded_of(
    row: Trajectory, foreign: Trajectory | None = None, written: Mapping[str, Any] | None = None
) -> Recorded:
    """A trajectory of ``load_repeated`` as arms repeat it. ``foreign``: one of another image, whose last crop is shown
    instead; ``written``: what judges wrote. Raises ``CannotApply`` for one that has no answer or no image, or that was
    recorded on an image that was replaced: its messages show another image than the arms would change."""
    sample = row.sample
    if row.error or not (row.answer or "").strip() or sample.image is None:
        raise CannotApply(gettext_noop("The trajectory has no answer or no image."))
    if not is_on_present_image(row):
        words = gettext_noop("The image was replaced after the trajectory was recorded. Run the model again.")
        raise CannotApply(words)
    content = record_of(sample).content
    crops = dict(read_crops([row], sample).get(row.pk, ()))
    shared = {
        "sample": sample.key,
        "answer": answer_in(spoken(row.answer or "")) or spoken(row.answer or "").strip(),
        "size": (sample.image.width, sample.image.height),
        "picture": partial(original_of, sample),
        "gold": [(box.x1, box.y1, box.x2, box.y2) for box in content.gold_boxes],
        "polygons": polygons_in(content.gold_boxes),
        "question": content.question,
        "options": dict(content.options),
        "foreign": _last_crop(foreign) if foreign is not None else None,
        "written": dict(written or {}),
    }
    asked = _last_exchange(row)
    return _made_here(row, asked, crops, shared) if asked is not None else _rebuilt(row, crops, shared)


def _last_exchange(row: Trajectory) -> Exchange | None:
    """The last answered request of the attempt that made a trajectory, None for an imported one."""
    attempt = Attempt.objects.filter(trajectory=row, arm="", state=Attempt.State.DONE, result__isnull=True).first()
    if attempt is None:
        return None
    kept = Exchange.objects.filter(attempt=attempt.reused_from_id or attempt.pk, state=Exchange.State.ANSWERED)
    return kept.select_related("attempt").order_by("-n").first()


def _made_here(row: Trajectory, asked: Exchange, crops: Mapping[int, Corners], shared: dict[str, Any]) -> Recorded:
    """With the messages as they were sent, and the last response up to the answer."""
    body = json.loads(bytes(asked.request))
    try:
        answer = read_answer(bytes(asked.response or b""))
    except (Unreadable, ErrorInBody) as error:
        raise CannotApply(gettext_noop("The stored response can't be read.")) from error
    said = reply_of(answer.message, 0).text
    images = {image.sha256: image for image in SentImage.objects.filter(experiment=asked.attempt.experiment_id)}
    sent = {one["image"]: one["sha256"] for one in (row.extra.get("sent") or {}).get("images") or ()}
    boxes: dict[str, Number4 | None] = {}
    for step in row.steps.all():
        sha256 = sent.get(step.image_out or "")
        if sha256 and step.ok:
            boxes[sha256] = crops.get(step.position + 1)
    original = sent.get(ORIGINAL, "")
    named = [url for url in _urls(body["messages"]) if url in images]
    shown = {
        sha256: ShownImage(sha256, partial(objects.read, images[sha256].name), boxes.get(sha256)) for sha256 in named
    }
    return Recorded(
        content=digest(f"{asked.request_digest} {answer.text}"), messages=tuple(body["messages"]), final=_opened(said),
        original=original, crops=[one for one in named if one != original], images=shown, **shared,
    )  # fmt: skip


def _rebuilt(row: Trajectory, crops: Mapping[int, Corners], shared: dict[str, Any]) -> Recorded:
    """With messages made again: the prompts of Sightline, each call as a native one, and the crop that it made."""
    sample = row.sample
    task = task_of(sample)
    original = sent_original(task.image, ImagePolicy(REBUILT))
    transcript = Transcript()
    transcript.say("system", load_prompt("weak").text)
    transcript.say("user", load_prompt("user").rendered(task.values() | {"image": ORIGINAL}), [("", original)])
    shown = {original.sha256: _shown(original)}
    named: list[str] = []
    for step in row.steps.all():
        result = ToolResult(step.observation or ("Done." if step.ok else "Error."))
        box = crops.get(step.position + 1)
        if box is not None:
            made = sent_picture(_cut(sample, box), ImagePolicy(REBUILT))
            shown[made.sha256] = _shown(made, box)
            named.append(made.sha256)
            result = ToolResult(step.observation or "Done.", made, f"image_{step.position + 1}")
        call = f"call_{step.position + 1}"
        transcript.messages.append(
            {"role": "assistant", "content": step.text or None, "tool_calls": [_called(step, box, call)]}
        )
        transcript.give([call], [result], ToolImages.AFTER)
    return Recorded(
        content=digest(f"{row.digest} {row.answer}"), messages=tuple(transcript.messages),
        final=_opened(row.answer or "", tagged=False), original=original.sha256, crops=named, images=shown,
        rebuilt=True, **shared,
    )  # fmt: skip


def _shown(image: Sent, box: Number4 | None = None) -> ShownImage:
    return ShownImage(image.sha256, lambda: image.data, box)


def _called(step: Step, box: Corners | None, name: str) -> dict[str, Any]:
    """A recorded call as a native one: a crop with its place in the original, another call with its arguments."""
    tool, arguments = step.tool, dict(step.arguments)
    if box is not None:
        x1, y1, x2, y2 = (round(edge, 1) for edge in box)
        tool = "zoom_in"
        arguments = {"image": ORIGINAL, "x": x1, "y": y1, "width": round(x2 - x1, 1), "height": round(y2 - y1, 1)}
    written = json.dumps(arguments, ensure_ascii=False)
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": written}}


def _opened(said: str, *, tagged: bool = True) -> str:
    """A response up to the answer, its opening tag included. One of a file that has no tag gets it behind its thoughts;
    of one made here nothing is added."""
    place = said.rfind(MARKER)
    if place >= 0:
        return said[: place + len(MARKER)]
    if tagged:
        return said
    thoughts = "\n".join(part.strip() for part in _THOUGHTS.findall(said))
    return (f"<think>{thoughts}</think>\n" if thoughts else "") + MARKER


def _last_crop(row: Trajectory) -> ShownImage | None:
    if not is_on_present_image(row):
        return None
    crops = read_crops([row], row.sample).get(row.pk, ())
    if not crops or row.sample.image is None:
        return None
    box = crops[-1][1]
    name = digest(f"{row.sample.image.sha256} {box}")
    return ShownImage(name, lambda: model_view(_cut(row.sample, box)).data)


def _cut(sample: Sample, box: Corners) -> Picture:
    return crop(original_of(sample), Box(*box))


def _urls(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """The images of messages by SHA-256, each once, in order."""
    found: dict[str, None] = {}
    for message in messages:
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if part.get("type") == "image_url":
                found[part["image_url"]["url"].removeprefix("sha256:")] = None
    return list(found)

"""Sessions of external agents that work on a sample over the API. A session is the list of its calls, sent completely
each time: the server stores nothing, and caches results by content.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import ShownImageField, benchmark_for
from annotation.images.chain_runs import RunDeferred
from annotation.imaging.model_view import ModelView
from annotation.toolbox.vtc import Profile
from annotation.workflow import Right
from evaluation.agents.tool_session import MOST_CALLS, ToolResult, ToolSession
from evaluation.agents.transcripts import MOST_MESSAGES, TranscriptProblem, transcript_of
from evaluation.imports.read.sessions import policy, view_of, view_of_original
from evaluation.imports.write.sessions import open_session, record_session
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import NumberField, TextField, WholeNumberField, WordField
from webapp.common.api_forms import Form, read_form

MOST_SECONDS = 30
"""The maximum time for the calls of one request. Completed ones are cached when the request is repeated."""


class SessionCallSerializer(Form):
    tool = TextField(max_length=200)
    arguments = serializers.DictField(
        required=False,
        help_text="As in the tool's definition, with its input images: original, or image_N of call N.",
    )


class UsageSerializer(Form):
    input_tokens = WholeNumberField(required=False, min_value=0, max_value=2**63 - 1)
    output_tokens = WholeNumberField(required=False, min_value=0, max_value=2**63 - 1)
    usd = NumberField(required=False, min_value=0)


class SessionSerializer(Form):
    calls = serializers.ListField(child=SessionCallSerializer(), max_length=MOST_CALLS)
    profile = WordField(
        choices=[one.value for one in Profile],
        required=False,
        default=Profile.STRICT.value,
        help_text="vtc: calls use the published interface of VTC-Bench. Send it with each request.",
    )
    image_sha256 = ShownImageField()


@extend_schema_field(
    {"type": "object", "properties": {"role": {"type": "string"}}, "required": ["role"], "additionalProperties": {}}
)
class MessageField(serializers.DictField):
    """One message of a chat completion, with any fields of its API."""

    default_error_messages: ClassVar[dict[str, Any]] = {"role": "A message is an object with a role."}

    def to_internal_value(self, data: Any) -> Any:
        message = super().to_internal_value(data)
        if not isinstance(message.get("role"), str):
            self.fail("role")
        return message


class AnswerSerializer(SessionSerializer):
    answer = TextField(allow_blank=True, trimmed=False)
    model = TextField(max_length=200)
    setting = TextField(required=False, default="interface", allow_blank=True, max_length=200)
    seconds = NumberField(required=False, min_value=0, help_text="Totals of the session.")
    usage = UsageSerializer(required=False, help_text="Totals counted by the model's API.")
    messages = serializers.ListField(
        child=MessageField(),
        required=False,
        max_length=MOST_MESSAGES,
        help_text=(
            "The transcript as chat completions write it. The text before each call is shown with that turn, all "
            "messages on the page of the trajectory. Bytes of images are not kept."
        ),
    )


@needs(Scope.IMPORT)
@extend_schema(operation_id="session", request=SessionSerializer, responses={200: dict})
@api_view(["POST"])
def session(request: Request, slug: str, key: str) -> Response:
    """Return the result of the last call: text, image and its id; without calls, the question and its image.
    ``image_sha256`` is that of the image of the sample: send it with the next requests.

    ``image`` is base64 of ``media_type``: the stored file if it can be sent unchanged, else JPEG of quality 95 with
    full color resolution, or PNG for masks. Results have their full size.

    A rejected call has a reason and is part of the session. 409 with the code busy: ask again in a second.
    """
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    given = read_form(SessionSerializer, request)
    profile = Profile(given["profile"])
    worked, asked, image = open_session(benchmark, key, shared=True, profile=profile, original=given["image_sha256"])
    last = _calls(worked, given["calls"])
    if last is None:
        shown = _shown(ToolResult("original", worked.original, ""), view_of_original(image, worked.original))
    else:
        shown = _shown(last, view_of(last.picture, last.key) if last.picture is not None else None)
    return Response({"sample": key, "image_sha256": image.sha256, **asked, "calls": len(worked.steps), **shown})


@needs(Scope.IMPORT)
@extend_schema(operation_id="session_answer", request=AnswerSerializer, responses={201: dict})
@api_view(["POST"])
def answer(request: Request, slug: str, key: str) -> Response:
    """Answer the question. The session becomes a trajectory of the model's run; a repeated answer replaces
    the first.
    """
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    given = read_form(AnswerSerializer, request)
    profile = Profile(given["profile"])
    worked, _, _ = open_session(benchmark, key, shared=True, profile=profile, original=given["image_sha256"])
    _calls(worked, given["calls"])
    try:
        written = transcript_of(given.get("messages", ()), len(worked.steps))
    except TranscriptProblem as problem:
        raise serializers.ValidationError({"messages": [str(problem)]}) from problem
    usage = dict(given.get("usage", {})) | ({"seconds": given["seconds"]} if "seconds" in given else {})
    row = worked.trajectory(
        given["answer"],
        given["model"],
        given["setting"],
        texts=written.texts,
        usage=usage,
        messages=written.kept,
        sent=policy(None),
    )
    run = record_session(
        actor=person_of(request), benchmark=benchmark, row=row, profile=profile, original=worked.digest
    )
    return Response({"run": run.pk, "sample": key, "calls": len(worked.steps)}, status=201)


def _calls(worked: ToolSession, calls: Sequence[dict[str, Any]]) -> ToolResult | None:
    last, begun = None, time.monotonic()
    for one in calls:
        if time.monotonic() - begun > MOST_SECONDS:
            raise RunDeferred(
                f"The calls took {MOST_SECONDS} s so far. Their results are kept. Send the request again.", code="busy"
            )
        last = worked.call(one["tool"], one.get("arguments", {}))
    return last


def _shown(called: ToolResult, view: ModelView | None) -> dict[str, Any]:
    told: dict[str, Any] = {"ok": called.ok, "text": called.text, "image_id": called.image_id}
    if view is not None:
        told |= {"width": view.width, "height": view.height, "media_type": view.media_type}
        told["image"] = base64.b64encode(view.data).decode()
    return told

"""The toolbox over the API: what there is, and one call on an image that is sent along."""

from __future__ import annotations

import base64
import json
from typing import Any

from django.http import Http404
from django.utils.translation import gettext_noop
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.access import has_role
from annotation.images.chain_runs import LIMITS, run_uploaded_call
from annotation.imaging.decoding import decode, inspect
from annotation.imaging.encoding import encode
from annotation.imaging.problems import PictureProblem
from annotation.schema import ToolCall
from annotation.toolbox.offer import OMITTABLE, offered_tools
from annotation.toolbox.runner import Unopened
from annotation.toolbox.table import TOOLS, ToolSpec
from annotation.toolbox.vtc import Profile, tools_of
from webapp.accounts.http import person_of
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope, needs
from webapp.common.api_forms import Form
from webapp.common.api_query import one_of
from webapp.common.bodies import ENVELOPE, Room, takes_files
from webapp.common.errors import InvalidInput, NotAllowed, TooLarge
from webapp.common.limits import AtOnce, Rate, asking

MOST_BYTES = 50_000_000
PROFILES = [profile.value for profile in Profile]
CALLS, RATE = AtOnce(2, gettext_noop("%(limit)s tool calls of yours are already running.")), Rate("toolbox")


class CallSerializer(Form):
    image = serializers.FileField(help_text="The image to work on: JPEG, PNG, WebP or TIFF.")
    template = serializers.FileField(required=False, help_text="The second image, for template_match.")
    arguments = serializers.DictField(required=False, help_text="The tool's parameters, as JSON.")


@extend_schema(
    operation_id="toolbox",
    parameters=[
        OpenApiParameter("profile", str, enum=PROFILES),
        OpenApiParameter("omit", str, enum=OMITTABLE, many=True, description="What the host of your model rejects."),
    ],
    responses={200: dict},
)
@api_view(["GET"])
def toolbox(request: Request) -> Response:
    """Every tool: its module, and its definition as chat-completions endpoints take it.

    With ``?profile=vtc`` the tools of the published interface of VTC-Bench, for sessions of that profile. ``omit``,
    once for each, omits keywords of the schemas that a host rejects, or ``emptyObjects``.
    """
    person_of(request)
    profile = Profile(one_of(request, "profile", PROFILES, Profile.STRICT))
    omit = request.query_params.getlist("omit")
    if unknown := [keyword for keyword in omit if keyword not in OMITTABLE]:
        raise InvalidInput(f"omit={unknown[0]} is unknown. Allowed: {', '.join(OMITTABLE)}.", field="omit")
    specs = tools_of(profile) or TOOLS
    tools = offered_tools(profile, omit)
    return Response({"tools": [{"module": specs[tool["function"]["name"]].module, **tool} for tool in tools]})


def _room(user: User, **_: object) -> Room | None:
    if not has_role(user):
        return None
    return Room(2 * MOST_BYTES + ENVELOPE, "Send smaller images.")


@takes_files(_room)
@needs(Scope.ANNOTATE)
@extend_schema(
    operation_id="tool_call",
    parameters=[OpenApiParameter("name", str, OpenApiParameter.PATH, enum=list(TOOLS))],
    request={"multipart/form-data": CallSerializer},
    responses={200: dict},
)
@api_view(["POST"])
@parser_classes([MultiPartParser])
def tool_call(request: Request, name: str) -> Response:
    """Run one tool on the image sent: its size, its measurements, the way back to the input, the image as PNG."""
    person = person_of(request)
    if not has_role(person):
        raise NotAllowed("Only members of a benchmark can run tools. Ask a lead for a role.")
    spec = TOOLS.get(name)
    if spec is None:
        raise Http404(f"Unknown tool {name}.")
    if unknown := sorted({*request.POST, *request.FILES} - CallSerializer().fields.keys()):
        raise InvalidInput(f"Unknown field. Fields: {', '.join(CallSerializer().fields)}.", field=unknown[0][:60])
    RATE.take(asking(request))
    with CALLS.one_of(person.pk):
        pictures = [_picture(request, part) for part in spec.pictures]
        others = dict(zip(spec.pictures[1:], pictures[1:], strict=True))
        call = ToolCall(name, _arguments(request), ("original", *others) if others else "original")
        try:
            result = run_uploaded_call(pictures[0], call, others)
        except PictureProblem as problem:
            raise InvalidInput(problem.message, field="image") from problem
        if result.error is not None:
            raise InvalidInput(result.error.message, field=result.error.parameter or None)
        return Response(_answer(spec, result.steps[0]))


def _answer(spec: ToolSpec, step: Any) -> dict[str, Any]:
    height, width = step.image.shape[:2]
    return {
        "tool": spec.name,
        "width": width,
        "height": height,
        "milliseconds": step.milliseconds,
        "measurements": step.measurements,
        "to_input": step.to_original.rows() if step.to_original else None,
        "image": base64.b64encode(encode(step.image)).decode(),
    }


def _picture(request: Request, part: str) -> Unopened:
    """The image as its header describes it. Its pixels are decoded in the lane of the call, after every check."""
    file = request.FILES.get(part)
    if file is None:
        raise InvalidInput(f"Send the image as the file {part!r} of a form (multipart/form-data).", field=part)
    if file.size is not None and file.size > MOST_BYTES:
        raise InvalidInput(f"{part} has {file.size:,} bytes; at most {MOST_BYTES:,} are taken.", field=part)
    data = file.read()
    try:
        found = inspect(data)
    except PictureProblem as problem:
        raise InvalidInput(problem.message, field=part) from problem
    if found.width * found.height > LIMITS.output_pixels:
        raise TooLarge(
            f"{part} has {found.width:,} × {found.height:,} pixels; at most {LIMITS.output_pixels:,} are taken. "
            "Scale it down or crop it first.",
            field=part,
        )
    return Unopened(found.width, found.height, lambda: decode(data))


def _arguments(request: Request) -> dict[str, Any]:
    try:
        given = json.loads(request.POST.get("arguments") or "{}")
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"arguments is not JSON: {error}.", field="arguments") from error
    if not isinstance(given, dict):
        raise InvalidInput("arguments must be a JSON object of the tool's parameters.", field="arguments")
    return given

"""The toolbox in native calls: dialect ``tools`` with the strict schemas, ``vtc`` with those of VTC-Bench.

``tools`` names images by id and has flat arguments. ``vtc`` has ``{"image": path, "param": {…}}`` and virtual paths.
Both count pixels of the image that a call works on, at full size.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.importers.fields import MAX_NAME
from annotation.toolbox.vtc import Profile
from evaluation.runner.dialects.zoom import MOST_CALLS, NativeCall, Response, UnreadableCall, arguments_in


@dataclass(frozen=True, slots=True)
class ToolboxCall:
    """A call of the toolbox: the name of the tool, and its arguments with its images, as written. ``repaired``: they
    are not JSON as written, but can be read."""

    tool: str
    arguments: Mapping[str, Any]
    repaired: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The dialect of a profile. ``parse(write(call)) == (call,)`` for each call. What a tool takes, the tool checks."""

    profile: Profile

    def parse(self, response: Response) -> tuple[ToolboxCall | UnreadableCall, ...]:
        """Return the calls of a response in order, at most ``MOST_CALLS``."""
        return tuple(_read(call) for call in response.calls[:MOST_CALLS])

    def write(self, call: ToolboxCall) -> Response:
        """Return the response of a model that makes this call."""
        return Response(calls=(NativeCall(call.tool, json.dumps(dict(call.arguments), ensure_ascii=False)),))


def _read(call: NativeCall) -> ToolboxCall | UnreadableCall:
    name = call.name[:MAX_NAME] or "unnamed"
    arguments, repaired = arguments_in(call.arguments)
    if arguments is None:
        return UnreadableCall(call.arguments, "The arguments are not a JSON object.", name)
    return ToolboxCall(name, arguments, repaired)

"""The tools that a model is offered: one list for the API, the MCP server and Python.

Every schema stays in the subset that hosted chat APIs accept. Its root has exactly ``type``, ``properties``,
``required`` and ``additionalProperties``. A property has one ``type`` and no combinator, and only ``param`` of the
profile ``vtc`` is an object.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from annotation.toolbox.table import TOOLS, openai_tool
from annotation.toolbox.vtc import PUBLISHED, Profile, published_tool

KEYWORDS = ("additionalProperties", "maximum", "maxItems", "minimum", "minItems")
"""Keywords of the schemas that a host may reject. Without them a schema accepts more; the call checks all the same."""
EMPTY_OBJECTS = "emptyObjects"
"""Not a keyword, but also rejected by hosts: an object without properties. The call does not need it."""
OMITTABLE = (*KEYWORDS, EMPTY_OBJECTS)


def offered_tools(profile: Profile = Profile.STRICT, omit: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return all tools of a profile as chat-completions endpoints accept them, in the order of the taxonomy.

    ``omit``: of ``OMITTABLE``, what the host rejects. For Gemini, ``("additionalProperties", "emptyObjects")``.
    """
    if profile is Profile.VTC:
        tools = [published_tool(name) for name in PUBLISHED]
    else:
        tools = [openai_tool(name) for name in TOOLS]
    return [without_keywords(tool, omit) for tool in tools]


def without_keywords(tool: dict[str, Any], omit: Collection[str]) -> dict[str, Any]:
    """Return a tool without what a host rejects, of ``OMITTABLE``. Parameters of these names stay."""
    function = tool["function"]
    return {**tool, "function": {**function, "parameters": _reduced(function["parameters"], omit)}}


def _reduced(schema: dict[str, Any], omit: Collection[str]) -> dict[str, Any]:
    reduced = {key: value for key, value in schema.items() if key not in omit or key not in KEYWORDS}
    if "items" in schema:
        reduced["items"] = _reduced(schema["items"], omit)
    if "properties" in schema:
        properties = {name: _reduced(one, omit) for name, one in schema["properties"].items()}
        if EMPTY_OBJECTS in omit:
            properties = {name: one for name, one in properties.items() if one.get("properties") != {}}
        reduced |= {"properties": properties, "required": [name for name in schema["required"] if name in properties]}
    return reduced

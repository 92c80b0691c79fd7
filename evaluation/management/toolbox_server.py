"""The toolbox as a Model Context Protocol server. Needs the extra ``mcp``, which is imported here only when asked for.

An agent lists samples, opens one, calls the tools on its images by their ids, and answers; the answer ends the
session and records it as a trajectory. A session is named in every call, so that it needs no connection of its own.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Collection, Mapping
from typing import Any

from django.db import close_old_connections

from annotation.imaging.model_view import ModelView
from annotation.models import Benchmark
from annotation.toolbox.offer import offered_tools, without_keywords
from annotation.toolbox.vtc import Profile, image_path
from evaluation.agents.tool_session import ToolSession
from evaluation.imports.read.sessions import policy, view_of, view_of_original
from evaluation.imports.write.sessions import open_session, record_session, sample_keys
from webapp.common.errors import ApplicationError

LONGEST_SIDE = 1568
"""Images are sent no larger; tools work on the whole ones, whose size the text says."""
MOST_SESSIONS = 64
MOST_PIXELS = 300_000_000
"""Of the images of all sessions: the oldest ones give way."""
INSTRUCTIONS = (
    "Call list_samples, then open_sample with one of its names: you get a question, an image (image id: original) and "
    "a session. Call tools with that session on original or on any image id that an earlier call returned; positions "
    "are pixels of that image, counted from 0 at the top left. A call that is refused says which value is allowed. "
    "Call answer once: it ends the session, which is recorded as a trajectory."
)
_SESSION = {"type": "string", "description": "as open_sample named it"}
_OWN: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "list_samples": (
        "Names samples that can be opened, 200 at a time, in order.",
        {"after": {"type": "string", "description": "the last name of the page before"}},
        [],
    ),
    "open_sample": (
        "Begins work on a sample: gives its question, its image (image id: original), and a session.",
        {"sample": {"type": "string"}},
        ["sample"],
    ),
    "answer": (
        "Answers the sample's question and ends the session, which is recorded as a trajectory.",
        {
            "session": _SESSION,
            "text": {"type": "string"},
            "reasoning": {"type": "string", "description": "what led to the answer; shown with the trajectory"},
            "input_tokens": {"type": "integer", "minimum": 0, "description": "of the whole session, where known"},
            "output_tokens": {"type": "integer", "minimum": 0, "description": "of the whole session, where known"},
        },
        ["session", "text"],
    ),
}


class ToolboxDesk:
    """The sessions under way, and what each call does. Works without the SDK; ``served`` puts it behind one."""

    def __init__(
        self,
        benchmark: Benchmark,
        model: str,
        setting: str,
        profile: Profile = Profile.STRICT,
        omit: Collection[str] = (),
    ) -> None:
        self.benchmark, self.model, self.setting, self.profile = benchmark, model, setting, profile
        self.omit = tuple(omit)
        self._sessions: dict[str, ToolSession] = {}

    def tools(self) -> list[tuple[str, str, dict[str, Any]]]:
        """(name, description, JSON schema) of everything that can be called, without the keywords of ``omit``."""
        own = [_tool(name, text, values, required) for name, (text, values, required) in _OWN.items()]
        tools = own + [_with_session(tool) for tool in offered_tools(self.profile)]
        functions = [without_keywords(tool, self.omit)["function"] for tool in tools]
        return [(one["name"], one["description"], one["parameters"]) for one in functions]

    def call(self, name: str, given: Mapping[str, Any]) -> tuple[str, ModelView | None, bool]:
        """(text, view of the image, whether it went well)."""
        try:
            if name == "list_samples":
                return json.dumps(sample_keys(self.benchmark, str(given.get("after") or ""))), None, True
            if name == "open_sample":
                return self._open(str(given.get("sample") or ""))
            key = str(given.get("session") or "")
            session = self._sessions.get(key)
            if session is None:
                return f"There is no session {key!r} under way. Call open_sample first.", None, False
            if name == "answer":
                return self._answer(key, session, given)
            called = session.call(name, {part: value for part, value in given.items() if part != "session"})
            self._make_room(key)
        except ApplicationError as error:
            return error.message, None, False
        view = view_of(called.picture, called.key, LONGEST_SIDE) if called.picture is not None else None
        return called.text, view, called.ok

    def _open(self, key: str) -> tuple[str, ModelView | None, bool]:
        session, asked, image = open_session(self.benchmark, key, profile=self.profile)
        while len(self._sessions) >= MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        name = secrets.token_hex(8)
        self._sessions[name] = session
        height, width = session.original.shape[:2]
        path = image_path("original", key) if self.profile is Profile.VTC else "original"
        said = {"session": name, "image": path, "width": width, "height": height, **asked}
        return json.dumps(said), view_of_original(image, session.original, LONGEST_SIDE), True

    def _make_room(self, key: str) -> None:
        """Let sessions go, the oldest first and this one never, while the images of all are too many."""
        for other in [name for name in self._sessions if name != key]:
            if sum(session.pixels for session in self._sessions.values()) <= MOST_PIXELS:
                break
            del self._sessions[other]

    def _answer(self, key: str, session: ToolSession, given: Mapping[str, Any]) -> tuple[str, ModelView | None, bool]:
        reasoning = str(given.get("reasoning") or "")
        said = [{"role": "assistant", "text": reasoning, "images": 0}] if reasoning else []
        row = session.trajectory(
            str(given.get("text", "")), self.model, self.setting, messages=said, sent=policy(LONGEST_SIDE)
        )
        row["usage"] |= {name: given[name] for name in ("input_tokens", "output_tokens") if given.get(name) is not None}
        record_session(actor=None, benchmark=self.benchmark, row=row, profile=self.profile, original=session.digest)
        del self._sessions[key]
        return f"Recorded: {len(session.steps)} calls on {session.sample}.", None, True


def _tool(name: str, text: str, values: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(values), "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": text, "parameters": schema}}


def _with_session(offered: Mapping[str, Any]) -> dict[str, Any]:
    function = offered["function"]
    schema = function["parameters"]
    values = {"session": _SESSION} | schema["properties"]
    return _tool(function["name"], function["description"], values, ["session", *schema["required"]])


def _in_thread(desk: ToolboxDesk, name: str, given: Mapping[str, Any]) -> tuple[str, ModelView | None, bool]:
    """The call, without a connection to the database that died while the server waited."""
    close_old_connections()
    return desk.call(name, given)


def served(desk: ToolboxDesk) -> Any:
    """The desk as a server of the SDK. Raises ``ImportError`` where the extra is not installed."""
    from anyio import to_thread
    from mcp import types
    from mcp.server.lowlevel import Server

    async def list_tools(_context: Any, _params: Any) -> Any:
        tools = [types.Tool(name=name, description=text, input_schema=schema) for name, text, schema in desk.tools()]
        return types.ListToolsResult(tools=tools)

    async def call_tool(_context: Any, params: Any) -> Any:
        text, view, ok = await to_thread.run_sync(_in_thread, desk, params.name, params.arguments or {})
        content: list[Any] = [types.TextContent(type="text", text=text)]
        if view is not None:
            data = base64.b64encode(view.data).decode()
            content.append(types.ImageContent(type="image", data=data, mime_type=view.media_type))
        return types.CallToolResult(content=content, is_error=not ok)

    return Server("sightline-toolbox", instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool)


def guarded(app: Any, secret: str) -> Any:
    """Return the server over HTTP for clients with the secret. All programs of this machine can reach the port,
    including those of other users.
    """
    wanted = f"Bearer {secret}".encode()

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] == "lifespan" or secrets.compare_digest(given, wanted):
            await app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b"Send the secret as Authorization: Bearer SECRET.\n"})

    return guard

"""What is sent: the body without what the endpoint rejects, and images as data URLs."""

from __future__ import annotations

import base64
import json
import tracemalloc
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.toolbox.offer import offered_tools
from evaluation.endpoints.outgoing import Payload, dropped, outgoing
from tests.evaluation.endpoints.server import BODY, client, no_images, serving, spoken


def image_part(data: bytes, **more: Any) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"sha256:{sha256(data).hexdigest()}", **more}}


def body_with(*parts: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": list(parts)}]}


def stored(*images: bytes) -> Any:
    known = {sha256(data).hexdigest(): (data, "image/png") for data in images}
    return known.__getitem__


@given(st.lists(st.binary(max_size=200), max_size=4), st.text())
def test_images_become_data_urls_and_nothing_else_changes(images: list[bytes], text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for data in images:
        parts += [image_part(data, detail="high"), {"type": "text", "text": f"sha256:{'0' * 64}"}]
    body = body_with(*parts)
    payload = Payload(body, stored(*images))
    sent = b"".join(payload)
    assert len(sent) == payload.length
    assert b"".join(payload) == sent, "a retry sends something else"
    assert payload.images == len(images)
    read = json.loads(sent)
    for number, data in enumerate(images):
        place = read["messages"][0]["content"][1 + 2 * number]["image_url"]
        assert place["detail"] == "high"
        head, coded = place["url"].split(",")
        assert (head, base64.b64decode(coded)) == ("data:image/png;base64", data)
        place["url"] = f"sha256:{sha256(data).hexdigest()}"
    assert read == body


def test_an_image_larger_than_a_piece_is_encoded_as_one() -> None:
    data = bytes(range(256)) * 1000
    sent = b"".join(Payload(body_with(image_part(data)), stored(data)))
    assert base64.b64encode(data) in sent


def test_no_base64_copy_of_an_image_is_kept() -> None:
    data = bytes(8_000_000)
    payload = Payload(body_with(image_part(data)), stored(data))
    tracemalloc.start()
    length = sum(len(piece) for piece in payload)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert length == payload.length > 10_000_000
    assert peak < 1_000_000


ODD: list[Any] = [
    {"messages": None},
    {"messages": ["text", {"role": "user"}, {"role": "user", "content": [None, 3, {"type": "image_url"}]}]},
    {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.com"}}]}]},
    {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "sha256:" + "a" * 64}]}]},
    {"messages": [{"role": "user", "content": "sha256:" + "a" * 64}]},
    body_with({"type": "image_url", "image_url": {"url": "sha256:" + "a" * 64 + "/x"}}),
    body_with({"type": "text", "text": "sha256:" + "a" * 64, "image_url": {"url": "sha256:" + "a" * 64}}),
    {"messages": [], "tools": [{"type": "function"}], "surrogate": "\ud800"},
]


@pytest.mark.parametrize("body", ODD)
def test_bodies_of_other_forms_are_sent_unchanged(body: Any) -> None:
    assert json.loads(b"".join(Payload(body, no_images)).decode("utf-8", "surrogatepass")) == body


def test_what_a_preset_rejects_is_not_sent_and_recorded() -> None:
    tools = offered_tools()
    body = {**BODY, "seed": 7, "top_k": 20, "tools": tools}
    drop = ("seed", "top_k", "logit_bias", "additionalProperties", "minimum", "emptyObjects")
    sent = outgoing(body, model="m", drop=drop, stream=False)
    assert "seed" not in sent
    assert "top_k" not in sent
    assert '"minimum":' not in json.dumps(sent["tools"])
    assert '"maximum":' in json.dumps(sent["tools"])
    assert len(sent["tools"]) == len(tools)
    assert dropped(body, sent, drop)[:4] == ("seed", "top_k", "additionalProperties", "minimum")
    assert body["tools"] == offered_tools(), "the body of the caller was changed"
    assert dropped(sent, outgoing(sent, model="m", drop=drop, stream=False), drop) == ()


def test_a_reply_says_what_was_not_sent() -> None:
    with serving(spoken()) as running, client(running.url, drop=("seed", "top_k")) as endpoint:
        assert endpoint.complete({**BODY, "seed": 7}, no_images).dropped == ("seed",)
    assert "seed" not in running.seen.bodies()[0]


@pytest.mark.parametrize(
    ("body", "drop", "stream", "sent"),
    [
        ({}, (), True, {"stream": True, "stream_options": {"include_usage": True}}),
        ({}, (), False, {"stream": False}),
        ({"stream": False}, (), True, {"stream": False}),
        ({"stream": True}, (), False, {"stream": True, "stream_options": {"include_usage": True}}),
        ({"stream_options": {"include_usage": True}}, (), False, {"stream": False}),
        ({}, ("stream_options",), True, {"stream": True}),
    ],
)
def test_usage_is_asked_for_in_streams(
    body: dict[str, Any], drop: tuple[str, ...], stream: bool, sent: dict[str, Any]
) -> None:
    assert outgoing(body, model="", drop=drop, stream=stream) == sent
    assert outgoing(sent, model="", drop=drop, stream=stream) == sent

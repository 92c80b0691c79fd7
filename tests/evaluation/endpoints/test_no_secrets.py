"""A key is nowhere except in the header of a request: not in errors, replies, representations or logs."""

from __future__ import annotations

import base64
import html
import json
import logging
import pickle
import string
import traceback
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from annotation.outgoing.sealing import Sealer
from evaluation.endpoints.client import Client, Reply, Settings
from evaluation.endpoints.errors import CallFailed
from evaluation.endpoints.keys import Keys
from evaluation.endpoints.redact import REMOVED, Redactor
from tests.evaluation.endpoints.server import (
    BODY,
    Answer,
    Time,
    client,
    failure,
    no_images,
    serving,
    spoken,
    streamed,
    whole,
)
from tests.properties import fewer

KEYS = st.text(string.ascii_letters + string.digits + "-_./+=~:|@!$*,;#?^(){}[]", min_size=8, max_size=40)
PLANTED = "sk-planted/8f3e+2a9c=77d1"


def escaped(key: str) -> list[str]:
    """A key as servers repeat it."""
    return [
        key,
        json.dumps(key)[1:-1],
        json.dumps(key)[1:-1].replace("/", "\\/"),
        "".join(f"\\u{ord(char):04x}" for char in key),
        "".join(f"\\u{ord(char):04X}" for char in key),
        quote(key, safe=""),
        "".join(f"%{ord(char):02x}" for char in key),
        html.escape(key),
        "".join(f"&#{ord(char)};" for char in key),
        "".join(f"&#x{ord(char):x};" for char in key),
        base64.b64encode(key.encode()).decode(),
        base64.b64encode(f"Bearer {key}".encode()).decode(),
    ]


@given(KEYS, st.integers(0, 11), st.text(max_size=20), st.text(max_size=20))
def test_a_key_is_found_in_any_form(key: str, form: int, before: str, after: str) -> None:
    written = escaped(key)[form]
    redactor = Redactor(key)
    for text in (written, f"{before} {written} {after}"):
        clean = redactor.text(text)
        assert written not in clean
        assert REMOVED in clean
        assert REMOVED.encode() in redactor.data(text.encode("utf-8", "replace"))
        assert redactor.value({"a": [text, 1, None], text: {}}) == {"a": [clean, 1, None], clean: {}}


@given(KEYS, st.text(max_size=200))
@example("sk-12345678", "50% of \\u00e9 &#233; \\/ is left as it is")
def test_other_text_is_not_changed(key: str, text: str) -> None:
    if all(form not in text for form in escaped(key)):
        assert Redactor(key).text(text) == text
        assert Redactor("").text(text + key) == text + key


def ways_to_see(thing: object) -> str:
    seen = [str(thing), repr(thing)]
    if isinstance(thing, BaseException):
        seen += traceback.format_exception(thing)
        chain: BaseException | None = thing
        while chain is not None:
            seen += [repr(chain), repr(chain.args), repr(vars(chain))]
            chain = chain.__cause__ or chain.__context__
    return "\n".join(seen)


def echoing(key: str, form: int) -> list[Answer]:
    """Answers that repeat the key: in errors, headers, contents, arguments, and in pieces of a stream."""
    text = escaped(key)[form]
    call = {"id": key, "function": {"name": key, "arguments": json.dumps({"a": key})}}
    middle = len(key) // 2
    return [
        Answer(401, json.dumps({"error": {"message": f"bad key {key}"}}).encode()),
        Answer(400, f'{{"error": "{text}"}}'.encode("utf-8", "replace")),
        Answer(500, f"<p>{text}".encode(), "text/html"),
        Answer(302, text.encode(), headers={"X-Echo": "seen"}),
        Answer(body=f"no JSON {text}".encode()),
        Answer(body=json.dumps({"error": {"message": key, "code": key}}).encode()),
        spoken(f"your key is {key}", calls=[call], reasoning=key),
        spoken(None, refusal=key),
        streamed({"content": key[:middle]}, {"content": key[middle:]}, {"reasoning_content": key}),
        streamed({"tool_calls": [{"index": 0, **call}]}),
        streamed({"refusal": key[:middle]}, {"refusal": key[middle:]}),
    ]


@pytest.mark.parametrize("number", range(11))
@fewer(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=KEYS.filter(lambda key: key not in json.dumps(BODY)), form=st.integers(0, 11))
def test_no_secrets_of_an_endpoint_that_repeats_them(
    caplog: pytest.LogCaptureFixture, number: int, key: str, form: int
) -> None:
    caplog.clear()
    caplog.set_level(logging.DEBUG)
    answer = echoing(key, form)[number]
    arrived: list[str] = []

    def transport(request: httpx.Request) -> httpx.Response:
        arrived.append(request.headers["Authorization"])
        return whole(answer)

    options = Settings("https://models.example.com/v1", key=key)
    time = Time()
    with Client(
        options, clock=time.clock, sleep=time.sleep, resolve=lambda *_: ["8.8.8.8"],
        transport=httpx.MockTransport(transport),
    ) as endpoint:  # fmt: skip
        seen = ways_to_see(endpoint) + ways_to_see(options)
        result: Reply | CallFailed
        try:
            result = endpoint.complete(BODY, no_images)
            seen += json.dumps(result.message) + "".join(part for one in result.calls for part in one)
        except CallFailed as error:
            result = error
    assert set(arrived) == {f"Bearer {key}"}
    seen += ways_to_see(result) + repr(result.body) + result.body.decode("utf-8", "replace") + caplog.text
    assert key not in seen
    assert escaped(key)[form] not in seen
    assert key not in "".join(_contents(result.body)), "the pieces of the key were kept"


def _contents(body: bytes) -> list[str]:
    """All texts of a stream or object in order, so that a key in pieces is seen."""
    found: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, list | dict):
            for one in value.values() if isinstance(value, dict) else value:
                walk(one)

    for line in body.decode("utf-8", "replace").splitlines():
        line = line.removeprefix("data: ")
        if line.startswith('{"') and "choices" in line:
            walk(json.loads(line).get("choices"))
    return found


def test_no_secrets_in_logs_and_errors_of_real_connections(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    answer = Answer(401, f'{{"error": "bad {PLANTED}"}}'.encode(), headers={"X-Echo": PLANTED})
    with serving(answer) as running, client(running.url, key=PLANTED) as endpoint:
        failed = failure(endpoint)
    [(_, headers, _)] = running.seen.requests
    assert headers["Authorization"] == f"Bearer {PLANTED}"
    with client("http://127.0.0.1:9/v1", key=PLANTED) as endpoint:
        unreached = failure(endpoint, "No connection")
    for error in (failed, unreached):
        assert PLANTED not in ways_to_see(error) + caplog.text
        assert error.__cause__ is None
        assert error.__context__ is None, "the request with its header hangs on the error"


def test_no_secrets_in_what_holds_keys() -> None:
    keys = Keys({"SIGHTLINE_KEY_MAIN": PLANTED, "SIGHTLINE_KEY_MAIN_HOSTS": "a.example.com"})
    sealer = Sealer(PLANTED * 2)
    for holder in (keys, sealer, Settings("https://a.example.com", key=PLANTED), Redactor(PLANTED)):
        assert PLANTED not in ways_to_see(holder)


def test_a_failure_can_be_sent_between_processes() -> None:
    """A pickled error has neither the key nor anything that leads to it."""
    with serving(Answer(401, PLANTED.encode())) as running, client(running.url, key=PLANTED) as endpoint:
        failed = failure(endpoint)
    sent = pickle.dumps(failed)
    assert PLANTED.encode() not in sent
    assert pickle.loads(sent).kind is failed.kind  # noqa: S301 - made here

"""The barrier over HTTP: an ASGI application in which a rollout waits until its group is complete.

A request uses a thread and a connection to the database only to check its token and to read its sample, never while it
waits.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db import close_old_connections
from rest_framework.exceptions import AuthenticationFailed, ValidationError

from annotation.common.access import allowed, benchmark_seen_by
from annotation.models import Benchmark
from annotation.workflow import Right
from evaluation.management.reward_barrier import Barrier, GroupTerms, Late, Refused
from evaluation.rewards.api.sent import WaitingRolloutSerializer, rollout_of, scheme_of
from evaluation.rewards.read.answers import answer_key_of
from evaluation.rewards.read.prompts import prompt_of
from evaluation.runner.rollouts import MOST_ROLLOUTS, RolloutReward, SentRollout, read_rollout, rewards_by_rule
from evaluation.scoring.settings import settings_of
from webapp.accounts.scopes import Scope
from webapp.accounts.tokens import token_in
from webapp.common.errors import ApplicationError, error_body

MOST_BYTES = 16_000_000
THREADS = 4
"""Requests that check their token at once."""
_ADDRESS = re.compile(r"/api/v1/benchmarks/([-\w]+)/rewards/(rollouts|openrlhf)/")
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """A checked request: the key and name of its group, its terms, and its rollout. ``named``: the trainer names its
    rollouts."""

    key: Key
    group: str
    terms: GroupTerms
    rollout: SentRollout
    named: bool = True


class RewardServer:
    """The application. ``barrier`` is used by its event loop only."""

    def __init__(self, barrier: Barrier) -> None:
        self.barrier = barrier
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="reward")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        try:
            status, content = await self._answer(scope, receive)
        except Refused as error:
            status, content = error.status, error_body(error.code, error.message)
        except Late as late:
            body = error_body("late", f"{late} Send the rollout again to wait longer.")
            status, content = 408, body | {"arrived": late.arrived, "size": late.size, "known": late.known}
        data = json.dumps(content).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": data})

    async def _answer(self, scope: Any, receive: Any) -> tuple[int, Any]:
        found = _ADDRESS.fullmatch(scope["path"])
        if found is None:
            raise Refused(404, "not_found", "Page not found.")
        if scope["method"] != "POST":
            raise Refused(405, "wrong_method", "Use POST.")
        body = _parsed(await _body_of(receive))
        header = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        slug, door = found.groups()
        read = _waiting if door == "rollouts" else _of_openrlhf
        loop = asyncio.get_running_loop()
        joined = await loop.run_in_executor(self._pool, partial(_checked, header, slug, read, body))
        if door == "rollouts":
            [(one, reward)] = await self._rewards(joined)
            return 200, {"group": one.group, "settings": one.terms.scheme.to_json(), "reward": reward.to_json()}
        rewards = [reward for _, reward in await self._rewards(joined)]
        return 200, _for_openrlhf(rewards, isinstance(body.get("query"), list))

    async def _rewards(self, joined: list[Joined]) -> list[tuple[Joined, RolloutReward]]:
        tasks = [asyncio.ensure_future(self._reward(one)) for one in joined]
        return list(zip(joined, await asyncio.gather(*tasks), strict=True))

    async def _reward(self, one: Joined) -> RolloutReward:
        reward = self.barrier.reward if one.named else self.barrier.reward_next
        return await reward(one.key, one.group, one.terms, one.rollout)


async def _body_of(receive: Any) -> bytes:
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "invalid", "The request ended early.")
        part, more = message.get("body", b""), message.get("more_body", False)
        size += len(part)
        if size > MOST_BYTES:
            raise Refused(413, "too_large", f"Send at most {MOST_BYTES} bytes.")
        parts.append(part)
    return b"".join(parts)


def _parsed(data: bytes) -> dict[str, Any]:
    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    try:
        value = json.loads(data, parse_constant=refuse)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Refused(400, "invalid", "Send a JSON object.")
    return value


def _checked(
    header: str, slug: str, read: Callable[[Benchmark, Any, Any], list[Joined]], body: dict[str, Any]
) -> list[Joined]:
    """Return what a request asks for, if its token allows it. Raises ``Refused``. Runs in a thread."""
    close_old_connections()
    try:
        person, benchmark = _allowed(header, slug)
        return read(benchmark, person.pk, body)
    except AuthenticationFailed as error:
        raise Refused(401, "not_authenticated", str(error.detail)) from error
    except ValidationError as error:
        raise Refused(400, "invalid", json.dumps(error.detail)) from error
    except ApplicationError as error:
        raise Refused(error.status, error.code, str(error.message)) from error
    finally:
        close_old_connections()


def _allowed(header: str, slug: str) -> tuple[Any, Benchmark]:
    token = token_in(header, "POST")
    if token is None:
        raise Refused(401, "not_authenticated", "Send a token: Authorization: Bearer sightline_…")
    if Scope.REWARDS not in token.in_effect:
        raise Refused(403, "scope", f"This needs a token with the scope {Scope.REWARDS}.")
    benchmark = benchmark_seen_by(token.user, slug)
    if benchmark is None:
        raise Refused(404, "not_found", "Benchmark not found, or you don't have access.")
    if not allowed(token.user, benchmark, Right.IMPORT_RUNS):
        raise Refused(403, "not_allowed", f"Your roles on {benchmark.title} don't let you ask for rewards.")
    return token.user, benchmark


def _waiting(benchmark: Benchmark, person: Any, body: Any) -> list[Joined]:
    form = WaitingRolloutSerializer(data=body)
    form.is_valid(raise_exception=True)
    given = form.validated_data
    key = (person, benchmark.pk, given["trainer"], given["group"])
    terms = _terms(benchmark, given)
    # Calls are read here, in a thread, so that the event loop only compares.
    rollout = read_rollout(rollout_of(given), terms.prompt.size, terms.scheme)
    return [Joined(key, given["group"], terms, rollout, named="rollout" in given)]


def _terms(benchmark: Benchmark, given: Any) -> GroupTerms:
    prompt = prompt_of(benchmark, given["sample"])
    return GroupTerms(given["size"], given["sample"], prompt, scheme_of(given, settings_of(benchmark)))


def _of_openrlhf(benchmark: Benchmark, person: Any, body: Any) -> list[Joined]:
    """Rollouts as OpenRLHF sends them: texts of prompt and response, prompts, and labels. A label is JSON text:
    ``{"sample", "size"}``, and ``group``, ``dialect`` and ``family`` where wanted. r_acc and r_format are by rule."""
    columns = [body.get(name) for name in ("query", "prompts", "labels")]
    rows = [column if isinstance(column, list) else [column] for column in columns]
    if len({len(row) for row in rows}) > 1 or not 0 < len(rows[0]) <= MOST_ROLLOUTS:
        raise Refused(400, "invalid", f"Send 1 to {MOST_ROLLOUTS} query, prompts and labels, as many of each.")
    return [_one_of_openrlhf(benchmark, person, *row) for row in zip(*rows, strict=True)]


def _one_of_openrlhf(benchmark: Benchmark, person: Any, query: Any, prompt: Any, label: Any) -> Joined:
    if not all(isinstance(text, str) for text in (query, prompt, label)):
        raise Refused(400, "invalid", "query, prompts and labels are texts.")
    completion, digest = query.removeprefix(prompt), hashlib.sha256(prompt.encode()).hexdigest()
    said = _parsed(label.encode())
    form = WaitingRolloutSerializer(
        data={"trainer": "openrlhf", "acc": 0, "format": 0, "group": digest, **said} | {"completion": completion}
    )
    form.is_valid(raise_exception=True)
    given = form.validated_data
    key = answer_key_of(benchmark, given["sample"])
    if key is None:
        raise Refused(409, "conflict", "The sample has no gold answer, so r_acc is undefined.")
    terms = _terms(benchmark, given)
    acc, form_reward = rewards_by_rule(completion, key, terms.scheme.settings)
    rollout = read_rollout(rollout_of(given), terms.prompt.size, terms.scheme)
    rollout = replace(rollout, acc=acc, format=form_reward)
    group = (person, benchmark.pk, "openrlhf", given["group"], digest)
    return Joined(group, given["group"], terms, rollout, named=False)


def _for_openrlhf(rewards: list[RolloutReward], several: bool) -> dict[str, Any]:
    final, accuracy = [one.r_final for one in rewards], [one.r_acc for one in rewards]
    names = ("r_acc", "r_format", "r_s", "r_m", "r_box", "r_quadrant")
    logs = {name: [getattr(one, name) for one in rewards] for name in names}
    if not several:
        return {"rewards": final[0], "scores": accuracy[0], "extra_logs": {name: row[0] for name, row in logs.items()}}
    return {"rewards": final, "scores": accuracy, "extra_logs": logs}

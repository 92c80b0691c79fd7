"""Shared code of the adapters: rollouts from data columns, rewards of complete groups, and requests to the barrier.

Data columns of a sample, of which ``answers`` or ``acc``, and for complete groups ``image_size`` and ``gold_boxes``,
are needed:

- ``sample``: its ID. ``group``: the prompt, if it is not the sample. ``size``: rollouts of each prompt.
- ``image_size``: width and height, ``gold_boxes``: x1, y1, x2, y2, in pixels of the original. A polygon of
  the native format counts as the box around it, and a point not at all.
- ``answers``: accepted answers, ``options``: text by letter of a multiple-choice question.
- ``acc``, ``format``: r_acc and r_format, if they are not by rule. ``dialect``, ``family``: of completions and tokens.
"""

from __future__ import annotations

import asyncio
import json
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any

from annotation.schema import corners_in
from evaluation.adapters.rewards.environment import DIALECT, FAMILY, REWARDS_TOKEN, REWARDS_URL, value_of
from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.settings import MetricSettings
from evaluation.runner.rollouts import (
    RolloutPrompt,
    RolloutReward,
    Scheme,
    SentRollout,
    reward_group,
    rewards_by_rule,
)

Row = Mapping[str, Any]
MOST_WAITING = 4096
"""Requests of one process that wait at once. It must exceed the rollouts of a batch, or groups wait for each other."""
ATTEMPTS = 4
PATIENCE = 200.0
"""Seconds for one request, longer than the barrier waits."""
RETRIED = (408, 502, 503, 504)


class RewardError(RuntimeError):
    """Rewards that a trainer cannot get, with what to do."""


def group_of(row: Row) -> str:
    """Return the group of a row: its column ``group``, else its sample."""
    return str(row["group"] if row.get("group") is not None else row["sample"])


def holds_whole_groups(rows: Sequence[Row]) -> bool:
    """Return whether each group in the rows has all of its rollouts."""
    found = Counter(group_of(row) for row in rows)
    return all(found[group_of(row)] == int(row["size"]) for row in rows)


def rollout_in(row: Row, completion: Any, name: str, settings: MetricSettings) -> SentRollout:
    """Return the rollout of a row, with r_acc and r_format by rule if the columns have none."""
    acc, form = row.get("acc"), row.get("format")
    if acc is None or form is None:
        options, answers = row.get("options") or {}, row.get("answers")
        if not answers and acc is None:
            raise RewardError("A sample needs the column answers or acc.")
        by_rule = rewards_by_rule(completion, AnswerKey(bool(options), dict(options), tuple(answers or ())), settings)
        acc, form = by_rule[0] if acc is None else acc, by_rule[1] if form is None else form
    return SentRollout(name, float(acc), float(form), completion)


def reward_rows(
    rows: Sequence[Row], completions: Sequence[Any], settings: MetricSettings | None = None
) -> list[RolloutReward]:
    """Return the rewards of whole groups, in the order of the rows: those of ``reward_group``.

    Raises ``RewardError`` if a group misses a rollout.
    """
    if not holds_whole_groups(rows):
        raise RewardError("A group is incomplete, so r_m is undefined. Use the reward server.")
    settings = settings or MetricSettings()
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(group_of(row), []).append(place)
    found: dict[int, RolloutReward] = {}
    for name, group in places.items():
        rollouts = [rollout_in(rows[place], completions[place], str(place), settings) for place in group]
        first = rows[group[0]]
        rewards = reward_group(name, rollouts, _prompt(first), _scheme(first, settings))
        found.update(zip(group, rewards, strict=True))
    return [found[place] for place in range(len(rows))]


def _prompt(row: Row) -> RolloutPrompt:
    width, height = row["image_size"]
    given = row.get("gold_boxes")
    boxes = [corners_in(entry) for entry in (() if given is None else given)]
    return RolloutPrompt((int(width), int(height)), tuple(box for box in boxes if box))


def _scheme(row: Row, settings: MetricSettings) -> Scheme:
    dialect = str(row.get("dialect") or value_of(DIALECT, "qwen2.5-vl"))
    return Scheme(dialect, str(row.get("family") or value_of(FAMILY, "qwen2.5-vl")), settings)


async def reward_at_barrier(
    row: Row, completion: Any, *, trainer: str, name: str = "", group: str = ""
) -> dict[str, Any]:
    """Return the rewards of one rollout, by name, once its group is complete at the reward server.

    ``SIGHTLINE_REWARDS_URL`` is ``http://HOST:PORT/api/v1/benchmarks/SLUG/rewards``, ``SIGHTLINE_REWARDS_TOKEN`` a
    token with the scope ``rewards``. Without a ``name``, each request is a new rollout. Raises ``RewardError``.
    """
    settings = MetricSettings()
    scheme, rollout = _scheme(row, settings), rollout_in(row, completion, name, settings)
    body = {
        "trainer": trainer, "group": group or group_of(row), "size": int(row["size"]),
        "sample": str(row["sample"]), "completion": completion, "acc": rollout.acc, "format": rollout.format,
        "dialect": scheme.dialect, "family": scheme.family,
    }  # fmt: skip
    if name:
        body["rollout"] = name
    post = partial(_posted, json.dumps(body).encode(), bool(name))
    answer = await asyncio.get_running_loop().run_in_executor(_threads(), post)
    return dict(answer["reward"])


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST_WAITING, thread_name_prefix="sightline-reward")


def _posted(data: bytes, named: bool) -> dict[str, Any]:
    url, token = value_of(REWARDS_URL), value_of(REWARDS_TOKEN)
    if not url.startswith(("http://", "https://")):
        raise RewardError("Set SIGHTLINE_REWARDS_URL to the address of the reward server.")
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"{url.rstrip('/')}/rollouts/", data, headers)
    problem = ""
    for attempt in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            problem = f"{error.code}: {error.read(2000).decode(errors='replace')}"
            if error.code not in RETRIED:
                break
        except OSError as error:
            problem = str(error)
            if not named:
                break  # it may have arrived, and would count twice
            time.sleep(2**attempt)
    raise RewardError(f"The reward server answers {problem} If rollouts are sent one after another, they never meet.")

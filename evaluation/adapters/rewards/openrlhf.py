"""OpenRLHF asks the reward server itself: ``--remote_rm_url …/rewards/openrlhf/``. Its labels name the samples."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from evaluation.adapters.rewards.groups import RewardError, Row

_SENT = ("sample", "size", "group", "dialect", "family")


def label_of(row: Row) -> str:
    """Return the label of a row of the training data: JSON text with ``sample``, ``size`` and the optional columns."""
    if row.get("sample") is None or row.get("size") is None:
        raise RewardError("A row needs the data columns sample and size.")
    return json.dumps({name: row[name] for name in _SENT if row.get(name) is not None})


def reward_func(queries: Any, prompts: Any, labels: Any, **kw: Any) -> NoReturn:
    """Refuse: a reward function of OpenRLHF runs in a bounded pool of threads, where groups cannot wait."""
    raise RewardError("Use --remote_rm_url with the address …/rewards/openrlhf/ of the reward server.")

"""NeMo Gym: ``verify`` of a resources server, which derives from this class and names its type of response::

class Server(SightlineVerifier, SimpleResourcesServer):
    response_type = BaseMultiRewardVerifyResponse
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evaluation.adapters.rewards.groups import RewardError, reward_at_barrier


class SightlineVerifier:
    """Rewards from the reward server. The request has the data columns as further fields, and ``rollout``, the name of
    the rollout in its group, if known.
    """

    response_type: Callable[..., Any]

    async def verify(self, body: Any) -> Any:
        """Return the request with ``reward`` = r_final and ``reward_components``, whose sum it is."""
        given = body.model_dump()
        if given.get("sample") is None or given.get("size") is None:
            raise RewardError("The request needs the fields sample and size.")
        messages = messages_in(given["response"].get("output") or ())
        name = "" if given.get("rollout") is None else str(given["rollout"])
        found = await reward_at_barrier(given, messages, trainer="nemo-gym", name=name)
        parts = {"acc": found["r_acc"], "format": found["r_format"]}
        parts["evidence"] = found["r_final"] - found["r_acc"] - found["r_format"]
        return type(self).response_type(**given, reward=found["r_final"], reward_components=parts)


def messages_in(output: Any) -> list[dict[str, Any]]:
    """Return the items of a response as messages of a chat."""
    messages: list[dict[str, Any]] = []
    for item in output:
        if item.get("type") == "function_call":
            function = {"name": item.get("name"), "arguments": item.get("arguments")}
            messages.append({"role": "assistant", "content": "", "tool_calls": [{"function": function}]})
        elif item.get("role") == "assistant":
            parts = item.get("content")
            text = parts if isinstance(parts, str) else "".join(str(part.get("text", "")) for part in parts or ())
            messages.append({"role": "assistant", "content": text})
    return messages

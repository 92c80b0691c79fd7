"""On how many random examples a property is tried: few in `make test`, many in the lane `properties`."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings

# What is tested is not how fast examples are made and run: others work on this machine too.
_unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("few", _unhurried, max_examples=25)
settings.register_profile("many", _unhurried, max_examples=150)
settings.load_profile("few")


def fewer(**options: Any) -> settings:
    """A fifth of the examples: for a property that has slow ones, or that is tried for each of many parameters."""
    return settings(max_examples=settings().max_examples // 5, **options)

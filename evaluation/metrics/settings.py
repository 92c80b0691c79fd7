"""The settings of docs/metrics.md#settings: which way a measure that the papers leave open is taken. One record,
checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

CHOICES: Mapping[str, tuple[str, ...]] = {
    "no_crop": ("exclude", "fail", "full_image"),
    "crop_box": ("executed", "requested"),
    "multi_crop": ("best", "last", "first", "union", "mean"),
    "multi_gold": ("union", "any", "all", "mean"),
    "missing_sample": ("exclude", "wrong"),
    "answer_reading": ("standard", "vtc", "deepeyes", "vlmevalkit"),
    "reading_floor": ("inferred", "stated", "exact"),
    "open_match": ("value", "exact", "contains"),
    "open_units": ("strict", "ignore"),
    "undecided_answer": ("incorrect", "exclude"),
    "unread_answer": ("undecided", "wrong"),
    "verdict_source": ("file", "reading"),
    "recognition_match": ("exact", "fuzzy"),
    "plan_repeats": ("extra", "collapse"),
    "mae_population": ("all", "called", "nonempty"),
    "tool_aliases": ("exact", "canonical"),
    "sr_population": ("ordered", "multi", "all"),
    "sr_short": ("fail", "exclude", "cap"),
    "crz_population": ("all", "mcot"),
    "interv_population": ("paired_mcot", "paired"),
    "ate_reference": ("recorded", "sham"),
    "grim_zero": ("zero", "clip"),
}
"""The allowed values of every worded setting; the first is the default."""

RANGES: Mapping[str, tuple[float, float]] = {
    "ioa_threshold": (0.0, 1.0),
    "unread_alarm": (0.0, 1.0),
    "alpha": (0.0, 1.0),
}
"""The allowed range of every numeric setting, ends included."""


@dataclass(frozen=True, slots=True)
class MetricSettings:
    """All settings with their defaults. Raises ``ValueError`` naming setting, value and what is allowed."""

    ioa_threshold: float = 0.5
    no_crop: str = "exclude"
    crop_box: str = "executed"
    multi_crop: str = "best"
    multi_gold: str = "union"
    missing_sample: str = "exclude"
    answer_reading: str = "standard"
    reading_floor: str = "inferred"
    open_match: str = "value"
    open_units: str = "strict"
    undecided_answer: str = "incorrect"
    unread_answer: str = "undecided"
    unread_alarm: float = 0.02
    verdict_source: str = "file"
    recognition_match: str = "exact"
    plan_repeats: str = "extra"
    mae_population: str = "all"
    tool_aliases: str = "exact"
    sr_population: str = "ordered"
    sr_short: str = "fail"
    crz_population: str = "all"
    interv_population: str = "paired_mcot"
    ate_reference: str = "recorded"
    grim_zero: str = "zero"
    alpha: float = 0.5

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} = {getattr(self, name)!r}: allowed are {', '.join(allowed)}.")
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise ValueError(f"{name} = {value!r}: a number from {low:g} to {high:g} is needed.")

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Self:
        """Settings from names and values; numbers may be texts. Unknown names are an error."""
        known = {f.name for f in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise ValueError(f"Unknown setting {unknown[0]!r}. Known are {', '.join(sorted(known))}.")
        checked: dict[str, Any] = {n: _number(n, v) if n in RANGES else v for n, v in values.items()}
        return cls(**checked)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def changed(self) -> dict[str, Any]:
        """Only what differs from the defaults, by name."""
        default = asdict(MetricSettings())
        return {name: value for name, value in asdict(self).items() if value != default[name]}


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} = {value!r}: a number is needed.") from None

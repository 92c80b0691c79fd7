"""The effect of each metric setting in one sentence, under its part of the leaderboard; and how answers count that are
neither correct nor incorrect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.marking import gettext_noop
from evaluation.metrics.settings import MetricSettings


@dataclass(frozen=True, slots=True)
class SettingHelp:
    """The part of the measures a setting belongs to, and what it changes."""

    part: str
    sentence: str


SETTINGS_HELP: Mapping[str, SettingHelp] = {
    "ioa_threshold": SettingHelp(
        gettext_noop("Grounding"),
        gettext_noop("A trajectory is grounded when IoA is above it; a higher one gives fewer G+."),
    ),
    "no_crop": SettingHelp(
        gettext_noop("Grounding"),
        gettext_noop("Samples without a zoom call: excluded, not grounded, or counted as a crop of the full image."),
    ),
    "crop_box": SettingHelp(gettext_noop("Grounding"), gettext_noop("The executed box or the requested box.")),
    "multi_crop": SettingHelp(
        gettext_noop("Grounding"),
        gettext_noop("Which crop of a trajectory counts, or all of them together or on average."),
    ),
    "multi_gold": SettingHelp(
        gettext_noop("Grounding"),
        gettext_noop("Several gold boxes: one region, any of them, each of them, or their mean."),
    ),
    "missing_sample": SettingHelp(
        gettext_noop("Answers"), gettext_noop("A sample without a trajectory: excluded, or counted as incorrect.")
    ),
    "answer_reading": SettingHelp(
        gettext_noop("Answers"),
        gettext_noop("How answers are read: by the rules here, or as a released scorer reads them."),
    ),
    "reading_floor": SettingHelp(
        gettext_noop("Answers"),
        gettext_noop("The weakest class of reading that counts; weaker ones leave an answer unread."),
    ),
    "open_match": SettingHelp(
        gettext_noop("Answers"),
        gettext_noop(
            "An open-ended answer is correct when its value, or its full text, equals or contains the gold answer."
        ),
    ),
    "open_units": SettingHelp(
        gettext_noop("Answers"), gettext_noop("A unit on one side only: it leaves the answer undecided, or is ignored.")
    ),
    "undecided_answer": SettingHelp(
        gettext_noop("Answers"),
        gettext_noop("An answer that no rule can decide and that has no judgment: incorrect, or excluded."),
    ),
    "unread_answer": SettingHelp(
        gettext_noop("Answers"), gettext_noop("An answer from which no option can be read: undecided, or incorrect.")
    ),
    "unread_alarm": SettingHelp(
        gettext_noop("Answers"),
        gettext_noop("A run with a larger share of unread answers is provisional: it has no rank."),
    ),
    "verdict_source": SettingHelp(
        gettext_noop("Answers"),
        gettext_noop("An answer with a verdict in the file: scored by that verdict, or by the rules."),
    ),
    "mae_population": SettingHelp(
        gettext_noop("Toolchain"),
        gettext_noop("Toolchain length error: over all, over those with calls, or over non-empty toolchains."),
    ),
    "tool_aliases": SettingHelp(
        gettext_noop("Toolchain"), gettext_noop("Tool names as written, or aliases counted as the same tool.")
    ),
    "recognition_match": SettingHelp(
        gettext_noop("Planning"), gettext_noop("A named tool is found when the name is the same, or similar enough.")
    ),
    "plan_repeats": SettingHelp(
        gettext_noop("Planning"), gettext_noop("A tool that a plan names twice: an extra tool, or one tool.")
    ),
    "sr_population": SettingHelp(
        gettext_noop("Planning"), gettext_noop("SR@k over queries with an order, with several targets, or all.")
    ),
    "sr_short": SettingHelp(
        gettext_noop("Planning"),
        gettext_noop("Queries with fewer than k targets: failed, excluded, or scored by the targets they have."),
    ),
    "crz_population": SettingHelp(
        gettext_noop("Faithfulness"), gettext_noop("The size of crops over all samples, or over those that cropped.")
    ),
    "interv_population": SettingHelp(
        gettext_noop("Faithfulness"), gettext_noop("Interventions over pairs with visual evidence, or over all pairs.")
    ),
    "ate_reference": SettingHelp(
        gettext_noop("Faithfulness"),
        gettext_noop(
            "What effects compare arms of the lab with: the recorded trajectory, or the sham arm. Interventions of "
            "files keep their own baseline, and the lab always uses the sham arm."
        ),
    ),
    "grim_zero": SettingHelp(
        gettext_noop("Faithfulness"), gettext_noop("A trajectory without image tokens earns nothing, or the limit.")
    ),
    "alpha": SettingHelp(gettext_noop("Faithfulness"), gettext_noop("How much sufficiency weighs in the reward.")),
}
"""Setting -> effect, in the order of the settings page; a test holds it to ``MetricSettings``."""

UNCERTAIN = {"undecided": "undecided", "unread": "unread", "missing_answer": "unanswered"}
"""Counts of answers that no rule or judge can call correct or incorrect: name in ``detail`` -> label."""


def uncertain_words(counts: Mapping[str, Any], settings: MetricSettings) -> str:
    """``10 undecided (8 unread), 2 unanswered``: including zeros, so that a table shows that there are none.

    Unread answers are separate if ``unread_answer`` counts them as incorrect."""
    undecided, unread, unanswered = (f"{counts.get(name) or 0:,} {word}" for name, word in UNCERTAIN.items())
    among = f"{undecided}, {unread}" if settings.unread_answer == "wrong" else f"{undecided} ({unread})"
    return f"{among}, {unanswered}"


def counting_words(settings: MetricSettings) -> str:
    """Return how these answers count."""
    left_out = settings.undecided_answer == "exclude"
    undecided = "are excluded" if left_out else "count as incorrect"
    if settings.unread_answer == "wrong":
        return f"Undecided answers {undecided}; unread and missing answers count as incorrect."
    return f"Undecided answers, unread ones among them, {undecided}; missing answers count as incorrect."

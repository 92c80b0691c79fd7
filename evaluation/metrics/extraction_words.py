"""The extraction report as sentences, for commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.undecided import is_provisional

CLASSES = ("exact", "stated", "inferred")


def report_lines(report: Mapping[str, Any], settings: MetricSettings) -> Iterator[str]:
    """``Answers: 262 of 270 read (exact 201, stated 55, inferred 6); 8 unread (3.0%).`` and a line for each reason."""
    n, unread = report["answers"], report["unread"]
    if not n:
        yield "Answers: none."
        return
    classes = ", ".join(f"{name} {report['class'][name]}" for name in CLASSES if report["class"].get(name))
    parts = [f"{report['read'] + report['undecided']} of {n} read{f' ({classes})' if classes else ''}"]
    if report["blank"]:
        parts.append(f"{report['blank']} blank")
    if report["decided"]:
        parts.append(f"{report['decided']} decided by people")
    if report.get("file"):
        parts.append(f"{report['file']} by the verdict of the file alone")
    if report["undecided"]:
        parts.append(f"{report['undecided']} equal to nothing accepted")
    shares = ", ".join(filter(None, (_percent(unread / n), alarm(report, settings))))
    parts.append(f"{unread} unread ({shares})")
    yield f"Answers: {'; '.join(parts)}."
    for row in report["reasons"]:
        first = f', first: "{row["texts"][0][0][:80]}"' if row["texts"] and row["texts"][0][0] else ""
        yield f"  {row['n']} {row['reason']}{first}"
    if report["flags"]:
        yield "  Flags: " + ", ".join(f"{name} {n}" for name, n in report["flags"].items())
    verdicts = report["verdicts"]
    if verdicts["n"]:
        same = _percent(verdicts["same"] / verdicts["n"])
        yield f"  The verdict of the file is the same on {verdicts['same']} of {verdicts['n']} ({same})."


def alarm(report: Mapping[str, Any], settings: MetricSettings) -> str:
    """Return " above the alarm of 2.0%" if the number of unread answers makes the run provisional, else ""."""
    above = is_provisional(report["unread"], report["answers"] - report["blank"], settings)
    return f"above the alarm of {_percent(settings.unread_alarm)}" if above else ""


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"

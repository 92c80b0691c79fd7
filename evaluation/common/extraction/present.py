"""The extraction report for pages: every count with a link to its list, if there is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy

from evaluation.common.links import Count, RunLinks
from evaluation.metrics import reading
from evaluation.metrics.extraction_words import CLASSES, alarm
from evaluation.metrics.settings import MetricSettings
from evaluation.query.fields import READING_REASONS

RULES_SHOWN = 12
REASONS = {
    "none": gettext_lazy("nothing read"),
    "refusal": gettext_lazy("refusal"),
    "several": gettext_lazy("several options"),
    "contradiction": gettext_lazy("contradiction"),
    "outside": gettext_lazy("outside the options"),
    "withdrawn": gettext_lazy("withdrawn"),
    "hedged": gettext_lazy("hedged"),
    "negated": gettext_lazy("negated"),
    "thinking_only": gettext_lazy("thinking only"),
    "weak": gettext_lazy("weaker than accepted"),
    "unmatched": gettext_lazy("matches no accepted answer"),
    "unit": gettext_lazy("unit on one side"),
}


READ = "(reading_class:any or verdict_by:judge) not verdict_by:person not (verdict_by:file reading_correct:none)"
FILE_ALONE = "verdict_by:file reading_correct:none"
ASKED = dict(zip(reading.REASONS, READING_REASONS, strict=True))
"""The terms of lists for answers that are unread for a reason."""


@dataclass(frozen=True, slots=True)
class Part:
    """One count of the report, its share of all answers, and for a reason its most frequent texts and the page where
    they are decided. That page also has rollouts and interventions, so its count may be larger.
    """

    label: str
    count: Count
    share: float
    href: str = ""
    texts: tuple[tuple[str, int], ...] = ()
    term: str = ""
    """Its entry in the glossary, if there is one."""


def report_shown(
    report: Mapping[str, Any] | None,
    *,
    links: RunLinks | None = None,
    decides: bool = False,
    verdicts: bool = True,
    settings: MetricSettings | None = None,
) -> dict[str, Any] | None:
    """Return the context of template evaluation/common/_extraction.html: all (answers), states, classes, where, rules,
    flags and reasons (each a list of Part), verdicts, decide (address). ``links``: of the run whose lists are linked,
    on the slice of the report; ``decides``: whether the person may open the page of decisions, which has no slices;
    ``verdicts``: include the agreement with the file's verdicts; ``settings``: of a preview, which shows whether too
    many answers are unread (alarm).
    """
    if not report or not report["answers"]:
        return None
    n = report["answers"]
    whole = links is not None and not links.narrowed
    page = f"{reverse('evaluation:answers', args=[links.slug])}?run={links.run}" if links and whole and decides else ""

    def part(label: str, count: int, href: str = "") -> Part:
        return Part(label, Count(count, href if count else ""), count / n)

    def listed(**terms: str) -> str:
        return links.list(**terms) if links else ""

    rules = [*report["rule"].items()][:RULES_SHOWN]
    return {
        "n": n,
        "unread_share": report["unread"] / n,
        "alarm": alarm(report, settings) if settings else "",
        "states": [
            part(gettext("read"), report["read"] + report["undecided"], listed(q=READ)),
            replace(part(gettext("unread"), report["unread"], listed(unread="yes")), term="unread"),
            replace(part(gettext("blank"), report["blank"], listed(unanswered="yes")), term="unanswered"),
            part(gettext("by the verdict of the file alone"), report.get("file", 0), listed(q=FILE_ALONE)),
            replace(
                part(gettext("decided by people"), report["decided"], listed(verdict_by="person")),
                href=page and f"{page}&state=decided",
            ),
        ],
        "classes": [part(name, report["class"].get(name, 0), listed(reading_class=name)) for name in CLASSES],
        "where": [part(name, count, listed(reading_where=name)) for name, count in report["where"].items()],
        "rules": [part(name.replace("_", " "), count, listed(reading_rule=name)) for name, count in rules],
        "flags": [
            part(name.replace("_", " "), count, listed(reading_flag=name)) for name, count in report["flags"].items()
        ],
        "reasons": [
            Part(
                label=str(REASONS.get(row["reason"], row["reason"])),
                count=Count(row["n"], listed(unread_reason=ASKED.get(row["reason"], row["reason"]))),
                share=row["n"] / n,
                href=page and f"{page}&{urlencode({'reason': row['reason']})}",
                texts=tuple((text, times) for text, times in row["texts"]),
            )
            for row in report["reasons"]
        ],
        "verdicts": report["verdicts"] if verdicts else {"n": 0},
        "decide": page if report["unread"] or report["undecided"] else "",
    }

"""The annotations of a sample under letters, how they compare, and the gold that is proposed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext

from annotation.common.reasons import offered_reasons
from annotation.common.sentences import checks_json
from annotation.common.words import FIELD_WORDS
from annotation.consensus import BoxGroup, Combine, Compared, Field, proposal, proposed_facets
from annotation.content.checks import validate_gold
from annotation.content.drawn_on import shown_json
from annotation.content.evidence import Mismatch, mismatches_for
from annotation.content.json import content_to_json
from annotation.models import Adjudication, Sample
from annotation.queue.rounds import Submissions, box_names, rule_of, submissions_of
from annotation.regions import has_outlines
from annotation.review.read import letters_of
from annotation.schema import Box, Outline, SampleContent
from webapp.accounts.models import User


def comparison_json(user: User, sample: Sample) -> dict[str, Any]:
    """Return the data for this adjudicator's decision, for the page and the API. Authors are named only if the lead's
    rules allow it, and flags are shown outside the control arm.
    """
    rule = rule_of(sample.benchmark)
    submissions = submissions_of(sample, rule)
    letters = letters_of(sample, submissions)
    content, groups = proposal(submissions.contents, submissions.compared, rule.consensus)
    facets = proposed_facets(submissions.facets)
    plan = any(one.plan for one in submissions.contents)
    toolchain = any(one.reference_toolchain for one in submissions.contents)
    return {
        "key": sample.key,
        "image_sha256": sample.image.sha256 if sample.image else None,
        "image_problem": sample.image_problem,
        "content": content_to_json(content, box_names(submissions, groups), facets),
        "annotations": sorted(_annotations(submissions, letters, rule.hide_names), key=lambda one: str(one["letter"])),
        "flags": _flags(user, sample, submissions, letters),
        "groups": [_group(group, letters) for group in submissions.compared.groups],
        "combine": rule.combine,
        "fields": _fields(submissions, plan),
        "disputed": not submissions.compared.agreed,
        "round": Adjudication.objects.filter(sample=sample).exclude(decision="").count() + 1,
        "checks": checks_json(validate_gold(sample, content, facets)),
        "reasons": offered_reasons(sample.benchmark, toolchain=toolchain, tool_plan=plan),
    }


def _flags(user: User, sample: Sample, submissions: Submissions, letters: list[str]) -> list[dict[str, Any]]:
    """The differing answers of checking models, each with the annotations that it differs from."""
    found = mismatches_for(user, sample, submissions.revisions)
    named: dict[Mismatch, list[str]] = {}
    for letter, revision in sorted(zip(letters, submissions.revisions, strict=True), key=lambda one: one[0]):
        for one in found.get(revision.pk, ()):
            named.setdefault(one, []).append(letter)
    field = Field.ANSWER if Field.ANSWER in submissions.compared.fields else Field.QUESTION
    return [{"field": field.value, "letters": of, **asdict(one)} for one, of in named.items()]


def _annotations(submissions: Submissions, letters: list[str], hide_names: bool) -> list[dict[str, Any]]:
    rows = zip(letters, submissions.revisions, submissions.shown, strict=True)
    return [
        {
            "letter": letter,
            "author": "" if hide_names else str(revision.annotation.author or gettext("the importer")),
            "content": shown_json(revision, shown),
            "other_image": "shape" if shown.lost else "size" if shown.moved else None,
        }
        for letter, revision, shown in rows
    ]


def shape_json(shape: Box) -> Any:
    """A box as its four numbers, a polygon or a point as in content JSON."""
    return {"box": shape.as_list(), **shape.written()} if isinstance(shape, Outline) else shape.as_list()


def _group(group: BoxGroup, letters: list[str]) -> dict[str, Any]:
    """The shape of each member by letter, and of boxes each combination that leaves an area."""
    boxes = not has_outlines(group.boxes)
    combined = {how.value: box.as_list() for how in Combine if boxes and (box := group.combined(how)) is not None}
    members = zip(group.members, group.boxes, strict=True)
    return {"members": {letters[person]: shape_json(box) for person, box in members}, "combined": combined}


def _fields(submissions: Submissions, plan: bool) -> list[dict[str, Any]]:
    """Only the fields that an annotator filled in, disputed ones first."""
    compared: Compared = submissions.compared
    chain = any(one.reference_toolchain for one in submissions.contents)
    empty = {Field.TOOLCHAIN: not chain, Field.PLAN: not plan, Field.FACETS: not any(submissions.facets)}
    shown = [
        {"name": name.value, "label": str(FIELD_WORDS[name]), "agreed": one.agreed, "value": one.value}
        for name, one in compared.fields.items()
        if not empty.get(name, False)
    ]
    differ = len({str(sorted(one.items())) for one in submissions.facets}) > 1
    for field in shown:
        field["optional_differ"] = field["name"] == Field.FACETS.value and field["agreed"] and differ
    if Field.ANSWER not in compared.fields and _answers(submissions.contents):
        shown.insert(
            1, {"name": Field.ANSWER.value, "label": str(FIELD_WORDS[Field.ANSWER]), "agreed": False, "value": None}
        )
    return sorted(shown, key=lambda one: bool(one["agreed"]))


def _answers(contents: tuple[SampleContent, ...]) -> bool:
    return any(content.answers for content in contents)

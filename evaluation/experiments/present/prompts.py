"""Prompts for their pages: the use of each version, the differences between two, and previews of what a
model receives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from annotation.models import Benchmark, BuildItem, Image
from evaluation.experiments.read.prompts import Owner, PromptHistory, PromptVersion, prompts_of
from evaluation.experiments.read.tasks import selected_samples, task_of, with_task
from evaluation.experiments.write.board import text_of
from evaluation.experiments.write.drafts import offered_fields
from evaluation.experiments.write.judges import subjects_of
from evaluation.models import Trajectory
from evaluation.runner.drafts import DraftRecipe
from evaluation.runner.judges import PROMPTS, WITH_CROPS, Question, judge_values
from evaluation.runner.openings import Opening
from evaluation.runner.protocols import PROTOCOLS
from evaluation.runner.recipe import Recipe, RecipeError
from evaluation.runner.templates import SLUGS, PromptError, Role
from evaluation.runner.templates import Prompt as Template
from webapp.common.word_diff import Piece, word_diff

LONGEST = 1500
"""The maximum number of words and spaces of a text that are compared individually."""
OWNER_WORDS = {
    Owner.SIGHTLINE: gettext_lazy("Sightline"),
    Owner.SITE: gettext_lazy("the site"),
    Owner.BENCHMARK: gettext_lazy("this benchmark"),
}
JUDGED: Mapping[Role, Question] = {SLUGS[slug]: question for question, slug in PROMPTS.items()}
"""Roles of judges, with their questions."""
_WORDS = re.compile(r"\n|[^\S\n]+|\S+")


@dataclass(frozen=True)
class VersionRow:
    """A version with its URL, and the number of experiments that use it."""

    version: PromptVersion
    href: str
    used: int
    used_href: str

    @property
    def number(self) -> str:
        return self.version.template.version


@dataclass(frozen=True)
class PromptRow:
    """A prompt of the list; versions are newest first."""

    history: PromptHistory
    href: str
    owner: str
    versions: Sequence[VersionRow]


@dataclass(frozen=True)
class Message:
    """A message as a model receives it. ``before``: content in front of the text, such as the image."""

    speaker: str
    text: str
    before: str = ""


@dataclass(frozen=True)
class Preview:
    """The messages that a model receives for a sample. ``problem``: the reason why there are none. ``blank``: fields
    that only an experiment fills in; they are shown unchanged.
    """

    sample: str = ""
    messages: Sequence[Message] = ()
    problem: str = ""
    blank: Sequence[str] = ()


def prompt_rows(benchmark: Benchmark) -> list[PromptRow]:
    """All prompts of the list. Four queries."""
    used = benchmark.experiments.prompts()
    return [prompt_row(benchmark, history, used) for history in prompts_of(benchmark)]


def prompt_row(benchmark: Benchmark, history: PromptHistory, used: Mapping[tuple[str, str], int]) -> PromptRow:
    href = reverse("evaluation:prompt", args=[benchmark.slug, history.slug])
    experiments = reverse("evaluation:experiments", args=[benchmark.slug])
    versions = [
        VersionRow(
            one, f"{href}?{urlencode({'version': one.template.version})}",
            used.get((one.template.slug, one.template.version), 0), f"{experiments}?{urlencode({'prompt': str(one)})}",
        )
        for one in reversed(history.versions)
    ]  # fmt: skip
    return PromptRow(history, href, str(OWNER_WORDS[history.owner]), versions)


def sides(old: str, new: str) -> tuple[list[Piece], list[Piece]]:
    """The older and the newer text in pieces, for two columns. A changed end of a line is shown as ↵."""
    found = word_diff(_WORDS.findall(old), _WORDS.findall(new), joined="", longest=LONGEST)
    shown = [piece if piece.kind == "same" else Piece(piece.kind, piece.text.replace("\n", "↵\n")) for piece in found]
    return [one for one in shown if one.kind != "new"], [one for one in shown if one.kind != "cut"]


def preview_of(benchmark: Benchmark, template: Template, *, sample: str = "", protocol: str = "") -> Preview:
    """Return the messages of this template, rendered as by an experiment. ``sample``: its id, "" for the first."""
    if template.role is Role.SYSTEM or template.role in _user_roles():
        return _of_task(benchmark, template, sample, protocol or _fitting(template))
    if template.role is Role.DRAFT:
        return _of_draft(benchmark, template, sample)
    if template.role in (Role.DESCRIBE, Role.AUDIT_TOOLS, Role.AUDIT_STEPS):
        return _of_item(benchmark, template, sample)
    return _of_trajectory(benchmark, template, sample)


def _of_draft(benchmark: Benchmark, template: Template, key: str) -> Preview:
    """Return the request for drafts of all fields of an image."""
    samples = benchmark.samples.filter(image__state=Image.State.READY).order_by("key")
    found = (samples.filter(key=key) if key else samples).select_related("image").first()
    if found is None or found.image is None:
        return Preview(key, problem=gettext("There is no such sample with an image."))
    fields = tuple(offered_fields(benchmark.task))
    asks = DraftRecipe(fields, "model", "http://localhost", template).asks(found.image.width, found.image.height)
    size = {"width": str(found.image.width), "height": str(found.image.height)}
    return Preview(found.key, [Message("user", template.rendered({"fields": asks, **size}), gettext("the image"))])


def _of_item(benchmark: Benchmark, template: Template, number: str) -> Preview:
    """Return the request about the text of an item of the building board."""
    items = BuildItem.objects.filter(benchmark=benchmark).exclude(steps=[]).order_by("number")
    items = items.exclude(distractors=[]) if template.role is Role.DESCRIBE else items.exclude(description="")
    found = (items.filter(number=number) if number.isdecimal() and len(number) < 9 else items).first()
    if found is None:
        return Preview(number, problem=gettext("There is no such item with its texts on the building board."))
    return Preview(str(found.number), [Message("user", template.rendered(text_of(found).values))])


def _of_task(benchmark: Benchmark, template: Template, key: str, protocol: str) -> Preview:
    samples = with_task(selected_samples(benchmark, ""))
    found = (samples.filter(key=key) if key else samples).first()
    if found is None:
        return Preview(key, problem=gettext("There is no such sample with gold and an image."))
    is_system = template.role is Role.SYSTEM
    try:
        recipe = Recipe.of(
            protocol, "model", "http://localhost", system=template if is_system else None,
            user=None if is_system else template,
        )  # fmt: skip
        opening = Opening(recipe, task_of(found))
    except (RecipeError, PromptError) as error:
        return Preview(found.key, problem=str(error))
    first = [Message("system", opening.system)] if opening.system else []
    return Preview(found.key, [*first, Message("user", opening.user, gettext("the image"))])


def _of_trajectory(benchmark: Benchmark, template: Template, key: str) -> Preview:
    """Return the preview for the first trajectory that a judge can be asked about."""
    rows = Trajectory.objects.of(benchmark).filter(condition="none").order_by("sample__key", "pk")
    rows = rows.exclude(recognition=None, plan=None) if template.role is Role.TOOL_MAP else rows.exclude(answer=None)
    row = (rows.filter(sample__key=key) if key else rows).first()
    if row is None:
        return Preview(key, problem=gettext("There is no trajectory that this prompt can be about."))
    subject = subjects_of([row.pk])[row.pk]
    question = JUDGED.get(template.role, Question.MISTAKE)
    values = judge_values(question, subject, 0)
    blank = sorted(template.fields - values.keys())
    try:
        text = template.rendered({**values, **{name: f"{{{{ {name} }}}}" for name in blank}})
    except PromptError as error:
        return Preview(subject.sample, problem=str(error))
    crops = gettext("the crops") if question in WITH_CROPS else ""
    return Preview(subject.sample, [Message("user", text, crops)], blank=blank)


def _user_roles() -> set[Role]:
    return {SLUGS[protocol.user] for protocol in PROTOCOLS.values()}


def _fitting(template: Template) -> str:
    """Return the protocol that fills in the fields of a template."""
    if template.role is not Role.SYSTEM:
        return next(name for name, protocol in PROTOCOLS.items() if SLUGS[protocol.user] is template.role)
    if template.fields & {"path", "operations"}:
        return "code"
    return "zoom" if "tool" in template.fields else "interface"

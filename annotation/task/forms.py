"""The forms in which a lead edits a schema: one for the blocks, one for each facet and each reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.forms import formset_factory
from django.utils.translation import gettext_lazy

from annotation.common.reasons import reason_words, usual_label
from annotation.common.sentences import translated
from annotation.queue.forms import Percent
from annotation.task_schema import (
    LONGEST_NAME,
    LONGEST_TEXT,
    LONGEST_VALUE,
    MOST_ANY,
    MOST_BOXES,
    MOST_DISTRACTORS,
    MOST_FACETS,
    MOST_OPTIONS,
    MOST_REASONS,
    MOST_STEPS,
    MOST_TARGETS,
    About,
    AnswerKind,
    FacetAuthor,
    Forbidden,
    Kind,
    Problem,
    QuestionAuthor,
    ReasonFor,
    Required,
    Shape,
    TaskSchema,
    Use,
)

USES = [
    (Use.REQUIRED.value, gettext_lazy("required")),
    (Use.OPTIONAL.value, gettext_lazy("optional")),
    (Use.OFF.value, gettext_lazy("not used")),
]
ABOUT = {
    About.SAMPLE: gettext_lazy("the sample"),
    About.IMAGE: gettext_lazy("the image"),
    About.QUESTION: gettext_lazy("the question"),
    About.ANSWER: gettext_lazy("the answer"),
    About.EVIDENCE: gettext_lazy("the evidence"),
    About.FACETS: gettext_lazy("the facets"),
    About.TOOLCHAIN: gettext_lazy("the toolchain"),
    About.PLAN: gettext_lazy("the tool plan"),
}
DECISIONS = {
    ReasonFor.FIX_AND_ACCEPT: gettext_lazy("fix and accept"),
    ReasonFor.RETURN: gettext_lazy("return"),
    ReasonFor.DISCARD: gettext_lazy("discard"),
}
CARDS = {
    "question": gettext_lazy("Question"),
    "answer": gettext_lazy("Answer"),
    "evidence": gettext_lazy("Evidence"),
    "toolchain": gettext_lazy("Reference toolchain"),
    "plan": gettext_lazy("Tool plan"),
}
SHAPES = {
    Shape.BOX: gettext_lazy("boxes"),
    Shape.POLYGON: gettext_lazy("polygons"),
    Shape.POINT: gettext_lazy("points"),
}
HELP = gettext_lazy("Help under the field")
SIGN = "|"
"""Between a value and its help, in one line."""


def _number(label: Any, least: int, most: int, **options: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=least, max_value=most, **options)


def _help() -> forms.CharField:
    return forms.CharField(label=HELP, required=False, max_length=LONGEST_TEXT, strip=True)


class BlocksForm(forms.Form):
    """Every block but facets and reasons. ``version``: of the draft that was changed; 0: there was none."""

    blocks = {
        "question": ("question_who", "most_words", "per_image", "forbid", "help_question"),
        "answer": ("types", "default", "options_least", "options_most", "help_answer"),
        "evidence": (
            "shapes", "boxes_least", "boxes_most", "smallest_side", "warn_share", "refuse_share", "help_evidence",
        ),
        "toolchain": ("toolchain", "steps_least", "steps_most", "end_verified", "help_toolchain"),
        "plan": (
            "plan", "targets_least", "targets_most", "distractors_least", "distractors_most", "help_plan",
        ),
    }  # fmt: skip

    question_who = forms.ChoiceField(
        label=gettext_lazy("Given by"),
        choices=[
            (QuestionAuthor.ANNOTATOR.value, gettext_lazy("annotators")),
            (QuestionAuthor.IMPORT.value, gettext_lazy("imported files")),
        ],
        help_text=gettext_lazy("Annotators can't change questions from files, nor their options."),
    )
    most_words = _number(gettext_lazy("Most words"), 1, MOST_ANY, required=False)
    per_image = _number(gettext_lazy("Most questions per image"), 1, MOST_ANY, required=False)
    forbid = forms.BooleanField(label=gettext_lazy("Must not name tools of the tool bank"), required=False)
    help_question = _help()
    types = forms.ChoiceField(
        label=gettext_lazy("Answer type"),
        choices=[
            ("mc open", gettext_lazy("multiple choice or open-ended")),
            ("mc", gettext_lazy("multiple choice")),
            ("open", gettext_lazy("open-ended")),
            ("none", gettext_lazy("no answer, a tool plan only")),
        ],
    )
    default = forms.ChoiceField(
        label=gettext_lazy("A new sample begins with"),
        choices=[("mc", gettext_lazy("multiple choice")), ("open", gettext_lazy("open-ended"))],
        help_text=gettext_lazy("Where both are allowed."),
    )
    options_least = _number(gettext_lazy("Fewest options"), 2, MOST_OPTIONS)
    options_most = _number(gettext_lazy("Most options"), 2, MOST_OPTIONS)
    help_answer = _help()
    shapes = forms.MultipleChoiceField(
        label=gettext_lazy("Shapes"),
        choices=[(shape.value, words) for shape, words in SHAPES.items()],
        widget=forms.CheckboxSelectMultiple,
    )
    boxes_least = _number(gettext_lazy("Fewest shapes"), 0, MOST_BOXES)
    boxes_most = _number(gettext_lazy("Most shapes"), 0, MOST_BOXES)
    smallest_side = forms.FloatField(
        label=gettext_lazy("Shortest side of a box or polygon, pixels"), min_value=1, max_value=MOST_ANY
    )
    warn_share = Percent(label=gettext_lazy("Warn above this share of the image, %"))
    refuse_share = Percent(
        label=gettext_lazy("Refuse above this share of the image, %"),
        required=False,
        help_text=gettext_lazy("Empty: never refused."),
    )
    help_evidence = _help()
    toolchain = forms.ChoiceField(label=gettext_lazy("Reference toolchain"), choices=USES)
    steps_least = _number(gettext_lazy("Fewest steps"), 1, MOST_STEPS)
    steps_most = _number(gettext_lazy("Most steps"), 1, MOST_STEPS)
    end_verified = forms.BooleanField(
        label=gettext_lazy("A person verifies that it ends at the answer before the sample is accepted"), required=False
    )
    help_toolchain = _help()
    plan = forms.ChoiceField(label=gettext_lazy("Tool plan"), choices=USES)
    targets_least = _number(gettext_lazy("Fewest targets"), 1, MOST_TARGETS)
    targets_most = _number(gettext_lazy("Most targets"), 1, MOST_TARGETS)
    distractors_least = _number(gettext_lazy("Fewest distractors"), 0, MOST_DISTRACTORS)
    distractors_most = _number(gettext_lazy("Most distractors"), 0, MOST_DISTRACTORS)
    help_plan = _help()
    help_facets = _help()
    note = forms.CharField(label=gettext_lazy("What changed"), max_length=300, required=False)
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)


class FacetForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
    kind = forms.ChoiceField(
        label=gettext_lazy("Values of a sample"),
        choices=[(Kind.SINGLE.value, gettext_lazy("one")), (Kind.MULTIPLE.value, gettext_lazy("any number"))],
    )
    required = forms.ChoiceField(
        label=gettext_lazy("Required"),
        choices=[
            (Required.NO.value, gettext_lazy("no")),
            (Required.SUBMIT.value, gettext_lazy("to submit")),
            (Required.ACCEPT.value, gettext_lazy("to accept")),
        ],
    )
    who = forms.ChoiceField(
        label=gettext_lazy("Given by"),
        choices=[
            (FacetAuthor.ANNOTATOR.value, gettext_lazy("annotators")),
            (FacetAuthor.REVIEWER.value, gettext_lazy("reviewers")),
            (FacetAuthor.IMPORT.value, gettext_lazy("imported files")),
        ],
    )
    closed = forms.BooleanField(label=gettext_lazy("Only the values below"), required=False)
    values = forms.CharField(
        label=gettext_lazy("Values"),
        required=False,
        widget=forms.Textarea({"rows": 4, "class": "input", "spellcheck": "false"}),
        help_text=gettext_lazy("One per line. Help may follow after |."),
    )
    remove = forms.BooleanField(label=gettext_lazy("Remove"), required=False)


class ReasonForm(forms.Form):
    code = forms.CharField(label=gettext_lazy("Code"), max_length=LONGEST_NAME)
    label = forms.CharField(label=gettext_lazy("Words"), max_length=LONGEST_VALUE)
    about = forms.ChoiceField(label=gettext_lazy("About"), choices=[(one.value, words) for one, words in ABOUT.items()])
    decisions = forms.MultipleChoiceField(
        label=gettext_lazy("Offered for"),
        choices=[(one.value, words) for one, words in DECISIONS.items()],
        widget=forms.CheckboxSelectMultiple,
    )
    retired = forms.BooleanField(label=gettext_lazy("Retired"), required=False)
    remove = forms.BooleanField(label=gettext_lazy("Remove"), required=False)


FacetForms = formset_factory(FacetForm, extra=0, max_num=MOST_FACETS, validate_max=True, absolute_max=MOST_FACETS + 1)
ReasonForms = formset_factory(
    ReasonForm, extra=0, max_num=MOST_REASONS, validate_max=True, absolute_max=MOST_REASONS + 1
)
PATHS = {
    "question.who": "question_who", "question.most_words": "most_words",
    "question.per_image": "per_image", "question.forbid": "forbid",
    "answer.types": "types", "answer.default": "default", "answer.options": "options_most",
    "evidence.shapes": "shapes", "evidence.count": "boxes_most",
    "evidence.smallest_side": "smallest_side", "evidence.warn_share": "warn_share",
    "evidence.refuse_share": "refuse_share", "toolchain.use": "toolchain", "toolchain.steps": "steps_most",
    "toolchain.end_verified": "end_verified", "plan.use": "plan", "plan.targets": "targets_most",
    "plan.distractors": "distractors_most",
}  # fmt: skip
"""The fields that show a block's problems, by their path in the JSON."""
ENTRY = re.compile(r"(facets|reasons)\[(\d+)\]\.?(\w*)")


class SchemaForms:
    """All forms of one schema: filled from ``task`` and the draft's ``note`` and ``version``, or bound to what was
    ``posted``. A posted ``add`` ("facets" or "reasons") asks for one more empty form."""

    def __init__(self, task: TaskSchema, *, note: str = "", version: int = 0, posted: Any = None) -> None:
        self.posted = posted
        added = posted.get("add", "") if posted is not None else ""
        self.blocks = BlocksForm(posted, initial=_blocks(task) | {"note": note, "version": version})
        self.facets = FacetForms(_more(posted, "facets", added), prefix="facets", initial=_facets(task))
        self.reasons = ReasonForms(_more(posted, "reasons", added), prefix="reasons", initial=_reasons(task))

    @property
    def cards(self) -> list[tuple[Any, list[Any]]]:
        """The title and the fields of each block."""
        return [(CARDS[name], [self.blocks[field] for field in names]) for name, names in BlocksForm.blocks.items()]

    def is_valid(self) -> bool:
        """Return whether every form can be read; ``TaskSchema.parse`` checks whether they make a schema."""
        return all([self.blocks.is_valid(), _left(self.facets), _left(self.reasons)])

    @property
    def content(self) -> dict[str, Any]:
        """The JSON that the valid forms describe."""
        return _content(self.blocks.cleaned_data) | {
            "facets": [_facet(form.cleaned_data) for form in _kept(self.facets)],
            "reasons": [_reason(form.cleaned_data) for form in _kept(self.reasons)],
        }

    def show(self, problems: Iterable[Problem]) -> None:
        """Say each problem at its field."""
        entries = {"facets": _kept(self.facets), "reasons": _kept(self.reasons)}
        for problem in problems:
            text = translated(problem.text)
            place = ENTRY.match(problem.where)
            if place is None:
                self.blocks.add_error(PATHS.get(problem.where), text)
                continue
            form, field = entries[place[1]][int(place[2])], {"for": "decisions"}.get(place[3], place[3])
            form.add_error(field if field in form.fields else None, text)


def _more(posted: Any, prefix: str, added: str) -> Any:
    if added != prefix:
        return posted
    more, name = posted.copy(), f"{prefix}-TOTAL_FORMS"
    count = more.get(name, "")
    more[name] = int(count) + 1 if count.isdigit() and len(count) < 5 else count
    return more


def _left(forms_of: Any) -> bool:
    """Whether all entries are valid that are not to be removed."""
    forms_of.is_valid()
    faults = [form for form in forms_of.forms if form.errors and not form.cleaned_data.get("remove")]
    return not faults and not forms_of.non_form_errors()


def _kept(forms_of: Any) -> list[Any]:
    """The entries with something in them, except those to be removed."""
    return [form for form in forms_of.forms if form.cleaned_data and not form.cleaned_data.get("remove")]


def _blocks(task: TaskSchema) -> dict[str, Any]:
    answer, evidence, toolchain, plan = task.answer, task.evidence, task.toolchain, task.plan
    helps = {f"help_{block}": task.help.get(block, "") for block in (*BlocksForm.blocks, "facets")}
    return helps | {
        "question_who": task.question.who.value,
        "most_words": task.question.most_words,
        "per_image": task.question.per_image,
        "forbid": task.question.forbid is Forbidden.BANK_NAMES,
        "types": " ".join(sorted(one.value for one in answer.types)),
        "default": "open" if answer.default is AnswerKind.NONE else answer.default.value,
        "options_least": answer.options.least, "options_most": answer.options.most,
        "shapes": [shape.value for shape in evidence.shapes],
        "boxes_least": evidence.count.least, "boxes_most": evidence.count.most,
        "smallest_side": evidence.smallest_side, "warn_share": evidence.warn_share,
        "refuse_share": evidence.refuse_share,
        "toolchain": toolchain.use.value, "end_verified": toolchain.end_verified,
        "steps_least": toolchain.steps.least, "steps_most": toolchain.steps.most,
        "plan": plan.use.value, "targets_least": plan.targets.least, "targets_most": plan.targets.most,
        "distractors_least": plan.distractors.least, "distractors_most": plan.distractors.most,
    }  # fmt: skip


def _content(given: Mapping[str, Any]) -> dict[str, Any]:
    types = given["types"].split()
    both = len(types) > 1
    return {
        "question": {
            "who": given["question_who"], "most_words": given["most_words"], "per_image": given["per_image"],
            "forbid": (Forbidden.BANK_NAMES if given["forbid"] else Forbidden.NOTHING).value,
        },
        "answer": {
            "types": types, "default": given["default"] if both else types[0],
            "options": [given["options_least"], given["options_most"]],
        },
        "evidence": {
            "shapes": given["shapes"],
            "count": [given["boxes_least"], given["boxes_most"]], "smallest_side": given["smallest_side"],
            "warn_share": given["warn_share"], "refuse_share": given["refuse_share"],
        },
        "toolchain": {
            "use": given["toolchain"], "steps": [given["steps_least"], given["steps_most"]],
            "end_verified": given["end_verified"],
        },
        "plan": {
            "use": given["plan"], "targets": [given["targets_least"], given["targets_most"]],
            "distractors": [given["distractors_least"], given["distractors_most"]],
        },
        "help": {block: given[f"help_{block}"] for block in (*BlocksForm.blocks, "facets")},
    }  # fmt: skip


def _facets(task: TaskSchema) -> list[dict[str, Any]]:
    return [
        {
            "name": facet.name, "kind": facet.kind.value, "required": facet.required.value, "who": facet.who.value,
            "closed": facet.closed,
            "values": "\n".join(
                f"{option.value} {SIGN} {option.help}" if option.help else option.value for option in facet.values
            ),
        }
        for facet in task.facets
    ]  # fmt: skip


def _facet(given: Mapping[str, Any]) -> dict[str, Any]:
    lines = [line.partition(SIGN) for line in given["values"].splitlines() if line.strip()]
    return {name: given[name] for name in ("name", "kind", "required", "who", "closed")} | {
        "values": [{"value": value.strip(), "help": words.strip()} for value, _, words in lines]
    }


def _reasons(task: TaskSchema) -> list[dict[str, Any]]:
    return [
        {
            "code": reason.code, "label": reason_words(task, reason.code), "about": reason.about.value,
            "decisions": [one.value for one in reason.decisions], "retired": reason.retired,
        }
        for reason in task.reasons
    ]  # fmt: skip


def _reason(given: Mapping[str, Any]) -> dict[str, Any]:
    label = usual_label(given["code"], given["label"])
    return {name: given[name] for name in ("code", "about", "retired")} | {"label": label, "for": given["decisions"]}

"""Forms of the pages of endpoints and experiments; the actions check what they send."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.building.audits import LEAST_SHARE as LEAST_AUDITED
from annotation.drafting import MOST_PLANTED, OF_QUESTION, Field
from annotation.evidence import Purpose
from evaluation.common.evidence import CONDITION_WORDS
from evaluation.detections import THRESHOLD
from evaluation.endpoints.presets import PRESETS
from evaluation.experiments.read.prompts import prompts_of
from evaluation.experiments.write.arms import MARGIN, MOST_MARGIN, USUAL, ArmChoices
from evaluation.experiments.write.board import AuditChoices, DescribeChoices, RenderChoices
from evaluation.experiments.write.clicks import ClickChoices, derived_click
from evaluation.experiments.write.control_share import LEAST_SHARE, MOST_SHARE
from evaluation.experiments.write.create import DEFAULT_SAMPLING, MOST_ROLLOUTS, Choices
from evaluation.experiments.write.detectors import DetectorChoices
from evaluation.experiments.write.drafts import (
    DraftChoices,
    derived_config,
    drafted_by,
    offered_fields,
    shown_config,
    source_kind,
    usual_fields,
)
from evaluation.experiments.write.endpoints import DIALECTS
from evaluation.experiments.write.evidence import EvidenceChoices
from evaluation.experiments.write.judges import JudgeChoices
from evaluation.experiments.write.prompts import MOST_NOTE, MOST_SLUG
from evaluation.models import Endpoint, Run
from evaluation.runner.dialects.zoom import Frame
from evaluation.runner.judges import PROMPTS, VOTES
from evaluation.runner.label_config import LONGEST_CONFIG
from evaluation.runner.ml_backend import FIELDS as BACKEND_FIELDS
from evaluation.runner.protocols import PROTOCOLS
from evaluation.runner.renderings import LARGEST_SEED, SIZES
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.templates import SLUGS, Role
from evaluation.runner.tokens import FAMILIES
from webapp.common.translation import Text

USER_ROLES = tuple(dict.fromkeys(SLUGS[protocol.user] for protocol in PROTOCOLS.values()))
ROLE_WORDS = {
    Role.SYSTEM.value: _("system: the first message"),
    Role.USER.value: _("user: asks the question of a sample"),
    Role.RECOGNITION.value: _("recognition: asks for every tool in the image (Task I)"),
    Role.PLAN.value: _("plan: asks for the tools of a task (Task II)"),
    Role.RELIABILITY.value: _("reliability: asks a judge whether crops support the answer"),
    Role.SUFFICIENCY.value: _("sufficiency: asks a judge to answer from the crops alone"),
    Role.ANSWER_JUDGE.value: _("answer-judge: asks a judge whether two answers mean the same"),
    Role.TOOL_MAP.value: _("tool-map: asks a judge which tools the names mean"),
    Role.INJECTOR.value: _("injector: changes one fact of the reasoning"),
    Role.PARAPHRASE.value: _("paraphrase: rewords the reasoning"),
    Role.DRAFT.value: _("draft: asks for the parts of a new sample"),
    Role.DESCRIBE.value: _("describe: asks for the scene of an item of the building board"),
    Role.AUDIT_TOOLS.value: _("audit-tools: asks what each tool of a text of the building board is for (QC-I)"),
    Role.AUDIT_STEPS.value: _("audit-steps: asks whether the order of its steps is valid (QC-I)"),
}
_PROTOCOL_WORDS = {
    "base": _("base: answer from the image alone"),
    "zoom": _("zoom: one tool that zooms into regions"),
    "interface": _("interface: all tools of the toolbox"),
    "code": _("code: Python in a sandbox"),
    "recognition": _("recognition: name every tool in the image (Task I)"),
    "plan": _("plan: name the tools of a task in order (Task II)"),
}

_FIELD_WORDS = {
    Field.QUESTION.value: _("Question"),
    Field.OPTIONS.value: _("Options"),
    Field.ANSWER.value: _("Answer"),
    Field.BOXES.value: _("Boxes"),
    Field.TOOLCHAIN.value: _("Toolchain"),
    Field.TARGETS.value: _("Targets"),
    Field.DISTRACTORS.value: _("Distractors"),
}

_FIELDS_OF_KIND = {
    "model": ("prompt", "sampling"),
    "detector": ("names", "threshold"),
    "backend": ("names", "threshold", "label_config"),
}
"""The fields of a drafting that only one kind of endpoint has."""
_HELP_OF_KIND = {
    "model": _("Toolchains and tool plans are drafted together with the question."),
    "detector": _("A detector drafts boxes."),
    "backend": _("An ML backend drafts boxes and answers."),
}

_QUESTION_WORDS = {
    "reliability": _("reliability: do the crops support the answer?"),
    "sufficiency": _("sufficiency: can the question be answered from the crops alone?"),
    "answer": _("answer: does an undecided answer mean the same as the gold?"),
    "tool-map": _("tool-map: which tools do the names of a plan mean?"),
    "mistake": _("mistake: write the reasoning with one fact changed, for arms"),
    "paraphrase": _("paraphrase: write the reasoning in other words, for arms"),
}


def _sampling() -> forms.ChoiceField:
    choices = [(name, name) for name in SAMPLING]
    return forms.ChoiceField(label=_("Sampling"), choices=choices, initial=DEFAULT_SAMPLING)


def _images() -> forms.CharField:
    help_text = _("original, fit:N or pixels:N. Empty: that of the server.")
    return forms.CharField(label=_("Image size"), required=False, max_length=20, help_text=help_text)


def _names() -> forms.CharField:
    return forms.CharField(
        label=_("Names"), required=False, max_length=20_000, widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("What to look for, separated by commas or lines. Empty: all tools in the gold."),
    )  # fmt: skip


_LABELS = _("Labels, separated by commas or lines. Empty: all tools in the gold, otherwise the categories of the task.")
"""The names of an ML backend."""


def _threshold(help_text: Text) -> forms.FloatField:
    return forms.FloatField(
        label=_("Score that counts"), required=False, min_value=0, max_value=1, initial=THRESHOLD, help_text=help_text
    )


def _label_config(help_text: Text) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": 4, "spellcheck": "false"})
    return forms.CharField(
        label=_("Labeling configuration"), required=False, max_length=LONGEST_CONFIG, widget=widget, help_text=help_text
    )


class EndpointForm(forms.Form):
    """An endpoint of a benchmark."""

    name = forms.CharField(label=_("Name"), max_length=60, help_text=_("Lowercase letters, digits and hyphens."))
    preset = forms.ChoiceField(label=_("Server"), choices=[(one.name, _(one.title)) for one in PRESETS.values()])
    base_url = forms.CharField(
        label=_("Address"), max_length=500, required=False,
        help_text=_("Usually ends with /v1. Empty: the usual address of the server."),
    )  # fmt: skip
    model = forms.CharField(label=_("Model"), max_length=200, help_text=_("Its name in requests."))
    label = forms.CharField(
        label=_("Name on pages"), max_length=200, required=False, help_text=_("Empty: the name in requests.")
    )
    family = forms.ChoiceField(
        label=_("Image tokens"), required=False, choices=[("", _("unknown")), *((one, one) for one in FAMILIES)],
        help_text=_("The family whose rule predicts the tokens of an image."),
    )  # fmt: skip
    dialect = forms.ChoiceField(
        label=_("Dialect"), choices=[(one, one) for one in DIALECTS], initial="tools",
        help_text=_("How the model writes calls. tools: calls of the API."),
    )  # fmt: skip
    frame = forms.ChoiceField(
        label=_("Boxes"), choices=[(one.value, one.value) for one in Frame], initial="pixels",
        help_text=_("What the numbers of boxes count, in the dialects tools and json."),
    )  # fmt: skip
    key_name = forms.CharField(
        label=_("Key on the server"), max_length=64, required=False,
        help_text=_("NAME of the variable SIGHTLINE_KEY_NAME."),
    )  # fmt: skip
    key = forms.CharField(
        label=_("Key"), required=False, strip=True,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
        help_text=_("Stored encrypted for this address; never shown again."),
    )  # fmt: skip

    def values(self) -> dict[str, Any]:
        """Return the values for ``add_endpoint``."""
        given = {name: value for name, value in self.cleaned_data.items() if name not in ("name", "key")}
        return given | {"base_url": given["base_url"] or PRESETS[given["preset"]].base_url}


def _offer_prompts(form: forms.Form, name: str, benchmark: Any, roles: Collection[Role], empty: Any) -> None:
    """Let a field choose a version of the prompts with these roles, the newest first; ``empty``: what "" means."""
    found = [
        str(one) for history in prompts_of(benchmark) if history.role in roles for one in reversed(history.versions)
    ]
    chosen = form.fields[name]
    assert isinstance(chosen, forms.ChoiceField)
    chosen.choices = [("", empty), *((one, one) for one in found)]


class ExperimentForm(forms.Form):
    """A new experiment. Empty fields take the default of the protocol or the endpoint."""

    endpoint = forms.ModelChoiceField(label=_("Endpoint"), queryset=Endpoint.objects.none(), empty_label=None)
    protocol = forms.ChoiceField(
        label=_("Protocol"),
        choices=[(name, _PROTOCOL_WORDS[name]) for name in PROTOCOLS],
    )
    rollouts = forms.IntegerField(label=_("Rollouts"), min_value=1, max_value=MOST_ROLLOUTS, initial=1)
    samples = forms.CharField(
        label=_("Samples"), required=False, max_length=2000,
        help_text=_("Terms as in the address of the list of samples, such as facet.scene=street. Empty: all."),
    )  # fmt: skip
    budget_usd = forms.FloatField(label=_("Budget in USD"), min_value=0, initial=5)
    budget_calls = forms.IntegerField(label=_("Most requests"), min_value=1, initial=1000)
    dialect = forms.ChoiceField(
        label=_("Dialect"), required=False, choices=[("", _("of the endpoint")), *((one, one) for one in DIALECTS)]
    )
    prompt = forms.ChoiceField(label=_("System prompt"), required=False)
    user_prompt = forms.ChoiceField(label=_("User prompt"), required=False)
    sampling = _sampling()
    images = _images()
    setting = forms.CharField(
        label=_("Setting name"), required=False, max_length=200, help_text=_("Empty: that of the protocol.")
    )
    lineage = forms.CharField(
        label=_("Lineage"), required=False, max_length=200, help_text=_("If the endpoint serves a checkpoint.")
    )
    step = forms.IntegerField(label=_("Step"), required=False, min_value=0, help_text=_("Of the training."))

    def __init__(self, *args: Any, benchmark: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = Endpoint.objects.offered_to(benchmark).chats()
        _offer_prompts(self, "prompt", benchmark, [Role.SYSTEM], _("of the protocol"))
        _offer_prompts(self, "user_prompt", benchmark, USER_ROLES, _("of the protocol"))

    def choices(self) -> Choices:
        return Choices(**{name: value for name, value in self.cleaned_data.items() if name != "endpoint"})


class _OnRun(forms.Form):
    """Common fields of forms about a run: the run and the endpoint."""

    run = forms.ModelChoiceField(label=_("Run"), queryset=Run.objects.none(), empty_label=None)
    endpoint = forms.ModelChoiceField(label=_("Endpoint"), queryset=Endpoint.objects.none(), empty_label=None)

    def __init__(self, *args: Any, benchmark: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        runs, endpoints = self.fields["run"], self.fields["endpoint"]
        assert isinstance(runs, forms.ModelChoiceField)
        assert isinstance(endpoints, forms.ModelChoiceField)
        runs.queryset = Run.objects.of(benchmark).select_related("model", "benchmark").filter(scoring__isnull=False)
        endpoints.queryset = Endpoint.objects.offered_to(benchmark).chats()

    def values(self) -> dict[str, Any]:
        """All fields but the run and the endpoint."""
        return {name: value for name, value in self.cleaned_data.items() if name not in ("run", "endpoint")}


class ArmForm(_OnRun):
    """Arms of a run. The endpoint should serve the model of the run."""

    arms = forms.CharField(
        label=_("Arms"), initial=USUAL, max_length=500,
        help_text=_("Such as noise:12.5-100x3: doses 12.5 to 100, three draws each. The sham arm is always run."),
    )  # fmt: skip
    estimand = forms.ChoiceField(
        label=_("Estimand"),
        choices=[("prefix", _("prefix: only the answer is drawn")), ("turn", _("turn: later text is drawn too"))],
    )
    confirm = forms.CharField(
        label=_("Confirmatory arms"), required=False, max_length=200,
        help_text=_("Named before the start; their p is adjusted. All others are exploratory."),
    )  # fmt: skip
    margin = forms.FloatField(
        label=_("Margin in points"), min_value=0.1, max_value=MOST_MARGIN, initial=MARGIN,
        help_text=_("A smaller effect counts as none."),
    )  # fmt: skip
    samples = forms.CharField(
        label=_("Samples"), required=False, max_length=2000,
        help_text=_("Terms as in the address of the list of samples, such as facet.scene=street. Empty: all."),
    )  # fmt: skip
    sampling = forms.ChoiceField(
        label=_("Sampling"), required=False,
        choices=[("", _("of the run")), *((name, name) for name in SAMPLING)],
        help_text=_("Without a temperature, all draws of an arm are alike."),
    )  # fmt: skip
    injector = forms.ChoiceField(
        label=_("Prompt of mistakes"), required=False,
        help_text=_("mistake-judge takes the mistakes that a judge wrote with this prompt."),
    )  # fmt: skip
    budget_usd = forms.FloatField(label=_("Budget in USD"), min_value=0, initial=5)
    budget_calls = forms.IntegerField(label=_("Most requests"), min_value=1, initial=10_000)

    def __init__(self, *args: Any, benchmark: Any, **options: Any) -> None:
        super().__init__(*args, benchmark=benchmark, **options)
        wanted = str(self.initial.get("run") or "")
        models = Run.objects.of(benchmark).filter(pk=wanted if wanted.isdecimal() else None)
        names = list(models.values_list("model__name", flat=True))
        offered = Endpoint.objects.offered_to(benchmark)
        _offer_prompts(self, "injector", benchmark, [Role.INJECTOR], _("any: the newest mistakes"))
        self.initial["endpoint"] = next((one for one in offered if one.shown_model in names), None)

    def choices(self) -> ArmChoices:
        return ArmChoices(**self.values())


class JudgeForm(_OnRun):
    """A judge of a run."""

    question = forms.ChoiceField(label=_("Question"), choices=list(_QUESTION_WORDS.items()))
    votes = forms.TypedChoiceField(label=_("Votes"), choices=[(n, n) for n in VOTES], coerce=int, initial=1)
    prompt = forms.ChoiceField(
        label=_("Prompt"), required=False, help_text=_("Its role must fit the question: injector writes mistakes.")
    )
    samples = forms.CharField(
        label=_("Samples"), required=False, max_length=2000,
        help_text=_("Terms as in the address of the list of samples, such as facet.scene=street. Empty: all."),
    )  # fmt: skip
    sampling = _sampling()
    images = _images()
    budget_usd = forms.FloatField(label=_("Budget in USD"), min_value=0, initial=5)
    budget_calls = forms.IntegerField(label=_("Most requests"), min_value=1, initial=10_000)

    def __init__(self, *args: Any, benchmark: Any, **options: Any) -> None:
        super().__init__(*args, benchmark=benchmark, **options)
        roles = [SLUGS[slug] for slug in dict.fromkeys(PROMPTS.values())]
        _offer_prompts(self, "prompt", benchmark, roles, _("of the question"))

    def choices(self) -> JudgeChoices:
        return JudgeChoices(**self.values())


class DetectorForm(forms.Form):
    """A detector that is asked for the tools in the images."""

    endpoint = forms.ModelChoiceField(label=_("Endpoint"), queryset=Endpoint.objects.none(), empty_label=None)
    names = _names()
    threshold = forms.FloatField(
        label=_("Score that counts"), min_value=0, max_value=1, initial=THRESHOLD,
        help_text=_("Objects with a lower score are counted and not kept."),
    )  # fmt: skip
    samples = forms.CharField(
        label=_("Samples"), required=False, max_length=2000,
        help_text=_("Terms as in the address of the list of samples, such as facet.scene=street. Empty: all."),
    )  # fmt: skip
    images = _images()
    setting = forms.CharField(
        label=_("Setting name"), required=False, max_length=200, help_text=_("Empty: detector@ and the score.")
    )
    budget_calls = forms.IntegerField(label=_("Most requests"), min_value=1, initial=10_000)

    def __init__(self, *args: Any, benchmark: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        endpoints = self.fields["endpoint"]
        assert isinstance(endpoints, forms.ModelChoiceField)
        endpoints.queryset = Endpoint.objects.offered_to(benchmark).detectors()

    def choices(self) -> DetectorChoices:
        return DetectorChoices(**{name: value for name, value in self.cleaned_data.items() if name != "endpoint"})


class _ItemsForm(forms.Form):
    """Items of the building board that a model is asked about."""

    endpoint = forms.ModelChoiceField(label=_("Endpoint"), queryset=Endpoint.objects.none(), empty_label=None)
    items = forms.CharField(
        label=_("Items"), required=False, max_length=2000, help_text=_("Numbers, such as 3, 4, 7. Empty: all.")
    )
    budget_usd = forms.FloatField(label=_("Budget in USD"), min_value=0, initial=5)
    budget_calls = forms.IntegerField(label=_("Most requests"), min_value=1, initial=1000)

    def __init__(self, *args: Any, benchmark: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        endpoints = self.fields["endpoint"]
        assert isinstance(endpoints, forms.ModelChoiceField)
        endpoints.queryset = self.offered(Endpoint.objects.offered_to(benchmark))

    def offered(self, endpoints: Any) -> Any:
        """Those of the endpoints that fit."""
        return endpoints.chats()

    def clean_items(self) -> list[int]:
        parts = self.cleaned_data["items"].replace(",", " ").split()
        if not all(part.isdecimal() and len(part) < 9 for part in parts):
            raise forms.ValidationError(_("Enter numbers of items, such as 3, 4, 7."))
        return [int(part) for part in parts]

    def values(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name != "endpoint"}


class AuditForm(_ItemsForm):
    """A model that checks texts of the building board (QC-I)."""

    share = forms.FloatField(
        label=_("Share that people check"), min_value=LEAST_AUDITED, max_value=1, initial=LEAST_AUDITED,
        help_text=_("Of the items, at least one, drawn at random."),
    )  # fmt: skip
    sampling = _sampling()
    tools_prompt = forms.ChoiceField(
        label=_("Prompt about the tools"), required=False,
        help_text=_("Write others on the page Prompts of Experiments, with the role audit-tools or audit-steps."),
    )  # fmt: skip
    steps_prompt = forms.ChoiceField(label=_("Prompt about the steps"), required=False)
    field_order = (
        "endpoint", "items", "share", "tools_prompt", "steps_prompt", "sampling", "budget_usd", "budget_calls",
    )  # fmt: skip

    def __init__(self, *args: Any, benchmark: Any, **options: Any) -> None:
        super().__init__(*args, benchmark=benchmark, **options)
        _offer_prompts(self, "tools_prompt", benchmark, [Role.AUDIT_TOOLS], _("of Sightline"))
        _offer_prompts(self, "steps_prompt", benchmark, [Role.AUDIT_STEPS], _("of Sightline"))

    def choices(self) -> AuditChoices:
        return AuditChoices(**self.values())


class DescribeForm(_ItemsForm):
    """A model that drafts descriptions of the building board."""

    prompt = forms.ChoiceField(label=_("Prompt"), required=False)
    sampling = _sampling()
    field_order = ("endpoint", "items", "prompt", "sampling", "budget_usd", "budget_calls")

    def __init__(self, *args: Any, benchmark: Any, **options: Any) -> None:
        super().__init__(*args, benchmark=benchmark, **options)
        _offer_prompts(self, "prompt", benchmark, [Role.DESCRIBE], _("of Sightline"))

    def choices(self) -> DescribeChoices:
        return DescribeChoices(**self.values())


class RenderForm(_ItemsForm):
    """A model that generates images of the descriptions of the building board."""

    size = forms.ChoiceField(label=_("Size in pixels"), choices=[(size, size.replace("x", " × ")) for size in SIZES])
    seed = forms.IntegerField(
        label=_("Seed"), min_value=0, max_value=LARGEST_SEED, initial=0,
        help_text=_("From which the seed of each image is made."),
    )  # fmt: skip
    field_order = ("endpoint", "items", "size", "seed", "budget_usd", "budget_calls")

    def offered(self, endpoints: Any) -> Any:
        return endpoints.renderers()

    def choices(self) -> RenderChoices:
        return RenderChoices(**self.values())


class _DraftedFields(forms.MultipleChoiceField):
    """The fields to draft. It shows those that the endpoint can draft; for others, the action gives the reason."""

    def valid_value(self, value: Any) -> bool:
        return value in list(Field)


class DraftForm(forms.Form):
    """The choices for drafts of samples to do, of a model, a detector or an ML backend. Its fields are those of the
    kind of the endpoint: of the chosen one, and before a choice of the first."""

    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"), queryset=Endpoint.objects.none(), empty_label=None,
        widget=forms.Select(attrs={"autocomplete": "off"}),
    )  # fmt: skip
    fields_drafted = _DraftedFields(label=_("Fields"), widget=forms.CheckboxSelectMultiple)
    prompt = forms.ChoiceField(label=_("Prompt"), required=False)
    sampling = _sampling()
    names = _names()
    threshold = _threshold(_("Boxes with a lower score are left out."))
    label_config = _label_config(_("As in Label Studio. Empty: that of the task, with the names as labels."))
    samples = forms.CharField(
        label=_("Samples"), required=False, max_length=2000,
        help_text=_("Facets, such as facet.scene=street. Empty: all to do. Gold checks that fit are drafted, too."),
    )  # fmt: skip
    planted_share = forms.FloatField(
        label=_("Planted errors"), min_value=0, max_value=MOST_PLANTED, initial=0, required=False,
        help_text=_("Share of drafted answers and boxes, such as 0.03. Annotators learn it after submitting."),
    )  # fmt: skip
    images = _images()
    budget_usd = forms.FloatField(label=_("Budget in USD"), min_value=0, initial=5)
    budget_calls = forms.IntegerField(label=_("Most requests"), min_value=1, initial=1000)

    def __init__(self, *args: Any, benchmark: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._benchmark = benchmark
        endpoints = self.fields["endpoint"]
        assert isinstance(endpoints, forms.ModelChoiceField)
        endpoints.queryset = Endpoint.objects.offered_to(benchmark).drafters()
        self._fit_endpoint(benchmark.task)
        if "prompt" in self.fields:
            _offer_prompts(self, "prompt", benchmark, [Role.DRAFT], _("of Sightline"))

    def _fit_endpoint(self, task: Any) -> None:
        """Keep the fields of the kind of the endpoint, and offer what it can draft."""
        wanted, offered = str(self["endpoint"].value() or ""), list(self.fields["endpoint"].queryset)  # type: ignore[attr-defined]
        endpoint = next((one for one in offered if str(one.pk) == wanted), offered[0] if offered else None)
        preset = PRESETS[endpoint.preset if endpoint is not None else "generic"]
        self.kind = source_kind(preset)
        self._own = ("fields_drafted", *_FIELDS_OF_KIND[self.kind])
        for name in {name for names in _FIELDS_OF_KIND.values() for name in names} - set(self._own):
            del self.fields[name]
        if self.kind == "backend":
            self.fields["names"].help_text = _LABELS
        drafted = self.fields["fields_drafted"]
        assert isinstance(drafted, _DraftedFields)
        can = [one for one in offered_fields(task) if one in drafted_by(preset)]
        drafted.choices = [(one.value, _FIELD_WORDS[one.value]) for one in can]
        drafted.initial = [one.value for one in usual_fields(preset)]
        drafted.help_text = _HELP_OF_KIND[self.kind] if self.kind != "model" or set(OF_QUESTION) & set(can) else ""

    def derived(self) -> str:
        """The labeling configuration without one of the lead, or why there is none; "" for other endpoints."""
        if self.kind != "backend":
            return ""
        fields = [one for one in BACKEND_FIELDS if one.value in (self["fields_drafted"].value() or ())]
        names = str(self["names"].value() or "")
        return shown_config(lambda: derived_config(self._benchmark, names, fields))

    def of_endpoint(self) -> list[forms.BoundField]:
        """The fields that depend on the kind of the endpoint, in their order."""
        return [one for one in self if one.name in self._own]

    def of_all(self) -> list[forms.BoundField]:
        """The other fields without the endpoint, in their order."""
        return [one for one in self if one.name != "endpoint" and one.name not in self._own]

    def choices(self) -> DraftChoices:
        given = {name: value for name, value in self.cleaned_data.items() if name != "endpoint"}
        threshold = given.pop("threshold", None)
        given["threshold"] = THRESHOLD if threshold is None else threshold
        given["planted_share"] = given["planted_share"] or 0.0
        return DraftChoices(fields=given.pop("fields_drafted"), **given)


class ControlShareForm(forms.Form):
    """The control share, before its first use."""

    control_share = forms.FloatField(
        label=_("Control share"), min_value=LEAST_SHARE, max_value=MOST_SHARE,
        help_text=_("Of pairs of a person and a sample that get no drafts, clicks and flags, such as 0.2."),
    )  # fmt: skip


class ClickForm(forms.Form):
    """The model that annotators ask for the shape at a point. No endpoint: none."""

    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"), queryset=Endpoint.objects.none(), required=False, empty_label=_("none")
    )
    names = _names()
    threshold = _threshold(_("Shapes with a lower score are left out."))
    label_config = _label_config(_("Of an ML backend. Empty: that of the task, with the names as labels."))

    def __init__(self, *args: Any, benchmark: Any, drafting: Any, **options: Any) -> None:
        """``drafting``: how drafts are shown already, None before the first."""
        super().__init__(*args, **{**options, "prefix": "click"})
        self._benchmark = benchmark
        endpoints = self.fields["endpoint"]
        assert isinstance(endpoints, forms.ModelChoiceField)
        endpoints.queryset = Endpoint.objects.offered_to(benchmark).shape_finders()
        if drafting is not None and drafting.click:
            named = Endpoint.objects.named(drafting.click["endpoint"], benchmark)
            self.initial.update(drafting.click["written"], endpoint=named)

    def derived(self) -> str:
        """As of ``DraftForm``, for ML backends."""
        names = str(self["names"].value() or "")
        return shown_config(lambda: derived_click(self._benchmark, names))

    def choices(self) -> ClickChoices:
        given = {name: value for name, value in self.cleaned_data.items() if name != "endpoint"}
        threshold = given.pop("threshold")
        return ClickChoices(threshold=THRESHOLD if threshold is None else threshold, **given)


class EvidenceForm(forms.Form):
    """Questions under conditions, to check annotators or to test whether gold needs its evidence."""

    purpose = forms.ChoiceField(
        label=_("Purpose"),
        choices=[
            (Purpose.CHECK.value, _("check: submitted questions, before their review")),
            (Purpose.EVIDENCE.value, _("evidence: gold questions")),
        ],
    )
    endpoint = forms.ModelChoiceField(label=_("Endpoint"), queryset=Endpoint.objects.none(), empty_label=None)
    conditions = forms.MultipleChoiceField(
        label=_("Conditions"), required=False, widget=forms.CheckboxSelectMultiple,
        choices=[(one.value, words) for one, words in CONDITION_WORDS.items()],
        help_text=_("None: all of the purpose. A check has the full image and the gold crop."),
    )  # fmt: skip
    samples = forms.CharField(
        label=_("Samples"), required=False, max_length=2000,
        help_text=_("Facets, such as facet.scene=street. Empty: all of the purpose."),
    )  # fmt: skip
    prompt = forms.ChoiceField(label=_("Prompt"), required=False)
    sampling = _sampling()
    images = _images()
    budget_usd = forms.FloatField(label=_("Budget in USD"), min_value=0, initial=5)
    budget_calls = forms.IntegerField(label=_("Most requests"), min_value=1, initial=1000)

    def __init__(self, *args: Any, benchmark: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        endpoints = self.fields["endpoint"]
        assert isinstance(endpoints, forms.ModelChoiceField)
        endpoints.queryset = Endpoint.objects.offered_to(benchmark).chats()
        _offer_prompts(self, "prompt", benchmark, [Role.USER], _("of Sightline"))

    def choices(self) -> EvidenceChoices:
        return EvidenceChoices(**{name: value for name, value in self.cleaned_data.items() if name != "endpoint"})


class PromptForm(forms.Form):
    """A prompt, and the sample of its preview. ``based_on``: the digest of the newest version that the person saw."""

    slug = forms.CharField(label=_("Name"), max_length=MOST_SLUG, help_text=_("Lowercase letters, digits and hyphens."))
    role = forms.ChoiceField(label=_("Role"), choices=list(ROLE_WORDS.items()))
    of_site = forms.BooleanField(label=_("For all benchmarks"), required=False)
    text = forms.CharField(label=_("Text"), widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false"}))
    note = forms.CharField(
        label=_("Note"), required=False, max_length=MOST_NOTE, help_text=_("Changes in this version.")
    )
    based_on = forms.CharField(required=False, widget=forms.HiddenInput)
    sample = forms.CharField(
        label=_("Sample of the preview"), required=False, max_length=200, help_text=_("Empty: the first one.")
    )
    protocol = forms.ChoiceField(label=_("Protocol of the preview"), required=False)

    def __init__(self, *args: Any, role: str = "", may_serve_site: bool = False, **options: Any) -> None:
        """``role``: of the prompt whose new version it is, "" for a new prompt."""
        super().__init__(*args, **options)
        chosen = self.fields["protocol"]
        assert isinstance(chosen, forms.ChoiceField)
        chosen.choices = [("", _("fitting the role")), *((name, _PROTOCOL_WORDS[name]) for name in PROTOCOLS)]
        for name in ("slug", "role", "of_site") if role else ("based_on",):
            del self.fields[name]
        if not may_serve_site:
            self.fields.pop("of_site", None)
        if role and role not in (Role.SYSTEM, *USER_ROLES):
            del self.fields["protocol"]


class BudgetForm(forms.Form):
    """The budget of an experiment: ``priced`` ones USD and requests, others requests."""

    budget_usd = forms.FloatField(label=_("Budget in USD"), min_value=0)
    budget_calls = forms.IntegerField(label=_("Most requests"), min_value=1)

    def __init__(self, *args: Any, priced: bool, **more: Any) -> None:
        super().__init__(*args, **more)
        if not priced:
            del self.fields["budget_usd"]

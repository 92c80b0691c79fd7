"""Prompts over the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.access import allowed
from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.experiments.read.prompts import Owner, PromptHistory, history_of, prompts_of
from evaluation.experiments.write.prompts import MOST_NOTE, MOST_SLUG, change_prompt, create_prompt
from evaluation.models.experiment import NAME_FORM
from evaluation.runner.templates import LONGEST, Role
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, WordField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged_rows
from webapp.common.errors import NotFound

Used = Mapping[tuple[str, str], int]


TEXT = "Fields as {{ question }}. The role says which ones it needs and can have. Lines end as in files."


class PromptChange(Form):
    text = TextField(max_length=LONGEST, help_text=TEXT)
    note = TextField(max_length=MOST_NOTE, required=False, default="", allow_blank=True)
    based_on = TextField(max_length=64, help_text="Digest of the newest version that you have read.")


class NewPrompt(Form):
    slug = TextField(max_length=MOST_SLUG, pattern=NAME_FORM)
    role = WordField(choices=[role.value for role in Role])
    text = TextField(max_length=LONGEST, help_text=TEXT)
    note = TextField(max_length=MOST_NOTE, required=False, default="", allow_blank=True)


PROMPT_VERSION = inline_serializer(
    "PromptVersion",
    {
        "version": serializers.CharField(),
        "text": serializers.CharField(),
        "digest": serializers.CharField(help_text="SHA-256 of the text."),
        "frozen": serializers.BooleanField(help_text="An experiment has used it: it can't change."),
        "note": serializers.CharField(allow_blank=True),
        "created_by": serializers.CharField(allow_blank=True),
        "created_at": serializers.DateTimeField(allow_null=True),
        "experiments": serializers.IntegerField(help_text="Experiments of this benchmark with this version."),
    },
)


PROMPT = inline_serializer(
    "Prompt",
    {
        "slug": serializers.CharField(),
        "role": serializers.ChoiceField([role.value for role in Role]),
        "owner": serializers.ChoiceField([owner.value for owner in Owner]),
        "versions": serializers.ListField(child=PROMPT_VERSION, help_text="Oldest first."),
    },
)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="prompts", parameters=PAGING, responses=page_of("PromptPage", PROMPT))
@extend_schema(methods=["POST"], operation_id="prompt_create", request=NewPrompt, responses={201: PROMPT})
@api_view(["GET", "POST"])
def prompts(request: Request, slug: str) -> Response:
    """The prompts that experiments of a benchmark can use: its own, those of the site and those of Sightline. POST
    creates one of the benchmark."""
    benchmark, used = _with_prompts(request, slug)
    if request.method == "GET":
        return paged_rows(request, prompts_of(benchmark), lambda one: _prompt(one, used))
    given = read_form(NewPrompt, request)
    made = create_prompt(actor=person_of(request), benchmark=benchmark, **given)
    return Response(_prompt(_history(benchmark, made.slug), used), status=201)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="prompt", responses=PROMPT)
@extend_schema(methods=["POST"], operation_id="prompt_change", request=PromptChange, responses=PROMPT)
@api_view(["GET", "POST"])
def prompt(request: Request, slug: str, prompt: str) -> Response:
    """A prompt with its versions. POST changes the newest one, or adds a version if it is frozen. It is 409 if another
    person saved a version in the meantime."""
    benchmark, used = _with_prompts(request, slug)
    found = _history(benchmark, prompt)
    if request.method == "POST":
        # Prompts of the site can't be changed at an address of a benchmark, because a token can be limited to it.
        if found.owner is not Owner.BENCHMARK or found.newest.row is None:
            raise NotFound(f"{benchmark.title} has no prompt {prompt} of its own.")
        given = read_form(PromptChange, request)
        change_prompt(actor=person_of(request), prompt=found.newest.row, **given)
        found = _history(benchmark, prompt)
    return Response(_prompt(found, used))


def _with_prompts(request: Request, slug: str) -> tuple[Any, Used]:
    """Return the benchmark, and the number of its experiments with each version of a prompt. People who run experiments
    read prompts, and leads also write them.
    """
    benchmark = benchmark_for(request, slug)
    if request.method != "GET" or not allowed(person_of(request), benchmark, Right.IMPORT_RUNS):
        benchmark_for(request, slug, Right.MANAGE)
    return benchmark, benchmark.experiments.prompts()


def _history(benchmark: Any, slug: str) -> PromptHistory:
    found = history_of(benchmark, slug)
    if found is None:
        raise NotFound(f"There is no prompt {slug}.")
    return found


def _prompt(history: PromptHistory, used: Used) -> dict[str, Any]:
    return {
        "slug": history.slug,
        "role": history.role.value,
        "owner": history.owner.value,
        "versions": [
            {
                "version": one.template.version,
                "text": one.template.text,
                "digest": one.template.digest,
                "frozen": one.frozen,
                "note": one.note,
                "created_by": one.created_by,
                "created_at": one.created_at,
                "experiments": used.get((history.slug, one.template.version), 0),
            }
            for one in history.versions
        ],
    }

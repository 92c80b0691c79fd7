"""The toolchain workbench of a sample, and the page of the toolbox."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.common.chain_marks import mark_json
from annotation.common.loading import load_benchmark, rights_in
from annotation.content.chains.read import known_chains, mark_of
from annotation.content.json import kept_calls
from annotation.content.revisions import revision_json
from annotation.drafting import Field
from annotation.models import Gold, Image, Revision, Sample
from annotation.queue.editor import studio_json
from annotation.queue.handed import require_handed
from annotation.schema import AnswerType, SampleContent
from annotation.toolbox.table import TOOLS
from annotation.workbench.present import known_json, templates_json, toolbox_modules, tools_json
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.errors import NotAllowed


@require_safe
def workbench(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Template annotation/workbench/workbench.html; context: sample, question, answer, bench (for json_script: what the
    script needs), rights."""
    benchmark = load_benchmark(request, slug)
    sample = get_object_or_404(Sample.objects.select_related("image"), benchmark=benchmark, key=key)
    sample.benchmark = benchmark
    rights = rights_in(request, benchmark)
    if isinstance(request.user, User):
        require_handed(request.user, sample)
    gold = _gold_content(sample) if rights[Right.SEE_GOLD.value] else None
    own = _own(request.user, sample, rights)
    content = own["content"] if own else gold
    if content is None:
        raise NotAllowed(
            gettext("You don't have access to a toolchain of %(key)s. Annotate the sample, or ask the lead.")
            % {"key": sample.key}
        )
    of_gold = _parsed(gold) if gold else SampleContent()
    chains = known_chains(sample, of_gold) if rights[Right.SEE_GOLD.value] else []
    bench = {
        "key": sample.key,
        "content": content,
        "version": own["version"] if own else 0,
        "editable": own is not None and own["editable"],
        "image": own["image"] if own else None,
        "same_pixels": own["same_pixels"] if own else [],
        "draft": _draft(own) if own is not None else None,
        "rights": rights,
        "tools": tools_json(),
        "templates": templates_json(sample.width or 1, sample.height or 1),
        "mark": mark_json(mark_of(sample, _parsed(content), request.user), _parsed(content)),
        "chains": [known_json(chain, of_gold, slug) for chain in chains],
        "picture": _picture(sample),
        "urls": _urls(slug, sample.key, rights),
    }
    context = {"benchmark": benchmark, "sample": sample, "bench": bench, "rights": rights, "content": content}
    return render(request, "annotation/workbench/workbench.html", context)


@require_safe
@login_required
def toolbox(request: HttpRequest) -> HttpResponse:
    """Template annotation/tools/toolbox.html; context: modules, a list of (anchor, title, tools), and total."""
    return render(request, "annotation/tools/toolbox.html", {"modules": toolbox_modules(), "total": len(TOOLS)})


def _gold_content(sample: Sample) -> dict[str, Any] | None:
    found = Gold.objects.filter(sample=sample).values("revision")[:1]
    revision = Revision.objects.filter(pk__in=found).with_content().first()
    return revision_json(revision) if revision else None


def _parsed(content: dict[str, Any]) -> SampleContent:
    """Answer and toolchain of a content as the page has it; a draft may have more that is not finished."""
    calls = kept_calls(content["reference_toolchain"])
    kind = AnswerType.OPEN if content["answer_type"] == AnswerType.OPEN else AnswerType.MULTIPLE_CHOICE
    return SampleContent(
        answer_type=kind, options=content["options"], answers=tuple(content["answer"]), reference_toolchain=calls
    )


def _own(user: Any, sample: Sample, rights: dict[str, bool]) -> dict[str, Any] | None:
    """Return the studio's state of the sample for its annotator, or a person who may begin; None for others."""
    if not isinstance(user, User) or not rights[Right.ANNOTATE.value]:
        return None
    own = studio_json(user, sample, rights)
    return own if own["editable"] or own["begun"] else None


def _draft(own: dict[str, Any]) -> dict[str, Any] | None:
    """The drafted toolchain, where this person is shown one."""
    return next((one for one in own["drafts"] if one["field"] == Field.TOOLCHAIN), None)


def _picture(sample: Sample) -> dict[str, Any] | None:
    image = sample.image
    if image is None or image.state != Image.State.READY:
        return None
    return {
        "sha": image.sha256,
        "width": image.width,
        "height": image.height,
        "name": sample.image_name or f"{sample.key}.png",
    }


def _urls(slug: str, key: str, rights: dict[str, bool]) -> dict[str, str]:
    names = {"run": "chain-run", "verify": "chain-verify", "accept": "chain-accept"}
    urls = {name: reverse(f"annotation:{route}", args=[slug, key]) for name, route in names.items()}
    if rights[Right.ANNOTATE.value]:
        urls["draft"] = reverse("annotation:draft", args=[slug, key])
    return urls

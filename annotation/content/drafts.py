"""The draft that the server has, and the error for a page that is behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.content.drawn_on import shown_json, shown_on_image
from annotation.models import Annotation, Draft, Revision
from webapp.common.errors import Conflict


class StaleDraft(Conflict):
    """Another tab or device saved in between; ``extra`` holds the stored version and content."""

    code = "stale"

    def __init__(self, key: str, version: int, content: Mapping[str, Any]) -> None:
        super().__init__(
            gettext("%(key)s was edited elsewhere after this page loaded. Choose which version to keep.") % {"key": key}
        )
        self.extra = {"version": version, "content": dict(content)}


def draft_of(annotation: Annotation) -> Draft | None:
    """Return the stored draft of an annotation, if there is one; no query if it was preloaded (``draft``)."""
    return getattr(annotation, "draft", None)


def current_content(annotation: Annotation, draft: Draft | None) -> dict[str, Any]:
    """The server's copy of an annotation: its draft, else its last revision, else nothing. Evidence is in pixels of the
    image that the sample has; that of a revision on an image of another shape is left out."""
    if draft is not None:
        return dict(draft.content)
    revision = Revision.objects.filter(annotation=annotation).with_content().order_by("-number").first()
    if revision is None:
        return {}
    revision.annotation = annotation
    [shown] = shown_on_image(annotation.sample, [revision])
    return shown_json(revision, shown)

"""Fragments: rows, cells and tiles, of which a page has many. Their templates are those of the second engine."""

from __future__ import annotations

from collections.abc import Mapping

from django.template.loader import get_template
from django.utils.safestring import SafeString

ENGINE = "jinja2"


def fragment(name: str, context: Mapping[str, object]) -> SafeString:
    """The markup of ``templates/<name>``, a ``.jinja`` file, which escapes its values and knows nothing else."""
    return SafeString(get_template(name, using=ENGINE).render(dict(context)))

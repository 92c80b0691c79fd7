"""Pages of the site itself: the answers to what cannot be answered, and whether the process is alive."""

import sys
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.decorators import method_decorator
from django.utils.text import slugify
from django.utils.translation import check_for_language, gettext, override
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import conditional_page, require_safe
from django.views.i18n import JSONCatalog

from webapp import VERSION
from webapp.common.errors import SignedOut, asked_by_script, error_page, error_response, server_error_page
from webapp.common.glossary import all_terms, by_group, find_term, translated
from webapp.common.outages import outage_of, outage_page


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(
        request,
        400,
        code="bad_request",
        title=gettext("The request could not be read"),
        message=gettext("The server can't read what the browser sent. Go back, reload the page and try again."),
    )


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(
        request,
        403,
        code="not_allowed",
        title=gettext("You don't have permission for this"),
        message=str(exception) or gettext("Your roles don't allow this. Ask the benchmark lead for permission."),
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Scripts get a code, so that they fetch a new token or ask the person to sign in again."""
    if asked_by_script(request):
        return error_page(request, SignedOut())
    return error_response(
        request,
        403,
        code="stale_form",
        title=gettext("The form has expired"),
        message=gettext("You signed in or out after you opened this form. Reload the page and try again."),
    )


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(
        request,
        404,
        code="not_found",
        title=gettext("Page not found"),
        message=_where_it_went(request),
    )


def _where_it_went(request: HttpRequest) -> str:
    """The reason for a missing page. Without a hint at missing access if the person has access to the benchmark."""
    if getattr(request, "place", None):
        return gettext("It may have been renamed or deleted.")
    return gettext("It may have been renamed or deleted, or you may not have access.")


def server_error(request: HttpRequest) -> HttpResponse:
    """Django calls this while it handles the exception that nothing else has answered."""
    error = sys.exception()
    outage = outage_of(error) if error else None
    return outage_page(request, outage) if outage else server_error_page(request)


@method_decorator([cache_control(public=True, no_cache=True), conditional_page], "dispatch")
class ScriptTexts(JSONCatalog):
    """The texts of scripts in a language, as ``static/js/lib/t.js`` reads them. Django's catalog has the rule for
    plurals as code, which a page must not run; this one lists its results."""

    def get(self, request: HttpRequest, *args: Any, language: str, **kwargs: Any) -> HttpResponse:
        if not check_for_language(language):
            raise Http404
        with override(language):
            return super().get(request, *args, **kwargs)

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        forms = "".join(str(self.translation.plural(n)) for n in range(200))
        return JsonResponse({"texts": context["catalog"], "forms": forms})


@never_cache
@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """Whether the process answers at all; for probes, without sign-in. Our server answers this itself."""
    return JsonResponse({"status": "alive", "version": VERSION})


@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    """Template ui/glossary.html; context: groups, each an anchor, a title and its entries."""
    groups = [
        (f"group-{slugify(title, allow_unicode=True)}", title, entries)
        for title, entries in by_group(map(translated, all_terms().values())).items()
    ]
    return render(request, "ui/glossary.html", {"groups": groups})


@require_safe
@cache_control(public=True, max_age=600)
def glossary_term(request: HttpRequest, slug: str) -> HttpResponse:
    """Render the popover of a term: template ui/_term_card.html. It is the same for everyone."""
    try:
        entry = find_term(slug)
    except LookupError:
        raise Http404 from None
    return HttpResponse(render_to_string("ui/_term_card.html", {"term": entry}))

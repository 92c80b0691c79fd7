from django.http import HttpRequest

from webapp import VERSION


def site(request: HttpRequest) -> dict[str, str]:
    """Names every template may use."""
    return {"site_host": request.get_host(), "version": VERSION}

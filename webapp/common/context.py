from django.http import HttpRequest

from webapp import VERSION
from webapp.common.http import host_of


def site(request: HttpRequest) -> dict[str, str]:
    """Names every template may use."""
    return {"site_host": host_of(request), "version": VERSION}

"""A client for the reading half of the API. Copy it; it needs httpx."""

from collections.abc import Iterator
from typing import Any

import httpx


class Sightline:
    """Reads one benchmark. Lists come page after page; what did not change is not sent again."""

    def __init__(self, address: str, benchmark: str, token: str = "", **options: Any) -> None:
        base = f"{address.rstrip('/')}/api/v1/benchmarks/{benchmark}/"
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(base_url=base, headers=headers, timeout=60, **options)
        self._kept: dict[httpx.URL, httpx.Response] = {}

    def get(self, path: str, **terms: str | int) -> Any:
        """What is at an address below the benchmark: get("leaderboard/", by="category", slice="Chart")."""
        request = self._http.build_request("GET", path, params=terms or None)
        if kept := self._kept.get(request.url):
            request.headers["If-None-Match"] = kept.headers.get("ETag", "")
        answer = self._http.send(request)
        if answer.is_error:
            ours = "json" in answer.headers.get("Content-Type", "")
            words = answer.json()["error"]["message"] if ours else answer.reason_phrase
            raise httpx.HTTPStatusError(f"{answer.status_code}: {words}", request=request, response=answer)
        if answer.status_code != httpx.codes.NOT_MODIFIED:
            self._kept[request.url] = answer
        return self._kept[request.url].json()

    def rows(self, path: str, **terms: str | int) -> Iterator[dict[str, Any]]:
        """Every row of a list: rows("trajectories/", run=3)."""
        page = {"next": path}
        while page["next"]:
            page, terms = self.get(page["next"], **terms), {}
            yield from page["results"]

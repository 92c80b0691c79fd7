"""A client for the reading half of the API. Copy it; it needs httpx."""

from collections.abc import Iterator
from typing import Any

import httpx


class Sightline:
    """Reads one benchmark. Lists come page after page; what did not change is not sent again."""

    def __init__(self, address: str, benchmark: str, token: str = "", **options: Any) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        base = f"{address.rstrip('/')}/api/v1/benchmarks/{benchmark}/"
        self._http = httpx.Client(base_url=base, headers=headers, timeout=60, **options)
        self._kept: dict[str, tuple[str, Any]] = {}

    def get(self, path: str, **terms: str | int) -> Any:
        """What is at an address below the benchmark: get("leaderboard/", by="category", slice="Chart")."""
        request = self._http.build_request("GET", path, params=terms or None)
        tag, kept = self._kept.get(str(request.url), ("", None))
        request.headers.update({"If-None-Match": tag} if tag else {})
        answer = self._http.send(request)
        if answer.status_code == httpx.codes.NOT_MODIFIED:
            return kept
        if answer.is_error:
            raise ValueError(f"{answer.status_code}: {answer.json()['error']['message']}")
        self._kept[str(request.url)] = answer.headers.get("ETag", ""), answer.json()
        return answer.json()

    def rows(self, path: str, **terms: str | int) -> Iterator[dict[str, Any]]:
        """Every row of a list: rows("trajectories/", run=3)."""
        page = self.get(path, **terms)
        yield from page["results"]
        while page["next"]:
            page = self.get(page["next"])
            yield from page["results"]

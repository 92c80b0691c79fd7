"""What somebody is told whose page is behind what is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.common.errors import Conflict


class StaleDraft(Conflict):
    """Another tab or device saved in between; ``extra`` holds the stored version and content."""

    code = "stale"

    def __init__(self, key: str, version: int, content: Mapping[str, Any]) -> None:
        super().__init__(f"{key} was edited elsewhere after this page loaded. Choose which version to keep.")
        self.extra = {"version": version, "content": dict(content)}

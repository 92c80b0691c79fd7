"""Objects in a bucket of S3 or a compatible store, with timeouts that depend on the caller.

A request waits for the store at most 5 seconds in total, and not at all for a few seconds after another request got no
response. A job has time.
"""

from __future__ import annotations

import time
from typing import Any

from botocore.config import Config
from storages.backends.s3 import S3Storage

from webapp.common.outages import STORE, Outage, outage_of
from webapp.common.request_id import answering

IMPATIENT: dict[str, Any] = {"connect_timeout": 1, "read_timeout": 1.8, "retries": {"total_max_attempts": 2}}
"""The configuration of requests; there is up to a second between both attempts."""
PATIENT: dict[str, Any] = {"connect_timeout": 3, "read_timeout": 30, "retries": {"total_max_attempts": 5}}
LEFT_ALONE_SECONDS = 3.0


class Impatient(S3Storage):
    """The bucket as requests see it."""

    client_config: Any

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.client_config = self.client_config.merge(Config(**IMPATIENT))
        self._left_alone_until = float("-inf")

    def _create_session(self) -> Any:
        session = super()._create_session()
        session.events.register("before-call.s3", self._refuse_while_left_alone)
        session.events.register("after-call-error.s3", self._note_outage)
        return session

    def _refuse_while_left_alone(self, **_: Any) -> None:
        if time.monotonic() < self._left_alone_until:
            raise Outage(STORE)

    def _note_outage(self, *, exception: BaseException, **_: Any) -> None:
        if not isinstance(exception, Outage) and outage_of(exception) is not None:
            self._left_alone_until = time.monotonic() + LEFT_ALONE_SECONDS


class Bucket(S3Storage):
    """The bucket of the settings."""

    client_config: Any

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.client_config = self.client_config.merge(Config(**PATIENT))
        self._for_requests = Impatient(**options)

    @property
    def connection(self) -> Any:
        return self._for_requests.connection if answering() else super().connection

    @property
    def bucket(self) -> Any:
        return self._for_requests.bucket if answering() else super().bucket

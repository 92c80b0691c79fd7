"""The reasons why a call to a model failed, and what a person can do about it."""

from __future__ import annotations

from enum import StrEnum


class ErrorKind(StrEnum):
    """The reason an attempt has no result. The values are stored, so they stay."""

    INPUT_REJECTED = "input_rejected"
    AUTH = "auth"
    RATE = "rate"
    TIMEOUT = "timeout"
    SERVER = "server"
    CUT_STREAM = "cut_stream"
    EMPTY = "empty"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    CONTEXT_LENGTH = "context_length"
    SANDBOX = "sandbox"
    INTERNAL = "internal"

    @property
    def advice(self) -> str:
        """Return what to do next, in one sentence."""
        return _ADVICE[self]

    @property
    def scored(self) -> bool:
        """Whether metrics count the attempt as a missing answer: the endpoint responded, but without an answer. An
        attempt that failed for any other reason says nothing about the model (docs/experiments.md)."""
        return self in {ErrorKind.EMPTY, ErrorKind.REFUSAL, ErrorKind.CONTENT_FILTER, ErrorKind.CONTEXT_LENGTH}


_ADVICE = {
    ErrorKind.INPUT_REJECTED: "Read the endpoint's message, then change the model id, the parameters or the images.",
    ErrorKind.AUTH: "Check the key of the endpoint, its permissions and its credit.",
    ErrorKind.RATE: "Lower the requests or tokens per minute of the endpoint, then retry the failed attempts.",
    ErrorKind.TIMEOUT: "Check that the server is not overloaded, or lower the maximum number of tokens, then retry.",
    ErrorKind.SERVER: "Check that the server runs and that the address is correct, then retry the failed attempts.",
    ErrorKind.CUT_STREAM: "Retry the failed attempts, and check proxies in front of the server if it happens again.",
    ErrorKind.EMPTY: "Check the chat template and the limits of the model, then retry the failed attempts.",
    ErrorKind.REFUSAL: "The model refused to answer: read its message and change the prompt, or keep the failure.",
    ErrorKind.CONTENT_FILTER: "The provider blocked text or image: change its filter settings, or keep the failure.",
    ErrorKind.CONTEXT_LENGTH: "Send smaller images, allow fewer turns or tokens, or choose a model with more context.",
    ErrorKind.SANDBOX: "The sandbox for code does not start on the worker: fix what the error names, then retry.",
    ErrorKind.INTERNAL: "Report this error with the log of the worker, because Sightline itself failed.",
}


class CallFailed(Exception):
    """A request got no usable response, after all retries that its kind allows.

    ``status``: of the last HTTP response, 0 if there was none. ``body``: its bytes as received, without the key.
    ``retries``: requests after the first one. ``retry_after``: seconds the endpoint asked to wait, or None.
    ``usage``: tokens that a filtered or refused response cost (``replies.Usage``), or None.
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        status: int = 0,
        body: bytes = b"",
        retries: int = 0,
        retry_after: float | None = None,
        usage: object = None,
    ) -> None:
        super().__init__(kind, message)
        self.kind = kind
        self.message = message
        self.status = status
        self.body = body
        self.retries = retries
        self.retry_after = retry_after
        self.usage = usage

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"CallFailed({self.kind.value!r}, {self.message!r}, status={self.status}, retries={self.retries})"


class CallCancelled(Exception):
    """The caller asked to stop. Requests that were already sent may have been answered and charged."""

"""Everything that this library raises. README says which is raised when, and what to do then."""

from __future__ import annotations

from ._errors_generated import FIXES, ErrorCodes
from ._redact import plain, redact

__all__ = [
    "APIConnectionError",
    "APIError",
    "APITimeoutError",
    "AcuseError",
    "AuthenticationError",
    "ConfigurationError",
    "ConflictError",
    "ErrorCodes",
    "InvalidRequestError",
    "NotFoundError",
    "PermissionDeniedError",
    "ProtocolError",
    "QuotaExceededError",
    "RateLimitedError",
    "RefusedError",
    "ServerError",
    "UnavailableError",
    "WebhookError",
]


class AcuseError(Exception):
    """Anything that this library raises."""

    idempotency_key: str | None = None
    """The key of a send: trying again under it makes no second message."""
    attempts: int = 0
    """How many requests were made."""
    request_id: str | None = None
    """The server's name for the last request: tell it to the operator."""

    def __init__(self, message: str = "") -> None:
        # Here, and not when it is printed: args and vars() show it too.
        super().__init__(plain(redact(message)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class ConfigurationError(AcuseError):
    """An option, a key or an argument that cannot be right: nothing was requested."""


class APIConnectionError(AcuseError):
    """No answer came, or it broke off."""

    def __init__(self, message: str, *, phase: str, outcome_unknown: bool) -> None:
        super().__init__(message)
        self.phase = phase
        """Where it failed: ``connect``, ``tls``, ``send`` or ``receive``."""
        self.outcome_unknown = outcome_unknown
        """May the server have done what was asked? Then try again only under the same key."""


class APITimeoutError(APIConnectionError):
    """It took longer than ``connect_timeout``, ``timeout`` or ``deadline`` allow."""


class ProtocolError(AcuseError):
    """An answer that the contract does not have: of another program, or changed on its way."""

    def __init__(self, message: str, *, outcome_unknown: bool = False, status: int | None = None) -> None:
        super().__init__(message)
        self.outcome_unknown = outcome_unknown
        """May the server have done what was asked?"""
        self.status = status
        """HTTP status of the answer."""


class APIError(AcuseError):
    """The server refused, and says why."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        message = plain(redact(message))
        self.status = status
        """HTTP status."""
        self.code = code
        """For programs: one of ErrorCodes, or one that came after this library."""
        self.message = message
        """For people: it usually says how to fix the request."""
        self.fix = FIXES[code][1] if code in FIXES else None
        """Advice about this code in general; None for a code that came after this library."""
        self.request_id = request_id
        self.retry_after = retry_after
        """Seconds after which the server wants to be asked again."""
        self.outcome_unknown = False
        """May an attempt of this call have been carried out?"""

    def __str__(self) -> str:
        return plain(redact(f"{self.status} {self.code}: {self.message}"))


class InvalidRequestError(APIError):
    """400, 405, 408, 413, 415: the request is wrong."""


class AuthenticationError(APIError):
    """401: the API key is missing, unknown or revoked."""


class PermissionDeniedError(APIError):
    """403: the key lacks the scope, or the account is suspended or deactivated."""


class NotFoundError(APIError):
    """404: there is no such thing, or it is another account's."""


class ConflictError(APIError):
    """409: it exists already, or its state forbids this."""


class RefusedError(APIError):
    """422: understood, and refused; the code says why."""


class QuotaExceededError(APIError):
    """429 ``quota_exceeded``: the month's quota is used up. It is never retried."""


class RateLimitedError(APIError):
    """429: too many requests; ``retry_after`` says when to go on."""


class ServerError(APIError):
    """5xx: something failed in the service; it may have been carried out."""


class UnavailableError(ServerError):
    """503: unavailable or overloaded; it may have been carried out."""


class WebhookError(AcuseError):
    """A delivery that is not what an endpoint's secret signed."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """For programs, such as ``bad_signature``: README lists them."""


_BY_STATUS: dict[int, type[APIError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    405: InvalidRequestError,
    408: InvalidRequestError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: RefusedError,
    429: RateLimitedError,
    503: UnavailableError,
}


def error_class(status: int, code: str) -> type[APIError]:
    """The class of an error: by its status, and 429 by its code."""
    if status == 429 and code == "quota_exceeded":
        return QuotaExceededError
    return _BY_STATUS.get(status, ServerError if status >= 500 else APIError)

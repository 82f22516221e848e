"""Deliveries of webhooks: are they genuine, are they new, and what do they say."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeAlias

from ._event import WebhookEvent
from ._events_generated import EVENTS, EventTypes, KnownWebhookEvent, OtherWebhookEvent
from .errors import WebhookError

__all__ = [
    "TOLERANCE",
    "EventTypes",
    "KnownWebhookEvent",
    "OtherWebhookEvent",
    "WebhookEvent",
    "verify_webhook",
]

TOLERANCE = 300.0
"""Seconds that the time of a delivery may be from now."""
MAX_SIGNATURES = 10
_PREFIX = "whsec_"
_STAMPED = ("webhook-id", "webhook-timestamp", "webhook-signature")
_UNSTAMPED = ("service-signature", "service-signature-previous")
_RAW_BODY = (
    "The body was parsed already, but the signature covers its bytes: pass request.get_data() in Flask, "
    "request.body in Django, await request.body() in FastAPI and Starlette, await request.read() in aiohttp."
)


class _Items(Protocol):
    """Such as http.server's headers."""

    def items(self) -> Iterable[tuple[Any, Any]]: ...


WebhookHeaders: TypeAlias = Mapping[str, Any] | _Items | Iterable[tuple[Any, Any]]


def verify_webhook(
    body: bytes,
    headers: WebhookHeaders,
    secrets: str | Iterable[str],
    tolerance: float = TOLERANCE,
    *,
    accept_unstamped: bool = False,
    now: float | None = None,
) -> KnownWebhookEvent | OtherWebhookEvent:
    """
    The event of a genuine delivery: ``isinstance(event, EmailBouncedEvent)`` tells what its data holds.

    ``body``: the bytes of the request as they came. ``headers``: names in any case. ``secrets``: the
    endpoint's, or both while a rotated one is still valid. ``accept_unstamped`` also takes a delivery that
    has Service-Signature alone: it has no time, so that whoever records one can repeat it for ever.

    Raises WebhookError, whose ``reason`` says why.
    """
    if isinstance(body, str):
        body = body.encode("utf-8", "surrogateescape")
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise WebhookError("parsed_body", _RAW_BODY)
    body = bytes(body)
    keys = _keys(secrets)
    found = _headers(headers)
    stamped = [found.get(name) for name in _STAMPED]
    if None in stamped:
        _check_unstamped(body, found, [text for text, _ in keys], stamped, accept_unstamped)
        return _event(body, None, False)
    id, timestamp, signatures = (each or "" for each in stamped)
    _check_time(timestamp, time.time() if now is None else now, tolerance)
    signed = f"{id}.{timestamp}.".encode("utf-8", "surrogateescape") + body
    if not _is_signed(signed, signatures, [decoded for _, decoded in keys]):
        raise WebhookError(
            "no_match",
            "No webhook-signature matches: check the secret, and that the body is passed as it came.",
        )
    return _event(body, id, True)


def _keys(secrets: str | Iterable[str]) -> list[tuple[bytes, bytes]]:
    """Each secret as its text and as the bytes that it encodes. Raises WebhookError."""
    given = [secrets] if isinstance(secrets, str) else list(secrets)
    if not given:
        raise WebhookError("bad_secret", "There is no webhook secret: pass the one that the endpoint has.")
    keys = []
    for secret in given:
        decoded = None
        if isinstance(secret, str) and secret.startswith(_PREFIX):
            decoded = _base64(secret[len(_PREFIX) :])
        if not decoded:
            raise WebhookError(
                "bad_secret", "A webhook secret is whsec_ and base64: pass it as it was shown."
            )
        keys.append((secret.encode(), decoded))
    return keys


def _base64(text: str) -> bytes | None:
    """RFC 4648 §4"""
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (ValueError, binascii.Error):
        return None


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _headers(headers: WebhookHeaders) -> dict[str, str]:
    """By lower-case names; WSGI's HTTP_WEBHOOK_ID is one of them."""
    pairs = headers.items() if hasattr(headers, "items") else headers
    found: dict[str, str] = {}
    for name, value in pairs:
        if value is None:
            continue
        plain = _text(name).lower()
        if plain.startswith("http_"):
            plain = plain[5:].replace("_", "-")
        values = value if isinstance(value, (list, tuple)) else [value]
        text = " ".join(_text(each) for each in values)
        if text:
            found[plain] = text
    return found


def _check_time(timestamp: str, now: float, tolerance: float) -> None:
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookError("malformed_header", "webhook-timestamp is not a time in Unix seconds.")
    # The server gives whole seconds: the part of this one that has passed does not count.
    age = int(now) - int(timestamp)
    if age > tolerance:
        raise WebhookError("too_old", f"The delivery is {age} s old: a replay, or this clock is fast.")
    if -age > tolerance:
        raise WebhookError("too_new", f"The delivery is {-age} s in the future: check this clock.")


def _is_signed(signed: bytes, signatures: str, keys: list[bytes]) -> bool:
    given = [each[3:] for each in signatures.split()[:MAX_SIGNATURES] if each.startswith("v1,")]
    matches = False
    for key in keys:
        expected = hmac.new(key, signed, hashlib.sha256).digest()
        for text in given:
            matches = hmac.compare_digest(expected, _base64(text) or b"") or matches
    return matches


def _check_unstamped(
    body: bytes, found: dict[str, str], keys: list[bytes], stamped: list[str | None], accepted: bool
) -> None:
    missing = next(name for name, value in zip(_STAMPED, stamped, strict=True) if value is None)
    given = [found[name] for name in _UNSTAMPED if name in found]
    if not given or any(value is not None for value in stamped):
        raise WebhookError("missing_header", f"{missing} is missing: pass all headers of the request.")
    if not accepted:
        raise WebhookError(
            "unstamped",
            "The delivery has Service-Signature alone, which has no time: whoever recorded one could repeat "
            "it for ever. accept_unstamped=True takes it all the same.",
        )
    matches = False
    for key in keys:
        expected = "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()
        for text in given:
            matches = hmac.compare_digest(expected.encode(), text.encode("utf-8", "replace")) or matches
    if not matches:
        raise WebhookError(
            "no_match",
            "Service-Signature does not match: check the secret, and that the body is passed as it came.",
        )


def _event(body: bytes, id: str | None, protected: bool) -> KnownWebhookEvent | OtherWebhookEvent:
    try:
        raw = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise WebhookError("malformed_body", "The body is signed, but it is not JSON.") from error
    data = raw.get("data") if isinstance(raw, dict) else None
    if not isinstance(data, dict) or not all(
        isinstance(raw.get(name), str) for name in ("type", "created_at")
    ):
        raise WebhookError("malformed_body", "The body is signed, but it is not an event.")
    own = data.get("event_id")
    event_id = id if id is not None else own if isinstance(own, str) else None
    known = EVENTS.get(raw["type"])
    rest = (event_id, protected, raw)
    if known is not None:
        kind, model = known
        try:
            return kind(raw["type"], raw["created_at"], model.from_dict(data), *rest)
        except ValueError:
            # Only type, created_at and data.message_id are promised: what does not fit arrives as it came.
            pass
    return OtherWebhookEvent(raw["type"], raw["created_at"], data, *rest)

"""For tests of programs that use this library: a service in memory, signed webhooks, the sandbox."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Mapping
from typing import Any

import httpx

from ._client import Acuse, AsyncAcuse
from ._codec import Json
from ._engine import Operation, Request, call
from ._errors_generated import FIXES
from ._models_generated import Message

__all__ = ["FAKE_KEY", "FakeAcuse", "sandbox", "sign_webhook"]

FAKE_KEY = "acuse_fake_0000000000000000"


class FakeAcuse(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """
    A service in memory: it knows sends, batches, replays, reading a message, and refusals that are scripted.

        fake = FakeAcuse()
        program(fake.client())
        assert fake.sent[0]["to"] == "ana@example.com"
    """

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        """Everything accepted, in order; a composed message as ``{"raw": …}``."""
        self.requests: list[httpx.Request] = []
        """All that was asked."""
        self._messages: dict[str, dict[str, Any]] = {}
        self._keys: dict[str, tuple[dict[str, Any], str]] = {}
        self._refusals: list[tuple[str, str]] = []

    def client(self, **options: Any) -> Acuse:
        """A client of this service; it does not wait between attempts."""
        options.setdefault("sleep", lambda _: None)
        return Acuse(
            FAKE_KEY,
            options.pop("base_url", "http://localhost"),
            http_client=httpx.Client(transport=self),
            **options,
        )

    def async_client(self, **options: Any) -> AsyncAcuse:
        """The same for tasks."""
        options.setdefault("sleep", lambda _: None)
        return AsyncAcuse(
            FAKE_KEY,
            options.pop("base_url", "http://localhost"),
            http_client=httpx.AsyncClient(transport=self),
            **options,
        )

    def refuse(self, code: str, message: str = "Refused by the test.", times: int = 1) -> None:
        """The next so many requests are refused with this code."""
        if code not in FIXES:
            raise ValueError(f"{code} is not an error code of Acuse")
        self._refusals += [(code, message)] * times

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """For httpx."""
        request.read()
        return self._answer(request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """For httpx."""
        await request.aread()
        return self._answer(request)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self._refusals:
            return _error(*self._refusals.pop(0))
        path = request.url.path
        if (request.method, path) == ("POST", "/v1/messages"):
            is_json = request.headers["content-type"].startswith("application/json")
            draft = json.loads(request.content) if is_json else {"raw": request.content}
            return self._send(draft, request.headers.get("idempotency-key"))
        if (request.method, path) == ("POST", "/v1/messages/batch"):
            return self._batch(json.loads(request.content)["messages"])
        message = self._messages.get(path.removeprefix("/v1/messages/"))
        if request.method == "GET" and message is not None:
            return httpx.Response(200, json=message)
        return _error("not_found", f"FakeAcuse does not know {request.method} {path}.")

    def _send(self, draft: dict[str, Any], key: str | None) -> httpx.Response:
        if not key:
            return _error("missing_idempotency_key", "Send an Idempotency-Key.")
        if key in self._keys:
            known, id = self._keys[key]
            if known != draft:
                return _error("idempotency_key_reused", "The key belongs to another message.")
            return httpx.Response(200, json=self._messages[id], headers={"Idempotent-Replayed": "true"})
        message = _message(draft, key)
        self._keys[key] = (draft, message["id"])
        self._messages[message["id"]] = message
        self.sent.append(draft)
        return httpx.Response(201, json=message)

    def _batch(self, items: list[dict[str, Any]]) -> httpx.Response:
        counts = {"created": 0, "replayed": 0, "failed": 0}
        results: list[dict[str, Any]] = []
        for index, item in enumerate(items):
            answer = self._send(item, item.pop("idempotency_key", None))
            status = {200: "replayed", 201: "created"}.get(answer.status_code, "failed")
            counts[status] += 1
            told = answer.json()
            more = {"error": told["error"]} if status == "failed" else {"message": told}
            results.append({"index": index, "status": status, **more})
        return httpx.Response(200, json={**counts, "results": results})


def _message(draft: Mapping[str, Any], key: str) -> dict[str, Any]:
    to = draft.get("to", "")
    return {
        # Nothing has happened to it.
        **{each.name: None for each in Message.schema_fields if each.required and each.nullable},
        "id": str(uuid.uuid4()),
        "idempotency_key": key,
        "from": draft.get("from", ""),
        "to": to[0] if isinstance(to, list) else to,
        "subject": draft.get("subject") or "",
        "certified": draft.get("certified") is not False,
        "status": "queued",
        "tags": draft.get("tags") or [],
        "metadata": draft.get("metadata") or {},
        "size_bytes": 1000,
        "created_at": _timestamp(time.time()),
        "attempts": 0,
    }


def _error(code: str, message: str) -> httpx.Response:
    return httpx.Response(FIXES[code][0], json={"error": {"code": code, "message": message}})


def _timestamp(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))


def sign_webhook(
    event: Mapping[str, Json], secret: str, at: float | None = None
) -> tuple[bytes, dict[str, str]]:
    """
    Body and headers of a delivery as the service makes it, at a Unix time or now. Its id is
    ``data.event_id``, or a new one; without ``created_at`` it is of the time of the delivery.
    """
    if not isinstance(event.get("type"), str):
        raise ValueError("The event has no type: give a text, such as email.sent.")
    data = event.get("data")
    if not isinstance(data, Mapping):
        raise ValueError("The event has no data: give a dictionary, such as {}.")
    now = time.time() if at is None else at
    created = event.get("created_at") or _timestamp(now)
    body = json.dumps({**event, "created_at": created}, separators=(",", ":")).encode()
    id = str(data.get("event_id", uuid.uuid4()))
    stamp = str(int(now))
    key = _key_of(secret)
    signature = hmac.new(key, f"{id}.{stamp}.".encode() + body, hashlib.sha256).digest()
    whole = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return body, {
        "Content-Type": "application/json",
        "Service-Event": str(event["type"]),
        "Service-Signature": f"sha256={whole}",
        "webhook-id": id,
        "webhook-timestamp": stamp,
        "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
    }


def _key_of(secret: str) -> bytes:
    try:
        if secret.startswith("whsec_"):
            return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        pass
    raise ValueError("A webhook secret is whsec_ and base64, such as whsec_c2VjcmV0IG9mIGEgdGVzdA==.")


class Sandbox:
    """Test addresses of a service that runs as a sandbox, and the mail that arrived there."""

    def address(self, outcome: str = "delivered", tag: str | None = None) -> str:
        """Such as ``bounced+tag@sandbox.test``; docs/operating.md lists the outcomes."""
        return f"{outcome}+{tag}@sandbox.test" if tag else f"{outcome}@sandbox.test"

    def mailbox(self, client: Acuse) -> list[dict[str, Any]]:
        """The newest mails of the test mailbox."""
        listing = Operation("sandboxMailbox", "sandbox.mailbox", "GET", "/sandbox/mailbox", "safe", "json")
        found: list[dict[str, Any]] = client.run(call(client.core, Request(listing))).value["data"]
        return found


sandbox = Sandbox()

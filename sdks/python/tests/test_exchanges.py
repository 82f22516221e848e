"""contract/vectors/exchanges.json, played by a raw server, against both clients."""

from __future__ import annotations

import asyncio
import base64
import re
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from support import DRAFT, VECTORS, vectors

from acuse import Acuse, AcuseError, AsyncAcuse

FILE = vectors("exchanges.json") if (VECTORS / "exchanges.json").exists() else {"cases": []}
CASES = FILE["cases"]
UNSHOWN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
NEUTRAL = {
    "APIConnectionError": "ConnectionError",
    "APITimeoutError": "TimeoutError",
    "APIError": "ApiError",
    "PermissionDeniedError": "PermissionError",
    "CancelledError": "Cancelled",
}


class Peer:
    """Plays the answers of a case."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case, self.requests, self.taken = case, 0, 0
        self.server = socket.create_server(("127.0.0.1", 0))
        self.gone = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        scheme = "https" if self.case.get("tls") else "http"
        return f"{scheme}://127.0.0.1:{self.server.getsockname()[1]}"

    def _accept(self) -> None:
        while True:
            try:
                connection = self.server.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                while self._read(connection) and self._play(connection):
                    pass
            except OSError:
                return

    def _read(self, connection: socket.socket) -> bool:
        data = b""
        while not self.case.get("tls") or not data:
            head, end, rest = data.partition(b"\r\n\r\n")
            if end:
                length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
                if len(rest) >= (int(length[1]) if length else 0):
                    break
            more = connection.recv(65536)
            if not more:
                return False
            data += more
        self.requests += 1
        return True

    def _play(self, connection: socket.socket) -> bool:
        answers = self.case["answers"]
        script = answers[min(self.requests, len(answers)) - 1]
        for step in script["steps"]:
            data = base64.b64decode(step["base64"]) if "base64" in step else step["text"].encode()
            left = step.get("times", 1) or float("inf")
            while left > 0 and not self.gone.is_set():
                connection.sendall(data)
                self.taken += len(data)
                left -= 1
                time.sleep(step.get("every_ms", 0) / 1000)
        if script["end"] == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if script["end"] == "hold":
            self.gone.wait()
        return bool(script["end"] == "keep")


@contextmanager
def playing(case: dict[str, Any]) -> Iterator[Peer]:
    peer = Peer(case)
    try:
        yield peer
    finally:
        peer.gone.set()
        peer.server.close()


def options(case: dict[str, Any]) -> dict[str, Any]:
    """Of the client."""
    given: dict[str, Any] = {"max_retries": case["max_retries"], "random": lambda: 0.0}
    if case["limit_ms"] is not None:
        limit = case["limit_ms"] / 1000
        given |= {"timeout": limit, "deadline": limit, "connect_timeout": limit}
    return given


def first_page(client: Any) -> Any:
    pages = client.messages.list().pages()
    return anext(pages) if isinstance(client, AsyncAcuse) else next(pages)


def call(client: Any, case: dict[str, Any]) -> Any:
    """The request of the case."""
    key = FILE["idempotency_key"]
    return {
        "send": lambda: client.messages.send(DRAFT, key),
        "batch": lambda: client.messages.send_batch([{**DRAFT, "idempotency_key": key}]),
        "read": lambda: client.messages.get(FILE["id"]),
        "list": lambda: first_page(client),
        "create": lambda: client.api_keys.create({"name": "a", "scopes": ["send"]}),
        "delete": lambda: client.webhooks.delete(FILE["id"]),
    }[case["call"]]()


def check(case: dict[str, Any], peer: Peer, error: BaseException | None) -> None:
    """True if it came out as the case says."""
    out, found = case["out"], "ok"
    if error is not None:
        found = NEUTRAL.get(type(error).__name__, type(error).__name__)
    assert found in (out["class"], out.get("or")), repr(error)
    if out["requests"] is not None:
        assert peer.requests == out["requests"]
    if out["taken_max"] is not None:
        assert peer.taken <= out["taken_max"]
    if error is None:
        return
    told: Any = error
    if out["key"]:
        assert told.idempotency_key == FILE["idempotency_key"]
    if not isinstance(error, AcuseError):
        return
    assert getattr(error, "outcome_unknown", False) == out["outcome_unknown"]
    for name in ("status", "code", "retry_after"):
        if out[name] is not None:
            assert getattr(error, name) == out[name]
    if out["message"] is not None:
        assert told.message.startswith(out["message"])
    for text in (str(error), repr(error), str(error.args), str(vars(error))):
        assert not UNSHOWN.search(text)
        assert "canarycanary" not in text


@pytest.mark.parametrize(
    "case", [each for each in CASES if "cancel_after_ms" not in each], ids=lambda each: each["name"]
)
def test_exchange(case: dict[str, Any]) -> None:
    with (
        playing(case) as peer,
        Acuse(FILE["api_key"], peer.url, sleep=lambda _: None, **options(case)) as client,
    ):
        error = None
        try:
            result = call(client, case)
            error = result[0].error if case["call"] == "batch" else None
        except AcuseError as failed:
            error = failed
        check(case, peer, error)


@pytest.mark.parametrize("case", CASES, ids=lambda each: each["name"])
def test_exchange_of_a_task(case: dict[str, Any]) -> None:
    async def run(url: str) -> BaseException | None:
        async with AsyncAcuse(
            FILE["api_key"], url, sleep=lambda _: asyncio.sleep(0), **options(case)
        ) as client:
            task = asyncio.ensure_future(call(client, case))
            if "cancel_after_ms" in case:
                await asyncio.sleep(case["cancel_after_ms"] / 1000)
                task.cancel()
            try:
                result = await task
            except (AcuseError, asyncio.CancelledError) as failed:
                return failed
            return result[0].error if case["call"] == "batch" else None

    with playing(case) as peer:
        check(case, peer, asyncio.run(run(peer.url)))

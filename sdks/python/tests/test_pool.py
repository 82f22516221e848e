"""The transport that keeps connections: how many there are, which is used next, and that each comes back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from acuse import _pool
from acuse._pool import AsyncPool, Pool

TOGETHER = 8


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    connections = 0
    meet: threading.Barrier | None = None

    def setup(self) -> None:
        _Handler.connections += 1
        super().setup()

    def do_GET(self) -> None:
        if self.path == "/together" and _Handler.meet is not None:
            _Handler.meet.wait(30)
        self.send_response(200)
        self.send_header("Content-Length", "10" if self.path == "/cut" else "2")
        self.end_headers()
        self.wfile.write(b"ok")
        self.close_connection = self.path == "/cut"

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    _Handler.connections, _Handler.meet = 0, threading.Barrier(TOGETHER)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_uses_one_connection_for_one_request_after_the_other(url: str) -> None:
    with httpx.Client(transport=Pool(True, None)) as client:
        for _ in range(20):
            assert client.get(f"{url}/").text == "ok"
    assert _Handler.connections == 1


def test_has_as_many_connections_as_requests_at_once(url: str) -> None:
    with httpx.Client(transport=Pool(True, None)) as client, ThreadPoolExecutor(TOGETHER) as threads:
        for _ in range(3):
            got = threads.map(lambda _: client.get(f"{url}/together").text, range(TOGETHER))
            assert list(got) == ["ok"] * TOGETHER
    assert _Handler.connections == TOGETHER


def test_frees_a_place_whatever_an_answer_was(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_pool, "MAX_CONNECTIONS", 1)
    with httpx.Client(transport=Pool(True, None), timeout=httpx.Timeout(30, pool=30)) as client:
        for _ in range(3):
            with pytest.raises(httpx.RemoteProtocolError):
                client.get(f"{url}/cut")
            with pytest.raises(httpx.ConnectError):
                client.get("http://127.0.0.1:1/")
            assert client.get(f"{url}/").text == "ok"
        held = client.send(client.build_request("GET", f"{url}/"), stream=True)
        with pytest.raises(httpx.PoolTimeout):
            client.get(f"{url}/", timeout=httpx.Timeout(30, pool=0.01))
        held.close()
        held.close()
        assert client.get(f"{url}/").text == "ok"


def test_ends_what_nobody_needs(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(True, None)
    with httpx.Client(transport=pool) as client, ThreadPoolExecutor(TOGETHER) as threads:
        list(threads.map(lambda _: client.get(f"{url}/together").text, range(TOGETHER)))
        monkeypatch.setattr(_pool, "IDLE_SECONDS", -1)
        client.get(f"{url}/")
        monkeypatch.undo()
        assert len(pool._stack.all()) == 1


def test_does_the_same_for_tasks(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        monkeypatch.setattr(_pool, "MAX_CONNECTIONS", TOGETHER)
        async with httpx.AsyncClient(transport=AsyncPool(True, None)) as client:
            for _ in range(3):
                got = await asyncio.gather(*[client.get(f"{url}/together") for _ in range(TOGETHER)])
                assert [each.text for each in got] == ["ok"] * TOGETHER
                with pytest.raises(httpx.RemoteProtocolError):
                    await client.get(f"{url}/cut")
            got = await asyncio.gather(*[client.get(f"{url}/") for _ in range(5 * TOGETHER)])
            assert [each.text for each in got] == ["ok"] * 5 * TOGETHER
            held = [
                await client.send(client.build_request("GET", f"{url}/"), stream=True)
                for _ in range(TOGETHER)
            ]
            with pytest.raises(httpx.PoolTimeout):
                await client.get(f"{url}/", timeout=httpx.Timeout(30, pool=0.01))
            for each in held:
                await each.aclose()

    asyncio.run(run())

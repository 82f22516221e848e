"""Connections for httpx: a transport of its own for each, the last one used first.

httpcore looks at each connection's socket and counts the idle ones again for each of them, twice a request:
with 32 connections that is more than the request itself takes. A pool of one has nothing to look at.
"""

from __future__ import annotations

import os
import re
import ssl
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar
from urllib.parse import SplitResult, urlsplit

import anyio
import httpcore
import httpx

from ._settings import IDLE_SECONDS, MAX_CONNECTIONS, is_loopback
from .errors import ConfigurationError

T = TypeVar("T")
_ONE = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=IDLE_SECONDS)


def environment_proxy(base_url: str, env: Mapping[str, str] = os.environ) -> str | None:
    """What HTTPS_PROXY and NO_PROXY say for this address. Raises ConfigurationError for one that is none."""
    url = urlsplit(base_url)
    if url.scheme != "https" or is_loopback(url.hostname or ""):
        return None
    named = (env.get("https_proxy") or env.get("HTTPS_PROXY") or "").strip()
    if not named or _is_excepted(url, env.get("no_proxy") or env.get("NO_PROXY") or ""):
        return None
    proxy = named if "://" in named else f"http://{named}"
    if not re.match("http://[^/]", proxy):
        raise ConfigurationError("HTTPS_PROXY must be like http://proxy.example.com:3128.")
    return proxy


def _is_excepted(url: SplitResult, listed: str) -> bool:
    host, port = url.hostname or "", str(url.port or 443)
    for entry in re.split(r"[\s,]+", listed.lower()):
        if entry == "*":
            return True
        name, _, only = re.sub(r"^\*?\.?", "", entry).partition(":")
        if name and only in ("", port) and (host == name or host.endswith(f".{name}")):
            return True
    return False


class _Stack(Generic[T]):
    """Free connections, and since when: the last one first, and those at the bottom end after a while."""

    def __init__(self) -> None:
        self._free: deque[tuple[T, float]] = deque()

    def take(self) -> T | None:
        try:
            return self._free.pop()[0]
        except IndexError:
            return None

    def give(self, one: T) -> None:
        self._free.append((one, time.monotonic()))

    def expired(self) -> list[T]:
        """Those that nobody has needed for so long, which are no longer here."""
        oldest, found = time.monotonic() - IDLE_SECONDS, []
        try:
            while self._free[0][1] < oldest:
                found.append(self._free.popleft()[0])
        except IndexError:
            pass
        return found

    def all(self) -> list[T]:
        found = [one for one, _ in self._free]
        self._free.clear()
        return found


class _Clock:
    """When the request that a connection has now must have ended."""

    ends: float | None = None

    def left(self, timeout: float | None, late: type[Exception]) -> float | None:
        """How long the next step may take. Raises `late` when the time is over."""
        if self.ends is None:
            return timeout
        left = self.ends - time.monotonic()
        if left <= 0:
            raise late("the answer came too slowly")
        return left if timeout is None else min(left, timeout)


class _TimedStream(httpcore.NetworkStream):
    """A time-out of httpcore is that of one read: a peer that sends a byte now and then holds it for ever."""

    _PIECE = 64 * 1024

    def __init__(self, inner: httpcore.NetworkStream, clock: _Clock) -> None:
        self._inner, self._clock = inner, clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._clock.left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for at in range(0, len(buffer), self._PIECE):
            left = self._clock.left(timeout, httpcore.WriteTimeout)
            self._inner.write(buffer[at : at + self._PIECE], left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._clock.left(timeout, httpcore.ConnectTimeout)
        return _TimedStream(self._inner.start_tls(ssl_context, server_hostname, left), self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _TimedBackend(httpcore.NetworkBackend):
    def __init__(self, inner: httpcore.NetworkBackend, clock: _Clock) -> None:
        self._inner, self._clock = inner, clock

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = self._clock.left(timeout, httpcore.ConnectTimeout)
        made = self._inner.connect_tcp(host, port, left, local_address, socket_options)
        return _TimedStream(made, self._clock)


class _Connection(httpx.HTTPTransport):
    """One connection, whose requests end in time."""

    def __init__(self, verify: ssl.SSLContext | bool, proxy: str | None) -> None:
        super().__init__(verify, proxy=proxy, limits=_ONE)
        self.clock = _Clock()
        # httpx has no argument for it.
        self._pool._network_backend = _TimedBackend(self._pool._network_backend, self.clock)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.clock.ends = request.extensions.get("ends")
        response = super().handle_request(request)
        if request.extensions.get("streams"):
            # A transfer to a file may take longer in all.
            self.clock.ends = None
        return response


class _Held(httpx.SyncByteStream):
    """An answer's content; its end frees the connection."""

    def __init__(self, stream: httpx.SyncByteStream, release: Callable[[], None]) -> None:
        self._stream, self._release = stream, release

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream

    def close(self) -> None:
        try:
            self._stream.close()
        finally:
            self._release()


class Pool(httpx.BaseTransport):
    """For threads."""

    def __init__(self, verify: ssl.SSLContext | bool, proxy: str | None) -> None:
        self._verify = httpx.create_ssl_context() if verify is True else verify
        self._proxy = proxy
        self._stack: _Stack[_Connection] = _Stack()
        self._places = threading.BoundedSemaphore(MAX_CONNECTIONS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Over a connection that is free, or one more."""
        within = request.extensions["timeout"]["pool"]
        if not self._places.acquire(timeout=within):
            raise httpx.PoolTimeout("no connection is free", request=request)
        one = self._stack.take() or _Connection(self._verify, self._proxy)
        freed = threading.Lock()

        def release() -> None:
            if freed.acquire(blocking=False):
                self._stack.give(one)
                self._places.release()

        try:
            response = one.handle_request(request)
            if not isinstance(response.stream, httpx.SyncByteStream):
                raise TypeError("an answer of another kind")
            response.stream = _Held(response.stream, release)
        except BaseException:
            release()
            raise
        for old in self._stack.expired():
            old.close()
        return response

    def close(self) -> None:
        """Ends all connections that are free."""
        for one in self._stack.all():
            one.close()


class _HeldAsync(httpx.AsyncByteStream):
    """The same for tasks."""

    def __init__(self, stream: httpx.AsyncByteStream, release: Callable[[], None]) -> None:
        self._stream, self._release = stream, release

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part

    async def aclose(self) -> None:
        try:
            await self._stream.aclose()
        finally:
            self._release()


class AsyncPool(httpx.AsyncBaseTransport):
    """For tasks."""

    def __init__(self, verify: ssl.SSLContext | bool, proxy: str | None) -> None:
        self._verify = httpx.create_ssl_context() if verify is True else verify
        self._proxy = proxy
        self._stack: _Stack[httpx.AsyncHTTPTransport] = _Stack()
        self._places: anyio.Semaphore | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Over a connection that is free, or one more."""
        places = self._places = self._places or anyio.Semaphore(MAX_CONNECTIONS)
        with anyio.move_on_after(request.extensions["timeout"]["pool"]) as waiting:
            await places.acquire()
        if waiting.cancelled_caught:
            raise httpx.PoolTimeout("no connection is free", request=request)
        made = self._stack.take()
        one = made or httpx.AsyncHTTPTransport(self._verify, proxy=self._proxy, limits=_ONE)
        held = True

        def release() -> None:
            nonlocal held
            if held:
                held = False
                self._stack.give(one)
                places.release()

        try:
            response = await one.handle_async_request(request)
            if not isinstance(response.stream, httpx.AsyncByteStream):
                raise TypeError("an answer of another kind")
            response.stream = _HeldAsync(response.stream, release)
        except BaseException:
            release()
            raise
        for old in self._stack.expired():
            await old.aclose()
        return response

    async def aclose(self) -> None:
        """Ends all connections that are free."""
        for one in self._stack.all():
            await one.aclose()

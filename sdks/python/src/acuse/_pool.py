"""Connections for httpx: a transport of its own for each, the last one used first.

httpcore looks at each connection's socket and counts the idle ones again for each of them, twice a request:
with 32 connections that is more than the request itself takes. A pool of one has nothing to look at.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Generic, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio
import httpx

from ._settings import IDLE_SECONDS, MAX_CONNECTIONS

T = TypeVar("T")
_ONE = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=IDLE_SECONDS)


def environment_proxy(base_url: str) -> str | None:
    """The proxy that the environment names for this address."""
    url = urlsplit(base_url)
    if proxy_bypass(url.hostname or ""):
        return None
    proxies = getproxies()
    found = proxies.get(url.scheme) or proxies.get("all")
    return found if found is None or "://" in found else f"http://{found}"


class _Stack(Generic[T]):
    """What is free, and since when: the last one first, and those at the bottom end after a while."""

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
        self._stack: _Stack[httpx.HTTPTransport] = _Stack()
        self._places = threading.BoundedSemaphore(MAX_CONNECTIONS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Over a connection that is free, or one more."""
        within = request.extensions["timeout"]["pool"]
        if not self._places.acquire(timeout=within):
            raise httpx.PoolTimeout("no connection is free", request=request)
        one = self._stack.take() or httpx.HTTPTransport(self._verify, proxy=self._proxy, limits=_ONE)
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

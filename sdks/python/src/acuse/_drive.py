"""The drivers of the core over httpx: one for threads, one for tasks. Nothing is decided here."""

from __future__ import annotations

import inspect
import os
import ssl
import threading
import time
from collections.abc import Mapping
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import httpx

from ._decide import Outcome
from ._effects import Attempt, Effect, Failure, Pause, Reply, Steps
from ._pool import AsyncPool, Pool, environment_proxy
from ._settings import Settings
from .errors import ConfigurationError

T = TypeVar("T")


def _connecting(settings: Settings) -> tuple[ssl.SSLContext | bool, str | None]:
    """The settings of connections: whom to believe, and the proxy. Raises ConfigurationError."""
    context: ssl.SSLContext | bool = True
    if settings.ca_file is not None:
        try:
            context = ssl.create_default_context(cafile=settings.ca_file)
        except (OSError, ssl.SSLError) as error:
            raise ConfigurationError(f"ca_file {settings.ca_file} cannot be read: {error}") from error
    return context, settings.proxy or environment_proxy(settings.base_url)


class _Progress:
    """How far a request has got, as httpcore tells it."""

    def __init__(self) -> None:
        self.connecting = False

    def note(self, event: str, _: Mapping[str, Any]) -> None:
        """Called for each step."""
        if event.startswith("connection.connect"):
            self.connecting = True
        elif event.endswith("send_request_headers.started"):
            self.connecting = False

    async def note_async(self, event: str, info: Mapping[str, Any]) -> None:
        """The same for tasks."""
        self.note(event, info)


def _timeouts(attempt: Attempt) -> dict[str, float]:
    return {
        "connect": attempt.connect_timeout,
        "read": attempt.timeout,
        "write": attempt.timeout,
        "pool": attempt.timeout,
    }


def _failure(error: Exception, progress: _Progress) -> Failure:
    """What an exception of httpx means. Raises ConfigurationError when no request could be made of it."""
    if isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL)):
        raise ConfigurationError(f"This request cannot be made: {error}") from error
    timed_out = isinstance(error, (httpx.TimeoutException, TimeoutError))
    connecting = isinstance(error, TimeoutError) and progress.connecting
    if connecting or isinstance(error, (httpx.ConnectTimeout, httpx.PoolTimeout)):
        return Failure(Outcome("no_connection"), "connect", error, timed_out)
    if isinstance(error, (httpx.ConnectError, httpx.ProxyError)):
        if _is_tls(error):
            return Failure(Outcome("tls"), "tls", error)
        return Failure(Outcome("no_connection"), "connect", error)
    sending = isinstance(error, (httpx.WriteError, httpx.WriteTimeout))
    outcome = Outcome("timeout" if timed_out else "lost_answer")
    return Failure(outcome, "send" if sending else "receive", error, timed_out)


def _is_tls(error: BaseException | None) -> bool:
    """Was a certificate or a handshake refused? A connection that was dropped in it was not."""
    seen = 0
    while error is not None and seen < 10:
        if isinstance(error, ssl.SSLError):
            return not isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError))
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False


class _Body:
    """Collects an answer's content up to its limit, or hands it on."""

    def __init__(self, attempt: Attempt, response: httpx.Response) -> None:
        self._attempt, self._response = attempt, response
        self._parts: list[bytes] = []
        self._size = 0
        self.too_large = False
        self._streams = attempt.sink is not None and 200 <= response.status_code < 300

    def take(self, chunk: bytes) -> bool:
        """False: no more is wanted."""
        if self._streams and self._attempt.sink is not None:
            self._attempt.sink(chunk)
            return True
        self._size += len(chunk)
        if self._size > self._attempt.max_bytes:
            self.too_large = True
            return False
        self._parts.append(chunk)
        return True

    def reply(self) -> Reply:
        """The whole."""
        headers = {name.lower(): value for name, value in self._response.headers.items()}
        return Reply(self._response.status_code, headers, b"".join(self._parts), self.too_large)


def _read_already(response: httpx.Response) -> list[bytes]:
    """The content of an answer that a transport in memory gave whole."""
    return [response.content] if response.is_stream_consumed else []


class SyncDriver:
    """Runs the core's steps in the calling thread."""

    def __init__(self, settings: Settings, client: httpx.Client | None) -> None:
        self._given = client
        self._connecting = (True, None) if client else _connecting(settings)
        self._lock = threading.Lock()
        self._own: httpx.Client | None = None
        self._process = 0

    def _client(self) -> httpx.Client:
        """The pool of this process: after a fork it starts anew."""
        if self._given is not None:
            return self._given
        with self._lock:
            if self._own is None or self._process != os.getpid():
                self._own = httpx.Client(transport=Pool(*self._connecting), trust_env=False)
                self._process = os.getpid()
            return self._own

    def close(self) -> None:
        """Ends all connections."""
        with self._lock:
            if self._own is not None and self._process == os.getpid():
                self._own.close()
            self._own = None

    def run(self, settings: Settings, steps: Steps[T]) -> T:
        """All effects, one after the other; the result."""
        answer: Any = None
        problem: BaseException | None = None
        try:
            while True:
                try:
                    effect = steps.throw(problem) if problem else steps.send(answer)
                except StopIteration as stop:
                    result: T = stop.value
                    return result
                answer, problem = None, None
                try:
                    answer = self._do(settings, effect)
                except BaseException as error:
                    problem = error
        finally:
            steps.close()

    def _do(self, settings: Settings, effect: Effect) -> Any:
        if isinstance(effect, Attempt):
            return self._request(effect)
        if isinstance(effect, Pause):
            return (settings.sleep or time.sleep)(effect.seconds)
        return effect.run()

    def _request(self, attempt: Attempt) -> Reply | Failure:
        client, progress = self._client(), _Progress()
        ends = time.monotonic() + attempt.timeout
        extensions = {
            "trace": progress.note,
            "timeout": _timeouts(attempt),
            "ends": ends,
            "streams": attempt.sink is not None,
        }
        try:
            request = client.build_request(
                attempt.method,
                attempt.url,
                headers=attempt.headers,
                content=attempt.body,
                extensions=extensions,
            )
            response = client.send(request, stream=True, auth=None, follow_redirects=False)
            try:
                body = _Body(attempt, response)
                for chunk in _read_already(response) or response.iter_raw():
                    if not body.take(chunk):
                        break
                    if attempt.sink is None and time.monotonic() > ends:
                        raise TimeoutError("the answer came too slowly")
                return body.reply()
            finally:
                response.close()
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, TimeoutError) as error:
            return _failure(error, progress)


class AsyncDriver:
    """Runs the core's steps in the calling task, over asyncio or trio."""

    def __init__(self, settings: Settings, client: httpx.AsyncClient | None) -> None:
        self._given = client
        self._connecting = (True, None) if client else _connecting(settings)
        self._own: httpx.AsyncClient | None = None
        self._process = 0

    def _client(self) -> httpx.AsyncClient:
        if self._given is not None:
            return self._given
        if self._own is None or self._process != os.getpid():
            self._own = httpx.AsyncClient(transport=AsyncPool(*self._connecting), trust_env=False)
            self._process = os.getpid()
        return self._own

    async def close(self) -> None:
        """Ends all connections."""
        if self._own is not None and self._process == os.getpid():
            await self._own.aclose()
        self._own = None

    async def run(self, settings: Settings, steps: Steps[T]) -> T:
        """All effects, one after the other; the result. Cancelling ends them at once."""
        answer: Any = None
        problem: BaseException | None = None
        try:
            while True:
                try:
                    effect = steps.throw(problem) if problem else steps.send(answer)
                except StopIteration as stop:
                    result: T = stop.value
                    return result
                answer, problem = None, None
                try:
                    answer = await self._do(settings, effect)
                except BaseException as error:
                    problem = error
        finally:
            steps.close()

    async def _do(self, settings: Settings, effect: Effect) -> Any:
        if isinstance(effect, Attempt):
            return await self._request(effect)
        if isinstance(effect, Pause):
            slept = (settings.sleep or anyio.sleep)(effect.seconds)
            return await slept if inspect.isawaitable(slept) else None
        return await anyio.to_thread.run_sync(effect.run)

    async def _request(self, attempt: Attempt) -> Reply | Failure:
        progress = _Progress()
        whole = attempt.timeout if attempt.sink is None else None
        try:
            with anyio.fail_after(whole):
                return await self._exchange(attempt, progress)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, TimeoutError) as error:
            return _failure(error, progress)

    async def _exchange(self, attempt: Attempt, progress: _Progress) -> Reply:
        client = self._client()
        request = client.build_request(
            attempt.method,
            attempt.url,
            headers=attempt.headers,
            content=attempt.body,
            extensions={"trace": progress.note_async, "timeout": _timeouts(attempt)},
        )
        # A transfer to a file may take longer in all, its head may not.
        with anyio.fail_after(attempt.timeout):
            response = await client.send(request, stream=True, auth=None, follow_redirects=False)
        try:
            body = _Body(attempt, response)
            for chunk in _read_already(response):
                body.take(chunk)
            if not response.is_stream_consumed:
                async for chunk in response.aiter_raw():
                    if not body.take(chunk):
                        break
            return body.reply()
        finally:
            await response.aclose()

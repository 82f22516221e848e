"""The parts of the resources: from a method's arguments to the steps of its call, and to its result."""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ._codec import Json, Model, ResponseInfo, encode
from ._effects import Steps
from ._engine import Answer, Core, Request, call, json_body
from ._models_generated import Message
from ._operations_generated import OPERATIONS
from .errors import ConfigurationError, ProtocolError

M = TypeVar("M", bound=Model)
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
_KEY = re.compile(r"[ -~]{1,255}")


def operation(id: str) -> Callable[[F], F]:
    """Marks the method of an operation of the contract: by these marks the library can say what it covers."""

    def mark(method: F) -> F:
        method.operation_id = id  # type: ignore[attr-defined]
        return method

    return mark


class Content(bytes):
    """The bytes of an answer."""

    response: ResponseInfo


class Text(str):
    """The text of an answer."""

    response: ResponseInfo


@dataclass(frozen=True)
class SendResult:
    """The outcome of a send."""

    message: Message
    replayed: bool
    """Was this key known already, so that nothing new was sent? With ``attempts`` above 1 it usually was this
    call's own first attempt that had got through."""
    idempotency_key: str
    """The key that was given, or else made."""
    attempts: int
    """How many requests it took."""
    response: ResponseInfo
    """Status, headers and request id of the answer."""


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list."""

    items: tuple[T, ...]
    next_cursor: str | None
    """None on the last page."""
    extra: Mapping[str, Json]
    """What else the page says."""
    response: ResponseInfo


def checked_key(key: str | None) -> str:
    """The key itself, or a new one. Raises ConfigurationError."""
    if key is None:
        return f"auto_{uuid.uuid4()}"
    if not isinstance(key, str) or not _KEY.fullmatch(key) or key != key.strip():
        raise ConfigurationError(
            "An idempotency key is 1 to 255 printable ASCII characters without space at either end."
        )
    return key


def request_of(
    id: str,
    path: Mapping[str, str | int] | None,
    query: Mapping[str, Any] | None,
    body: Any,
    media: str | None,
    headers: Mapping[str, str] | None = None,
) -> Request:
    """A request with its body's bytes. Raises ConfigurationError."""
    data: bytes | None = None
    if media is not None:
        if not isinstance(body, (str, bytes, bytearray, memoryview)):
            raise ConfigurationError(f"{id} takes bytes.")
        data = body.encode() if isinstance(body, str) else bytes(body)
    elif body is not None:
        if not isinstance(body, (Model, Mapping)):
            raise ConfigurationError(f"{id} takes a dictionary or one of the library's types.")
        data = json_body(encode(body))
    return Request(OPERATIONS[id], path, query, headers, data, media)


def json_steps(core: Core, request: Request) -> Steps[Any]:
    """A call whose result is a model."""
    answer = yield from call(core, request)
    object.__setattr__(answer.value, "response", answer.info)
    return answer.value


def bytes_steps(core: Core, request: Request) -> Steps[Content]:
    """A call whose result is bytes."""
    answer = yield from call(core, request)
    content = Content(answer.value)
    content.response = answer.info
    return content


def text_steps(core: Core, request: Request) -> Steps[Text]:
    """A call whose result is text."""
    answer = yield from call(core, request)
    text = Text(answer.value)
    text.response = answer.info
    return text


def none_steps(core: Core, request: Request) -> Steps[ResponseInfo]:
    """A call that has no result."""
    answer = yield from call(core, request)
    return answer.info


def send_steps(core: Core, request: Request, key: str) -> Steps[SendResult]:
    """A send."""
    answer = yield from call(core, request)
    message: Message = answer.value
    object.__setattr__(message, "response", answer.info)
    return SendResult(message, replayed(answer), key, answer.attempts, answer.info)


def replayed(answer: Answer) -> bool:
    """Did the answer say that nothing new was sent?"""
    return answer.headers.get("idempotent-replayed", "").strip().lower() == "true"


def page_steps(
    core: Core, id: str, path: Mapping[str, str | int] | None, query: Mapping[str, Any]
) -> Steps[Page[Any]]:
    """One page."""
    answer = yield from call(core, Request(OPERATIONS[id], path, query))
    extra = dict(answer.value.extra)
    return Page(answer.value.data, answer.value.next_cursor, extra, answer.info)


class Cursor:
    """Where a list has got to. A cursor that was seen before would never end."""

    def __init__(self, core: Core, id: str, path: Any, query: Mapping[str, Any] | None) -> None:
        self._core, self._id, self._path, self._query = core, id, path, dict(query or {})
        self._seen: set[str] = set()
        self.ended = False

    def steps(self) -> Steps[Page[Any]]:
        """The next page."""
        page = yield from page_steps(self._core, self._id, self._path, self._query)
        cursor = page.next_cursor
        if cursor is None:
            self.ended = True
        elif cursor in self._seen:
            raise ProtocolError(
                f"{self._id}: a page leads back to one before it.", status=page.response.status
            )
        else:
            self._seen.add(cursor)
            self._query["after"] = cursor
        return page


class Runner(Protocol):
    """A client for threads."""

    core: Core

    def run(self, steps: Steps[T]) -> T:
        """Drives the steps."""
        ...


class AsyncRunner(Protocol):
    """A client for tasks."""

    core: Core

    async def run(self, steps: Steps[T]) -> T:
        """Drives the steps."""
        ...


class Pager(Generic[T]):
    """A list that is read as it is walked through."""

    def __init__(self, client: Runner, id: str, path: Any, query: Mapping[str, Any] | None) -> None:
        self._client, self._arguments = client, (id, path, query)

    def pages(self) -> Iterator[Page[T]]:
        """The same, page by page."""
        cursor = Cursor(self._client.core, *self._arguments)
        while not cursor.ended:
            yield self._client.run(cursor.steps())

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.items


class AsyncPager(Generic[T]):
    """A list that is read as it is walked through."""

    def __init__(self, client: AsyncRunner, id: str, path: Any, query: Mapping[str, Any] | None) -> None:
        self._client, self._arguments = client, (id, path, query)

    async def pages(self) -> AsyncIterator[Page[T]]:
        """The same, page by page."""
        cursor = Cursor(self._client.core, *self._arguments)
        while not cursor.ended:
            yield await self._client.run(cursor.steps())

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.items:
                yield item


class Resource:
    """Common to the resources for threads."""

    def __init__(self, client: Runner) -> None:
        self._client = client

    def _json(
        self, type: type[M], id: str, path: Any = None, query: Any = None, body: Any = None, media: Any = None
    ) -> M:
        request = request_of(id, path, query, body, media)
        value: M = self._client.run(json_steps(self._client.core, request))
        return value

    def _bytes(self, id: str, path: Any = None, query: Any = None, body: Any = None) -> Content:
        return self._client.run(bytes_steps(self._client.core, request_of(id, path, query, body, None)))

    def _text(self, id: str, path: Any = None, query: Any = None) -> Text:
        return self._client.run(text_steps(self._client.core, request_of(id, path, query, None, None)))

    def _none(self, id: str, path: Any = None) -> ResponseInfo:
        return self._client.run(none_steps(self._client.core, request_of(id, path, None, None, None)))

    def _send(
        self, id: str, key: str | None, path: Any = None, body: Any = None, media: str | None = None
    ) -> SendResult:
        key = checked_key(key)
        request = request_of(id, path, None, body, media, {"Idempotency-Key": key})
        return self._client.run(send_steps(self._client.core, request, key))

    def _pages(self, type: type[M], id: str, path: Any = None, query: Any = None) -> Pager[M]:
        return Pager(self._client, id, path, query)


class AsyncResource:
    """Common to the resources for tasks."""

    def __init__(self, client: AsyncRunner) -> None:
        self._client = client

    async def _json(
        self, type: type[M], id: str, path: Any = None, query: Any = None, body: Any = None, media: Any = None
    ) -> M:
        request = request_of(id, path, query, body, media)
        value: M = await self._client.run(json_steps(self._client.core, request))
        return value

    async def _bytes(self, id: str, path: Any = None, query: Any = None, body: Any = None) -> Content:
        return await self._client.run(bytes_steps(self._client.core, request_of(id, path, query, body, None)))

    async def _text(self, id: str, path: Any = None, query: Any = None) -> Text:
        return await self._client.run(text_steps(self._client.core, request_of(id, path, query, None, None)))

    async def _none(self, id: str, path: Any = None) -> ResponseInfo:
        return await self._client.run(none_steps(self._client.core, request_of(id, path, None, None, None)))

    async def _send(
        self, id: str, key: str | None, path: Any = None, body: Any = None, media: str | None = None
    ) -> SendResult:
        key = checked_key(key)
        request = request_of(id, path, None, body, media, {"Idempotency-Key": key})
        return await self._client.run(send_steps(self._client.core, request, key))

    def _pages(self, type: type[M], id: str, path: Any = None, query: Any = None) -> AsyncPager[M]:
        return AsyncPager(self._client, id, path, query)

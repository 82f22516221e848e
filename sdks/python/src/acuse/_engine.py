"""One call: its attempts, the decisions between them, its answer. No I/O: see _effects.py."""

from __future__ import annotations

import contextlib
import json
import platform
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from ._codec import ResponseInfo, Type, Undecodable, decode, moment_text
from ._decide import (
    BUDGET,
    Outcome,
    Retry,
    budget_after_success,
    decide,
    outcome_unknown,
    retry_after_ms,
    retry_cost,
)
from ._effects import Attempt, Failure, Pause, Reply, Steps
from ._redact import plain
from ._settings import SECONDS_PER_BYTE, AttemptEvent, Settings
from ._sound import parse
from ._version import __version__
from .errors import (
    AcuseError,
    APIConnectionError,
    APIError,
    APITimeoutError,
    ConfigurationError,
    ProtocolError,
    error_class,
)

MAX_JSON_BYTES = 16 * 1024 * 1024
"""A JSON answer beyond this is refused."""
MAX_CONTENT_BYTES = 160 * 1024 * 1024
"""Content that is kept in memory: a proof bundle is a file of at most 144 MiB."""
BETWEEN_BYTES = 30.0
"""Seconds that a download may stand still."""
_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True)
class Operation:
    """The rules of the contract for one operation."""

    id: str
    """The contract's operationId."""
    name: str
    """Resource and method here, such as ``messages.send``."""
    method: str
    path: str
    retry: Retry
    result: str
    """``json``, ``page``, ``bytes``, ``text`` or ``none``."""
    type: Type | None = None
    """Of a JSON answer."""
    accept: str | None = None
    """The media type that is asked for."""


@dataclass(frozen=True)
class Request:
    """One call: an operation and what goes into it."""

    operation: Operation
    path: Mapping[str, str | int] | None = None
    query: Mapping[str, Any] | None = None
    headers: Mapping[str, str] | None = None
    body: bytes | None = None
    media: str | None = None
    sink: Callable[[bytes], None] | None = None
    rewind: Callable[[], None] | None = None
    """Makes the sink empty again before each attempt."""


@dataclass(frozen=True)
class Answer:
    """The outcome of a call."""

    status: int
    headers: Mapping[str, str]
    value: Any
    attempts: int

    @property
    def info(self) -> ResponseInfo:
        """The part of its answer that a result tells."""
        return ResponseInfo(self.status, self.headers, self.headers.get("request-id"), self.attempts)


class Budget:
    """Tokens for retries, shared by all calls of a client."""

    def __init__(self) -> None:
        self._tokens = BUDGET
        self._lock = threading.Lock()

    @property
    def tokens(self) -> int:
        """How many are left."""
        return self._tokens

    def take(self, cost: int) -> bool:
        """False, and nothing taken, when there are not enough."""
        with self._lock:
            if cost > self._tokens:
                return False
            self._tokens -= cost
            return True

    def succeed(self, spent: int) -> None:
        """The tokens that a success returns: the cost of its retries, or a token for none."""
        with self._lock:
            self._tokens = budget_after_success(self._tokens, spent)


@dataclass(frozen=True)
class Core:
    """Shared by all calls of a client."""

    settings: Settings
    budget: Budget
    runtime: str = ""
    """Named in User-Agent beside Python: the HTTP library and its version."""


def user_agent(settings: Settings) -> str:
    """How a client names itself."""
    runtime = f"{platform.python_implementation().lower()}/{platform.python_version()}"
    agent = f"acuse-python/{__version__} ({runtime}; {platform.system().lower() or 'unknown'})"
    return f"{agent} {settings.app_info}" if settings.app_info else agent


def json_body(value: Any) -> bytes:
    """The bytes of a JSON body, made once for all attempts. Raises ConfigurationError."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"The request cannot be written as JSON: {error}") from error


def call(core: Core, request: Request) -> Steps[Answer]:
    """All attempts of one call. Raises AcuseError."""
    return (yield from _Call(core, request).steps())


class _Call:
    """The state of one call."""

    def __init__(self, core: Core, request: Request) -> None:
        self.core, self.request, self.operation = core, request, request.operation
        self.settings = core.settings
        self.url = self.settings.base_url + _path(request) + _query(request.query)
        self.key = (request.headers or {}).get("Idempotency-Key")
        self.unknown = False
        """Has an attempt been made that the server may have carried out?"""
        self.attempt = 0
        self.spent = 0

    def steps(self) -> Steps[Answer]:
        try:
            return (yield from self._steps())
        except GeneratorExit:
            raise
        except BaseException as ended:
            # CancelledError, KeyboardInterrupt: trying again under the key makes no second message.
            if not isinstance(ended, Exception):
                self._note(ended)
            raise

    def _note(self, ended: BaseException) -> None:
        for name, value in (("idempotency_key", self.key), ("attempts", self.attempt)):
            with contextlib.suppress(AttributeError):
                setattr(ended, name, value)

    def _steps(self) -> Steps[Answer]:
        clock = self.settings.clock
        ends = clock() + self.settings.deadline
        while True:
            self.attempt += 1
            began = clock()
            if self.request.rewind is not None:
                self.request.rewind()
            reply = yield self._attempt(max(ends - began, 0.001))
            result = self._read(reply)
            if isinstance(result, Answer):
                self.core.budget.succeed(self.spent)
                self._tell(reply, None, None, clock() - began)
                return result
            outcome, error = result
            delay = self._delay(outcome, reply, ends - clock())
            self._tell(reply, error, delay, clock() - began)
            if delay is None:
                raise self._final(error)
            yield Pause(delay)

    def _delay(self, outcome: Outcome, reply: Reply | Failure, time_left: float) -> float | None:
        """Seconds until the next attempt, which is paid for; None when there is none."""
        self.unknown = self.unknown or (self._changes() and outcome_unknown(outcome))
        decision = decide(
            self.operation.retry,
            outcome,
            self.attempt,
            reply.headers if isinstance(reply, Reply) else {},
            self.settings.random(),
            self.core.budget.tokens,
            time_left * 1_000,
            max_retries=self.settings.max_retries,
            now=int(self.settings.wall_clock() * 1_000),
        )
        cost = retry_cost(outcome)
        if decision.delay is None or not self.core.budget.take(cost):
            return None
        self.spent += cost
        return decision.delay / 1_000

    def _attempt(self, time_left: float) -> Attempt:
        settings, operation, request = self.settings, self.operation, self.request
        headers = {
            "Authorization": f"Bearer {settings.api_key.reveal()}",
            "Accept": operation.accept or "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": user_agent(settings),
            "Acuse-Attempt": str(self.attempt),
        }
        if request.body is not None:
            headers["Content-Type"] = request.media or "application/json"
        headers.update(request.headers or {})
        allowed = settings.timeout + len(request.body or b"") * SECONDS_PER_BYTE
        small = operation.result in ("json", "page", "none")
        return Attempt(
            operation.method,
            self.url,
            headers,
            request.body,
            min(settings.connect_timeout, time_left),
            min(allowed, time_left) if request.sink is None else BETWEEN_BYTES,
            MAX_JSON_BYTES if small else MAX_CONTENT_BYTES,
            request.sink,
        )

    def _read(self, reply: Reply | Failure) -> Answer | tuple[Outcome, AcuseError]:
        if isinstance(reply, Failure):
            return reply.outcome, self._no_answer(reply)
        if reply.status >= 400 and not reply.too_large:
            return self._refusal(reply)
        try:
            if reply.too_large:
                raise Undecodable("the answer is larger than any that the contract has")
            value = self._value(reply)
        except Undecodable as error:
            said = f"{self.operation.name} was answered {reply.status}"
            text = f"{said}, which is not what the contract says: {error}."
            problem = ProtocolError(text, status=reply.status, outcome_unknown=self._changes())
            return Outcome("malformed"), problem
        return Answer(reply.status, reply.headers, value, self.attempt)

    def _changes(self) -> bool:
        return self.operation.method != "GET"

    def _no_answer(self, failure: Failure) -> APIConnectionError:
        kind = APITimeoutError if failure.timed_out else APIConnectionError
        said = str(failure.cause) or type(failure.cause).__name__
        words = {
            "connect": "No connection",
            "tls": "No trusted TLS connection",
            "send": "The request could not be sent whole",
            "receive": "No whole answer came",
        }
        # What the operating system says does not have the address.
        where = f" to {self.settings.base_url}" if failure.phase == "connect" else ""
        text = f"{words[failure.phase]} ({self.operation.name}){where}: {said}"
        error = kind(text, phase=failure.phase, outcome_unknown=False)
        error.__cause__ = failure.cause
        return error

    def _refusal(self, reply: Reply) -> Answer | tuple[Outcome, AcuseError]:
        status = reply.status
        if self.operation.method == "DELETE" and status == 404 and self.unknown:
            return Answer(status, reply.headers, None, self.attempt)
        code, message = _envelope(reply)
        after = retry_after_ms(reply.headers, int(self.settings.wall_clock() * 1_000))
        seconds = None if after is None else after / 1_000
        request_id = _request_id(reply)
        error = error_class(status, code)(status, code, message, request_id=request_id, retry_after=seconds)
        return Outcome("answer", status=status, code=code), error

    def _value(self, reply: Reply) -> Any:
        """Raises Undecodable."""
        operation = self.operation
        if not 200 <= reply.status < 300:
            raise Undecodable("it is neither a success nor an error")
        if operation.result == "none":
            return None
        if operation.result == "bytes":
            return reply.body
        try:
            text = reply.body.decode("utf-8")
            if operation.result == "text":
                return text
            parsed = parse(text)
        except (ValueError, RecursionError) as error:
            raise Undecodable("its body cannot be read") from error
        if operation.type is None:
            return parsed
        return decode(operation.type, parsed, operation.id)

    def _final(self, error: AcuseError) -> AcuseError:
        error.attempts = self.attempt
        error.idempotency_key = self.key
        if isinstance(error, (APIConnectionError, ProtocolError, APIError)):
            error.outcome_unknown = error.outcome_unknown or self.unknown
        return error

    def _tell(
        self, reply: Reply | Failure, error: AcuseError | None, delay: float | None, seconds: float
    ) -> None:
        hook = self.settings.on_attempt
        answer = reply if isinstance(reply, Reply) else None
        request_id = _request_id(answer) if answer else None
        if error is not None and error.request_id is None:
            error.request_id = request_id
        if hook is None:
            return
        event = AttemptEvent(
            operation=self.operation.name,
            attempt=self.attempt,
            status=answer.status if answer else None,
            code=error.code if isinstance(error, APIError) else None,
            request_id=request_id,
            duration_ms=round(seconds * 1000, 3),
            retry_in_ms=None if delay is None else round(delay * 1000, 3),
            error=None if error is None else type(error).__name__,
        )
        try:
            hook(event)
        except Exception:
            # A hook that throws changes nothing: the message may be sent already.
            return


def _path(request: Request) -> str:
    """The path with its parameters. Raises ConfigurationError: no id may lead to another path."""
    path = request.operation.path
    for name, given in (request.path or {}).items():
        text = str(given)
        parts = text.split("/") if name == "path" else [text]
        if any(part in ("", ".", "..") for part in parts):
            raise ConfigurationError(f"{name} must not be empty or a path: it is {text!r}.")
        path = path.replace(f"{{{name}}}", "/".join(quote(part, safe="") for part in parts))
    return path


def _query(query: Mapping[str, Any] | None) -> str:
    pairs = []
    for name, value in (query or {}).items():
        if value is None:
            continue
        several = [value] if isinstance(value, (str, bytes)) or not isinstance(value, Iterable) else value
        pairs.append((name, ",".join(_parameter(each) for each in several)))
    return f"?{urlencode(pairs, quote_via=quote)}" if pairs else ""


def _parameter(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return moment_text(value) if isinstance(value, datetime) else str(value)


def _request_id(reply: Reply) -> str | None:
    found = reply.headers.get("request-id")
    return None if found is None else plain(found)


def _envelope(reply: Reply) -> tuple[str, str]:
    """Code and message of an error; of one that another program made, by its status, without its HTML."""
    try:
        error = parse(reply.body.decode("utf-8"))["error"]
        code, message = error["code"], error["message"]
        if isinstance(code, str) and _CODE.fullmatch(code) and isinstance(message, str):
            return code, message
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return f"http_{reply.status}", f"The server answered {reply.status} without an error of Acuse's."

"""The shim's clients, by their options, and its words for names and errors."""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import inspect
import json
import threading
import time
import traceback
from collections.abc import Coroutine
from typing import Any

import acuse
from acuse import Acuse, AsyncAcuse, AttemptEvent

NEUTRAL = {
    "APIConnectionError": "ConnectionError",
    "APITimeoutError": "TimeoutError",
    "APIError": "ApiError",
    "PermissionDeniedError": "PermissionError",
    "CancelledError": "Cancelled",
    "NotABundleError": "VerifyError",
}
TOLD = (
    *("status", "code", "message", "fix", "request_id", "retry_after", "attempts", "phase"),
    *("outcome_unknown", "idempotency_key", "reason"),
)


@dataclasses.dataclass
class Record:
    """The library's acts for one request."""

    attempts: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    sleeps: list[int] = dataclasses.field(default_factory=list)
    cancelled_at: float | None = None


@dataclasses.dataclass
class Call:
    """One request of the suite."""

    request: dict[str, Any]
    record: Record
    tasks: bool

    @property
    def args(self) -> dict[str, Any]:
        found: dict[str, Any] = self.request.get("args") or {}
        return found


current: contextvars.ContextVar[Record] = contextvars.ContextVar("current")


def camel(name: str) -> str:
    """``api_keys`` to ``apiKeys``."""
    first, *rest = name.strip("_").split("_")
    return first + "".join(each.capitalize() for each in rest)


def snake(name: str) -> str:
    """``apiKeys`` to ``api_keys``."""
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name)


def neutral(kind: str) -> str:
    """The neutral name of an error's class."""
    return NEUTRAL.get(kind, kind)


def error_answer(error: BaseException, record: Record) -> dict[str, Any]:
    """An error as the suite has it."""
    known = isinstance(error, (acuse.AcuseError, asyncio.CancelledError))
    name = neutral(type(error).__name__) if known else "ShimError"
    text = "".join(traceback.format_exception(error)) if name == "ShimError" else str(error)
    found: dict[str, Any] = {"class": name, "text": text}
    for attribute in TOLD:
        value = getattr(error, attribute, None)
        if value is not None and not callable(value):
            found[attribute] = value
    if record.cancelled_at is not None:
        found["elapsed_ms"] = round((time.monotonic() - record.cancelled_at) * 1000)
    return found


def run_now(steps: Coroutine[Any, Any, Any]) -> Any:
    """A coroutine that never waits."""
    try:
        steps.send(None)
    except StopIteration as stop:
        return stop.value
    raise RuntimeError("an op waited where it may not")


async def now(value: Any) -> Any:
    """The value, awaited if it is to be."""
    return await value if inspect.isawaitable(value) else value


async def each_of(iterator: Any) -> Any:
    """Items of either kind of iterator."""
    if hasattr(iterator, "__aiter__"):
        async for item in iterator:
            yield item
    else:
        for item in iterator:
            yield item


clients: dict[str, Any] = {}
clients_lock = threading.Lock()


def client_of(call: Call) -> Any:
    """One for each text of options, shared."""
    options = call.request.get("options") or {}
    text = f"{call.tasks} {json.dumps(options, sort_keys=True)}"
    with clients_lock:
        if text not in clients:
            clients[text] = _make(options, call.tasks)
        return clients[text]


def _make(options: dict[str, Any], tasks: bool) -> Any:
    given = {key: value for key, value in options.items() if value is not None}

    def hook(event: AttemptEvent) -> None:
        told = dataclasses.asdict(event)
        resource, method = event.operation.split(".")
        told["operation"] = f"{camel(resource)}.{camel(method)}"
        told["error"] = neutral(event.error) if event.error else None
        current.get().attempts.append(told)
        if given.get("hook") == "throw":
            raise RuntimeError("the hook throws")

    def sleep(seconds: float) -> Any:
        current.get().sleeps.append(round(seconds * 1000))
        if given.get("sleep") != "real":
            return None
        return asyncio.sleep(seconds) if tasks else time.sleep(seconds)

    plain = ("api_key", "base_url", "app_info", "ca_file", "proxy", "allow_insecure", "max_retries")
    arguments: dict[str, Any] = {name: given[name] for name in plain if name in given}
    for name in ("connect_timeout", "timeout", "deadline"):
        if f"{name}_ms" in given:
            arguments[name] = given[f"{name}_ms"] / 1000
    u = given.get("random", 0)
    arguments.update(on_attempt=hook, sleep=sleep, random=lambda: u)
    if "now_ms" in given:
        arguments["wall_clock"] = lambda: given["now_ms"] / 1000
    return AsyncAcuse(**arguments) if tasks else Acuse(**arguments)

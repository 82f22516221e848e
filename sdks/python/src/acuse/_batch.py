"""Many messages: cut into requests, each item with a key of its own and a result of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ._codec import Model, encode
from ._decide import RETRY_COST, Outcome, decide
from ._effects import Pause, Steps
from ._engine import Answer, Core, Request, call, json_body
from ._errors_generated import FIXES
from ._models_generated import BatchItemResult, BatchResult, Message
from ._operations_generated import OPERATIONS
from ._resource import checked_key
from .errors import AcuseError, APIConnectionError, APIError, ConfigurationError, ProtocolError, error_class

MAX_ITEMS = 100
"""Items of one request."""
MAX_RECIPIENTS = 1_000
"""Addresses in to, cc and bcc of all items of one request."""
MAX_BYTES = 60 * 1024 * 1024
"""The size of one request; the server takes 64 MiB."""
_HEAD, _TAIL = b'{"messages":[', b"]}"
_RETRIED = ("unavailable", "internal_error")


@dataclass(frozen=True)
class BatchSent:
    """The outcome of an item that was accepted, now or before."""

    index: int
    """The item's place in what was given."""
    status: Literal["created", "replayed"]
    idempotency_key: str
    """The item's own, or else the one that was made for it."""
    message: Message
    error: None = None


@dataclass(frozen=True)
class BatchFailed:
    """The outcome of an item that was not accepted, or of which nothing is known."""

    index: int
    """The item's place in what was given."""
    status: Literal["failed", "unknown"]
    """``unknown``: its request was lost for good; sending the item again under the same key makes no second
    message."""
    idempotency_key: str
    """The item's own, or else the one that was made for it."""
    error: AcuseError
    message: None = None


BatchEntry: TypeAlias = BatchSent | BatchFailed
"""The outcome of one item. Its ``status``, ``error`` or ``message`` says which of the two it is."""


@dataclass(frozen=True)
class _Item:
    index: int
    key: str
    data: bytes
    recipients: int


def batch_steps(core: Core, items: Iterable[Any]) -> Steps[list[BatchEntry]]:
    """One entry for each item, in order. It never raises for single items."""
    entries: dict[int, BatchEntry] = {}
    ready: list[_Item] = []
    for index, given in enumerate(items):
        try:
            ready.append(_prepared(index, given))
        except ConfigurationError as error:
            entries[index] = BatchFailed(index, "failed", _key_of(given), error)
    for group in _groups(ready):
        yield from _send(core, group, entries)
    return [entries[index] for index in sorted(entries)]


def _key_of(given: Any) -> str:
    fields = given.to_dict() if isinstance(given, Model) else given
    key = fields.get("idempotency_key") if isinstance(fields, Mapping) else None
    return key if isinstance(key, str) else ""


def _prepared(index: int, given: Any) -> _Item:
    """Raises ConfigurationError."""
    if not isinstance(given, (Model, Mapping)):
        raise ConfigurationError("An item of a batch is a dictionary, a Send or a BatchItem.")
    fields = encode(given)
    key = checked_key(fields.get("idempotency_key"))
    fields["idempotency_key"] = key
    recipients = sum(_count(fields.get(name)) for name in ("to", "cc", "bcc"))
    return _Item(index, key, json_body(fields), recipients)


def _count(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0 if value is None else 1


def _groups(items: list[_Item]) -> Iterable[list[_Item]]:
    group: list[_Item] = []
    size = recipients = 0
    for item in items:
        grown, more = size + len(item.data) + 1, recipients + item.recipients
        limit = MAX_BYTES - len(_HEAD) - len(_TAIL)
        if group and (len(group) == MAX_ITEMS or grown > limit or more > MAX_RECIPIENTS):
            yield group
            group, grown, more = [], len(item.data) + 1, item.recipients
        group.append(item)
        size, recipients = grown, more
    if group:
        yield group


def _send(core: Core, group: list[_Item], entries: dict[int, BatchEntry]) -> Steps[None]:
    """One request, and others for what the service could not do just then."""
    settings = core.settings
    ends = settings.clock() + settings.deadline
    attempt = 0
    while group:
        attempt += 1
        request = Request(
            OPERATIONS["sendBatch"], body=_HEAD + b",".join(item.data for item in group) + _TAIL
        )
        try:
            answer = yield from call(core, request)
        except AcuseError as error:
            _lost(group, error, entries)
            return
        again = _note(group, answer, entries)
        if not again:
            return
        decision = decide(
            "keyed",
            Outcome("answer", status=503, code="unavailable"),
            attempt,
            answer.headers,
            settings.random(),
            core.budget.tokens,
            (ends - settings.clock()) * 1_000,
            max_retries=settings.max_retries,
        )
        if decision.delay is None or not core.budget.take(RETRY_COST):
            return
        yield Pause(decision.delay / 1_000)
        group = again


def _lost(group: list[_Item], error: AcuseError, entries: dict[int, BatchEntry]) -> None:
    unknown = isinstance(error, (APIConnectionError, APIError, ProtocolError)) and error.outcome_unknown
    for item in group:
        # What refused an item in an earlier request stands, unless it may have been accepted since.
        if item.index in entries and not unknown:
            continue
        status: Literal["unknown", "failed"] = "unknown" if unknown else "failed"
        entries[item.index] = BatchFailed(item.index, status, item.key, error)


def _note(group: list[_Item], answer: Answer, entries: dict[int, BatchEntry]) -> list[_Item]:
    """Writes down the outcome of each item. Those to be tried again."""
    result: BatchResult = answer.value
    told = {each.index: each for each in result.results}
    again = []
    for position, item in enumerate(group):
        entry = _entry(item, told.get(position), answer)
        entries[item.index] = entry
        if isinstance(entry.error, APIError) and entry.error.code in _RETRIED:
            again.append(item)
    return again


def _entry(item: _Item, told: BatchItemResult | None, answer: Answer) -> BatchEntry:
    error: AcuseError
    if told is not None and told.message is not None and told.error is None:
        status: Literal["created", "replayed"] = "replayed" if told.status == "replayed" else "created"
        return BatchSent(item.index, status, item.key, told.message)
    if told is None or told.error is None:
        error = ProtocolError("The answer says nothing about this item.", outcome_unknown=True, status=200)
        error.idempotency_key = item.key
        return BatchFailed(item.index, "unknown", item.key, error)
    code = told.error.code
    number = FIXES[code][0] if code in FIXES else 422
    error = error_class(number, code)(number, code, told.error.message, request_id=answer.info.request_id)
    error.idempotency_key, error.attempts = item.key, answer.attempts
    return BatchFailed(item.index, "failed", item.key, error)

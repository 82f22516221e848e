"""Decides if and when a call is tried again: pure, tested with contract/vectors/client-decisions.json."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Literal

Retry = Literal["safe", "keyed", "repeatable", "once"]
"""The rules of the contract for an operation (x-acuse-retry)."""

BASE_DELAY_MS = 500
MAX_DELAY_MS = 8_000
MAX_RETRY_AFTER_MS = 60_000
"""A server that wants more has the error returned at once."""
BUDGET = 500
"""Tokens of a client. Without tokens nothing is retried: a server that is down is not asked four times as
often."""
RETRY_COST = 5
TIMEOUT_COST = 10
SUCCESS_GAIN = 1
MAX_RETRIES = 3

_MAX_DIGITS = 9
_MANY_SECONDS = 999_999_999
_SERVER_FAULTS = frozenset((500, 502, 503, 504))
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_HTTP_DATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4})"
    r" ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT"
)


@dataclass(frozen=True)
class Outcome:
    """How one attempt ended."""

    kind: Literal["answer", "no_connection", "lost_answer", "timeout", "tls", "malformed", "cancelled"]
    """``lost_answer``: sent, at least in part, and no whole answer came; ``timeout``: it took too long."""
    status: int | None = None
    code: str | None = None
    """The error's code; None if the answer is not one of Acuse's."""


@dataclass(frozen=True)
class Decision:
    """The step after an attempt."""

    retry: bool
    delay: int | None
    """Milliseconds to wait before the next attempt; None without one."""
    budget: int
    """Tokens left afterwards."""
    retry_after: int | None
    """Milliseconds that the answer asked for, whether that is followed or not."""
    unknown: bool
    """May the request have been carried out?"""
    because: Literal["outcome", "attempts", "retry_after", "deadline", "budget"] | None
    """The rule that forbids a retry; None when there is one."""


def decide(
    retry_class: Retry,
    outcome: Outcome,
    attempt: int,
    headers: Mapping[str, str],
    u: float,
    budget: int,
    time_left: float,
    *,
    max_retries: int = MAX_RETRIES,
    now: int = 0,
) -> Decision:
    """
    ``attempt``: the one that has just ended, from 1. ``headers``: of the answer. ``u``: random, in [0, 1).
    ``time_left``: milliseconds until the deadline of the call. ``now``: milliseconds since 1970.
    """
    after = retry_after_ms(headers, now) if outcome.kind == "answer" else None
    delay = delay_ms(attempt, u, after)
    because: Literal["outcome", "attempts", "retry_after", "deadline", "budget"] | None = None
    if not _may_retry(retry_class, outcome):
        because = "outcome"
    elif attempt > max_retries:
        because = "attempts"
    elif after is not None and after > MAX_RETRY_AFTER_MS:
        because = "retry_after"
    elif delay >= time_left:
        because = "deadline"
    elif budget < retry_cost(outcome):
        because = "budget"
    unknown = outcome_unknown(outcome)
    if because is not None:
        return Decision(False, None, budget, after, unknown, because)
    return Decision(True, delay, budget - retry_cost(outcome), after, unknown, None)


def _may_retry(retry_class: Retry, outcome: Outcome) -> bool:
    if outcome.kind == "no_connection":
        return True
    again = retry_class != "once"
    if outcome.kind in ("lost_answer", "timeout"):
        return again
    if outcome.kind != "answer":
        return False
    if outcome.status == 429:
        return outcome.code == "rate_limited"
    if outcome.status == 408:
        return outcome.code == "request_timeout"
    return again and outcome.status in _SERVER_FAULTS


def outcome_unknown(outcome: Outcome) -> bool:
    """May the request have been carried out?"""
    if outcome.kind == "answer":
        return outcome.status is not None and outcome.status >= 500
    return outcome.kind not in ("no_connection", "tls")


def delay_ms(retry: int, u: float, retry_after: int | None) -> int:
    """``retry``: which one it is, from 1."""
    backoff = int(min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (min(retry, 20) - 1)) * (0.5 + 0.5 * u))
    if retry_after is None:
        return backoff
    return max(backoff, retry_after + int(retry_after / 10 * u))


def retry_cost(outcome: Outcome) -> int:
    """Tokens that a retry after this takes."""
    return TIMEOUT_COST if outcome.kind == "timeout" else RETRY_COST


def budget_after_success(budget: int, spent: int) -> int:
    """``spent``: what the retries of the call have cost; 0 when the first attempt succeeded."""
    return min(BUDGET, budget + (spent or SUCCESS_GAIN))


def deletion_succeeded(outcomes: Iterable[Outcome]) -> bool:
    """A DELETE that is answered 404 after an attempt of unknown outcome has deleted."""
    *before, last = outcomes
    if last.kind != "answer" or last.status is None:
        return False
    if 200 <= last.status < 300:
        return True
    return last.status == 404 and any(outcome_unknown(each) for each in before)


def retry_after_ms(headers: Mapping[str, str], now: int) -> int | None:
    """None: there is none, or nothing that can be read. A moment counts from the answer's own Date.
    RFC 9110 §10.2.3"""
    value = _header(headers, "retry-after")
    if value is None:
        return None
    if re.fullmatch(r"[0-9]+", value):
        return (_MANY_SECONDS if len(value) > _MAX_DIGITS else int(value)) * 1_000
    at = http_date_ms(value)
    if at is None:
        return None
    date = http_date_ms(_header(headers, "date") or "")
    return max(0, at - (now if date is None else date))


def _header(headers: Mapping[str, str], wanted: str) -> str | None:
    for name, value in headers.items():
        if name.lower() == wanted:
            return value.strip(" \t")
    return None


def http_date_ms(text: str) -> int | None:
    """The one form that may be written; the day of the week is not compared. RFC 9110 §5.6.7"""
    fields = _HTTP_DATE.fullmatch(text)
    if fields is None or fields[2] not in _MONTHS:
        return None
    day, year, hour, minute, second = (int(fields[at]) for at in (1, 3, 4, 5, 6))
    if year < 1970:
        return None
    try:
        month = _MONTHS.index(fields[2]) + 1
        at = datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc)
    except ValueError:
        return None
    return int(at.timestamp()) * 1_000

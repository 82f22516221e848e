"""
What the core asks of its driver. The core does no I/O: a call is a generator that yields these and is sent
their outcomes, so that one engine serves threads and tasks alike.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from ._decide import Outcome


@dataclass(frozen=True)
class Attempt:
    """One HTTP request. The driver answers with a Reply or a Failure."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)
    connect_timeout: float
    timeout: float
    """Seconds for the whole attempt; for a download, between bytes."""
    max_bytes: int
    """An answer is read up to here."""
    sink: Callable[[bytes], None] | None = None
    """Takes the content of a 2xx as it arrives."""


@dataclass(frozen=True)
class Reply:
    """An answer, whole."""

    status: int
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes = field(repr=False)
    too_large: bool = False
    """It went on beyond max_bytes."""


@dataclass(frozen=True)
class Failure:
    """No answer."""

    outcome: Outcome
    phase: str
    """``connect``, ``tls``, ``send`` or ``receive``."""
    cause: BaseException
    timed_out: bool = False


@dataclass(frozen=True)
class Pause:
    """Wait so many seconds. The driver answers None."""

    seconds: float


@dataclass(frozen=True)
class Work:
    """Something that blocks on files. The driver answers with its result."""

    run: Callable[[], Any]


Effect: TypeAlias = "Attempt | Pause | Work"
T = TypeVar("T")
Steps: TypeAlias = Generator[Effect, Any, T]

"""Times in milliseconds since 1970, and when keys are trusted: docs/evidence-format.md, sections 8 and 9."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from ._base import TIME, Refused, need, text

TOLERANCE = 5 * 60_000
"""Clocks that differ by no more do not contradict each other."""
DAY = 24 * 3_600_000
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def ms_of(moment: datetime) -> int:
    """Fractions of a millisecond are dropped."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def ms_of_text(value: str) -> int:
    """Milliseconds of a time as the format writes it. Raises ValueError for a date that does not exist."""
    return ms_of(datetime.fromisoformat(value.removesuffix("Z") + "+00:00"))


def told(ms: int) -> str:
    """As the format writes it."""
    try:
        moment = _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return f"{ms} ms after 1970"
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Window:
    """When a key or an authority is trusted; None: no bound."""

    begins: int | None = None
    ends: int | None = None

    def holds(self, at: int) -> bool:
        """Is ``at`` in it? The end is not."""
        return (self.begins is None or self.begins <= at) and (self.ends is None or at < self.ends)


ALWAYS = Window()


def read_window(found: dict[str, Any], check: str) -> Window:
    """Reads ``from`` and ``until``. Raises Refused."""
    bounds = [_bound(found, name, check) for name in ("from", "until")]
    begins, ends = bounds
    need(begins is None or ends is None or begins < ends, check, "until is not after from")
    return Window(begins, ends)


def _bound(found: dict[str, Any], name: str, check: str) -> int | None:
    if name not in found:
        return None
    try:
        return ms_of_text(text(found[name], check, TIME))
    except ValueError as error:
        raise Refused(check, f"{name} is no time") from error

"""Common to all events of webhooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._codec import Json
from ._redact import redact


@dataclass(frozen=True, repr=False)
class WebhookEvent:
    """The event. Its class tells its type: EmailBouncedEvent and its like, or OtherWebhookEvent."""

    type: str
    """One of EventTypes, or one that came after this library."""
    created_at: str
    """When it happened: RFC 3339 §5.6, in UTC."""
    data: Any
    """The model of this type, such as EmailBouncedData; of OtherWebhookEvent the dictionary as it came."""
    event_id: str | None
    """The same in every delivery of the event: remember it to recognise repeats."""
    replay_protected: bool
    """Was it signed with its time, and the time near?"""
    raw: Mapping[str, Json] = field(compare=False)
    """The whole, as it came."""

    @property
    def message_id(self) -> str | None:
        """The message that it is about."""
        value = self.raw["data"].get("message_id")
        return value if isinstance(value, str) else None

    def __repr__(self) -> str:
        shown = f"type={self.type!r}, event_id={self.event_id!r}, message_id={self.message_id!r}"
        return redact(f"WebhookEvent({shown})")

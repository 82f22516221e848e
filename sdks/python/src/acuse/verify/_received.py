"""A received copy against what was sealed: docs/evidence-format.md, section 10."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from ._base import NotChecked, Refused, need, sha256
from ._content import part_facts
from ._message import HEADER_FIELDS, Field, parts_of, relaxed_body, relaxed_field, relaxed_header, split

MAX_BYTES = 64 * 1024 * 1024
"""The size of a received message: ours, and what relays put before it."""
MAX_LINE = 998
CHECK = "received_copy"
_TRACE = frozenset(
    (
        "arc-authentication-results",
        "arc-message-signature",
        "arc-seal",
        "authentication-results",
        "authentication-results-original",
        "delivered-to",
        "delivery-date",
        "dkim-filter",
        "dkim-signature",
        "dmarc-filter",
        "domainkey-signature",
        "envelope-to",
        "old-authentication-results",
        "original-authentication-results",
        "received",
        "received-spf",
        "return-path",
    )
)
"""The fields that relays write. The list is closed."""
_SHOWN = frozenset(
    (
        "x-confirm-reading-to",
        "x-face",
        "x-image-url",
        "x-message-flag",
        "x-msmail-priority",
        "x-original-from",
        "x-originalfrom",
        "x-priority",
        "x-reply-to",
        "x-sender",
        "x-unsent",
    )
)
"""Fields that mail programs show or act upon, although their names begin with X-."""


@dataclass(frozen=True)
class Copy:
    """How a message that somebody received compares with the one that was sealed."""

    verdict: Literal["same", "parts", "differs", "not_comparable"]
    """
    ``same``: byte for byte, or but for white space and the fields in which relays write. ``parts``: the parts
    that the bundle opens are in it, and nothing is said of the rest. ``not_comparable``: the bundle is
    invalid, or its content was erased.
    """
    bytes: bool
    """The sealed message, behind fields of relays."""
    relaxed: bool
    """Header and body but for white space."""
    parts: bool | None
    """Every part that the bundle opens; None if a charset is not read here."""


NOT_COMPARABLE = Copy("not_comparable", False, False, False)


def compare(received: bytes, openings: dict[str, Any], sealed: bytes | None) -> Copy:
    """
    ``sealed``: message.eml of the bundle. Raises NotChecked where the verdict hangs on a charset that is not
    read here.
    """
    if openings["content"] == "erased":
        return NOT_COMPARABLE
    try:
        need(len(received) <= MAX_BYTES, CHECK, "too large")
        message = re.sub(rb"\r\n?|\n", b"\r\n", received)
        return _judge(message, openings["mail"], sealed)
    except (Refused, ValueError, IndexError, KeyError, TypeError, RecursionError):
        return Copy("differs", False, False, False)


def _judge(message: bytes, mail: dict[str, Any], sealed: bytes | None) -> Copy:
    fields, _ = split(message, CHECK)
    whole = _is_whole(message, fields, mail.get("raw"))
    own = [] if sealed is None else split(sealed, CHECK)[0]
    header = _is_same(relaxed_header(message), mail.get("header")) and _has_nothing_strange(fields, own)
    relaxed = header and _is_same(relaxed_body(message), mail.get("body"))
    parts_alone = "raw" not in mail and "body" not in mail
    parts: bool | None
    try:
        found = parts_of(message)
        parts = bool(mail["parts"]) and all(part_facts(part) in found for part in mail["parts"])
    except NotChecked:
        if parts_alone and mail["parts"] and not whole and not relaxed:
            raise
        parts = None
    if whole or relaxed:
        return Copy("same", whole, relaxed, parts)
    return Copy("parts" if parts_alone and parts else "differs", whole, relaxed, parts)


def _is_same(layer: bytes, opening: dict[str, Any] | None) -> bool:
    return opening is not None and sha256(layer).hex() == opening["sha256"]


def _is_whole(message: bytes, fields: list[Field], opening: dict[str, Any] | None) -> bool:
    """From its first evidence field on it is the sealed message, and before that is trace alone."""
    start = 0
    for name, raw in fields:
        if name == "service-evidence":
            return _is_same(message[start:], opening)
        if not _is_trace(name, raw):
            return False
        start += len(raw) + 2
    return False


def _is_trace(name: str, raw: bytes) -> bool:
    named = name in _TRACE or (name.startswith("x-") and name not in _SHOWN)
    return named and _is_plain(raw)


def _is_plain(raw: bytes) -> bool:
    """Every program sees the same field in it."""
    if not re.match(rb"[!-9;-~]+:", raw):
        return False
    return all(
        line.strip(b" \t") and len(line) <= MAX_LINE and not re.search(rb"[^\t\x20-\x7e\x80-\xff]", line)
        for line in raw.split(b"\r\n")
    )


def _has_nothing_strange(received: list[Field], sealed: list[Field]) -> bool:
    """Each field is covered by the seal, trace, or occurs equally often in the sealed message."""
    left = Counter(relaxed_field(field) for field in sealed)
    for field in received:
        name, raw = field
        plain = _is_plain(raw)
        if _is_trace(name, raw) or (plain and name in HEADER_FIELDS):
            continue
        relaxed = relaxed_field(field)
        left[relaxed] -= 1
        if not plain or left[relaxed] < 0:
            return False
    return True

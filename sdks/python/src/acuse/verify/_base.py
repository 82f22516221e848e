"""The parts of every check: refusals, strict JSON, fields. docs/evidence-format.md, section 1."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

MAX_NESTING = 32
MAX_INTEGER = 2**53 - 1
HEX = re.compile(r"[0-9a-f]{64}")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


class Refused(Exception):
    """A check that does not hold."""

    def __init__(self, check: str, detail: str) -> None:
        super().__init__(f"{check}: {detail}")
        self.check, self.detail = check, detail


class NotChecked(Exception):
    """Something that this library cannot judge."""


def need(condition: object, check: str, detail: str) -> None:
    """Raises Refused unless the condition holds."""
    if not condition:
        raise Refused(check, detail)


def sha256(data: bytes) -> bytes:
    """RFC 6234 §4.1"""
    return hashlib.sha256(data).digest()


def canonical(value: Any) -> bytes:
    """RFC 8785 §3, of what these documents hold: ASCII keys, text, whole numbers, booleans, null."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _no(text: str) -> Any:
    raise ValueError(f"{text} is not a whole number")


def read_json(data: bytes, check: str) -> Any:
    """Reads JSON in UTF-8 with each key once. Raises Refused."""
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_pairs, parse_float=_no, parse_constant=_no)
    except (ValueError, RecursionError) as error:
        raise Refused(check, "not JSON that reads one way") from error


def read_canonical(data: bytes, check: str) -> Any:
    """Reads bytes that must be the canonical form of their own value. Raises Refused."""
    value = read_json(data, check)
    try:
        _judge(value, 1, check)
        same = canonical(value) == data
    except (UnicodeEncodeError, RecursionError) as error:
        raise Refused(check, "text that is not Unicode") from error
    need(same, check, "not canonical JSON")
    return value


def _judge(value: Any, depth: int, check: str) -> None:
    need(depth <= MAX_NESTING, check, f"nested deeper than {MAX_NESTING}")
    if isinstance(value, int):
        need(abs(value) <= MAX_INTEGER, check, "a number that is too large")
    elif isinstance(value, list):
        for each in value:
            _judge(each, depth + 1, check)
    elif isinstance(value, dict):
        for key, each in value.items():
            need(key.isascii(), check, "a key that is not ASCII")
            _judge(each, depth + 1, check)


def fields(value: Any, check: str, required: str, optional: str = "") -> dict[str, Any]:
    """An object with exactly these fields. Raises Refused."""
    need(isinstance(value, dict), check, "not an object")
    wanted, known = required.split(), {*required.split(), *optional.split()}
    missing = next((name for name in wanted if name not in value), "")
    need(missing == "", check, f"{missing} is missing")
    unknown = next((str(name) for name in value if name not in known), None)
    need(unknown is None, check, f"the field {json.dumps((unknown or '')[:40])} is not known")
    found: dict[str, Any] = value
    return found


def text(value: Any, check: str, form: re.Pattern[str] | None = None) -> str:
    """Raises Refused."""
    need(isinstance(value, str), check, "not text")
    need(form is None or form.fullmatch(value), check, "text of another form")
    found: str = value
    return found


def whole(value: Any, check: str) -> int:
    """A number from 0. Raises Refused."""
    need(isinstance(value, int) and not isinstance(value, bool) and value >= 0, check, "not a whole number")
    found: int = value
    return found


def items(value: Any, check: str, most: int) -> list[Any]:
    """A list. Raises Refused."""
    need(isinstance(value, list) and len(value) <= most, check, "not a list, or too long")
    found: list[Any] = value
    return found


def is_opened(opening: dict[str, Any], commitment: str) -> bool:
    """Do salt and hash make the commitment?"""
    return sha256(bytes.fromhex(opening["salt"] + opening["sha256"])).hex() == commitment


def opening(value: Any, check: str, more: str = "") -> dict[str, Any]:
    """A salt, a hash, and further fields. Raises Refused."""
    found = fields(value, check, f"salt sha256 {more}")
    text(found["salt"], check, HEX)
    text(found["sha256"], check, HEX)
    return found

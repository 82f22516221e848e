"""JSON that every language reads as the same."""

from __future__ import annotations

import json
import re
from typing import Any

DEPTH = 64
"""Levels of an answer."""
_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_LEVEL = re.compile(r"[\[{\]}]")
_NUMBER = re.compile(r"[-+.0-9eE]{65}")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse(text: str) -> Any:
    """
    What the text says.

    Raises ValueError for what is no JSON, half of a surrogate pair (RFC 7493 §2.1), a level beyond the 64th
    and a number of more than 64 characters.
    """
    bare = _TEXT.sub('""', text)
    depth = 0
    for match in _LEVEL.finditer(bare):
        depth += 1 if match[0] in "[{" else -1
        if depth > DEPTH:
            raise ValueError("nested too deeply")
    if _NUMBER.search(bare):
        raise ValueError("a number is too long")
    value = json.loads(text, parse_constant=_refuse)
    if _SURROGATE.search(text):
        # Half of a pair cannot be written as UTF-8: UnicodeEncodeError is a ValueError.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")

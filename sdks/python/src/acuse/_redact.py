"""The look of secrets when something is printed."""

from __future__ import annotations

import re

_KEY = re.compile(r"acuse_([0-9A-Za-z-]{1,64})_[0-9A-Za-z_~+/=.-]+")
_SECRET = re.compile(r"whsec_[0-9A-Za-z+/=_-]+")


def redact(text: str) -> str:
    """The text with API keys as ``acuse_<key id>_***`` and webhook secrets as ``whsec_***``."""
    return _SECRET.sub("whsec_***", _KEY.sub(r"acuse_\1_***", text))


_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """Somebody else's text without what would end a line, colour a terminal or turn it around."""
    return _UNSHOWN.sub("\ufffd", text)


class Secret:
    """A string that no way of printing shows: ``reveal()`` alone gives it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The string itself."""
        return self._value

    def __repr__(self) -> str:
        shown = redact(self._value)
        return shown if shown != self._value else "***"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a secret cannot be pickled")

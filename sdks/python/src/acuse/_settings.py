"""The settings of a client, refused here when no request could succeed or the key would leak."""

from __future__ import annotations

import ipaddress
import os
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from ._redact import Secret
from .errors import ConfigurationError

MAX_CONNECTIONS = 100
"""Requests at once."""
IDLE_SECONDS = 60.0
"""The server closes idle connections after 72 s."""
SECONDS_PER_BYTE = 1.0 / (256 * 1024)
"""An attempt has this much more time for each byte of its body."""
_BASE_URL = "The base URL (base_url, or ACUSE_URL)"


@dataclass(frozen=True)
class AttemptEvent:
    """One attempt of one call, as the hook ``on_attempt`` gets it. It never has a body or a key."""

    operation: str
    """Resource and method, such as ``messages.send``."""
    attempt: int
    """From 1."""
    status: int | None
    """The HTTP status of the answer; None without one."""
    code: str | None
    """The error's code, if the answer was an error."""
    request_id: str | None
    """The server's name for this request."""
    duration_ms: float
    """How long the attempt took."""
    retry_in_ms: float | None
    """After how long another attempt follows; None when this was the last one."""
    error: str | None
    """The name of the error's class, such as ``APIConnectionError``; None for a success."""


Hook = Callable[[AttemptEvent], Any]
Sleep = Callable[[float], "Awaitable[None] | None"]


@dataclass(frozen=True)
class Settings:
    """The options of a client; README says what each does."""

    api_key: Secret
    base_url: str
    max_retries: int = 3
    connect_timeout: float = 10.0
    timeout: float = 60.0
    deadline: float = 180.0
    ca_file: str | None = None
    proxy: str | None = field(default=None, repr=False)
    app_info: str | None = None
    on_attempt: Hook | None = None
    clock: Callable[[], float] = time.monotonic
    wall_clock: Callable[[], float] = time.time
    sleep: Sleep | None = None
    random: Callable[[], float] = random.random

    def changed(self, **changes: Any) -> Settings:
        """The same with other values, checked again."""
        return checked(replace(self, **changes))


def settings_of(
    api_key: str | None, base_url: str | None, allow_insecure: bool, options: dict[str, Any]
) -> Settings:
    """Settings from arguments and environment. Raises ConfigurationError."""
    key = api_key if api_key is not None else os.environ.get("ACUSE_API_KEY")
    # ACUSE_BASE_URL is what it was called before.
    url = (
        base_url if base_url is not None else os.environ.get("ACUSE_URL") or os.environ.get("ACUSE_BASE_URL")
    )
    if not key:
        raise ConfigurationError("There is no API key: pass api_key, or set ACUSE_API_KEY.")
    if any(not "!" <= char <= "~" for char in key):
        raise ConfigurationError(
            "The API key has white space, control characters or letters that no key has: "
            "copy it again, without the line end."
        )
    if not url:
        raise ConfigurationError("There is no address of the service: pass base_url, or set ACUSE_URL.")
    settings = Settings(Secret(key), checked_url(url, allow_insecure)).changed(**options)
    if settings.proxy is not None and settings.base_url.startswith("http:") and not allow_insecure:
        raise ConfigurationError(
            "The proxy would see the API key in plain http: use https; allow_insecure=True lifts this."
        )
    return settings


def checked_url(url: str, allow_insecure: bool) -> str:
    """The base URL without a slash at its end. Raises ConfigurationError."""
    if any(not "!" <= char <= "~" for char in url):
        raise ConfigurationError(f"{_BASE_URL} has white space, control or non-ASCII characters.")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        # Its text would show what may be a password.
        raise ConfigurationError(f"{_BASE_URL} cannot be read: it is like https://mail.example.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigurationError(f"{_BASE_URL} must begin with https:// (or http:// for this machine).")
    if "@" in parts.netloc:
        raise ConfigurationError(f"{_BASE_URL} has credentials: the API key is all that is needed.")
    if "?" in url or "#" in url:
        raise ConfigurationError(f"{_BASE_URL} has a query or a fragment: leave them out.")
    if parts.scheme == "http" and not is_loopback(host) and not allow_insecure:
        raise ConfigurationError(
            f"{_BASE_URL} is plain http to {host}: anyone on the way could read the API key. "
            "Use https; allow_insecure=True lifts this."
        )
    return url.rstrip("/")


def is_loopback(host: str) -> bool:
    """Is this name or address the machine itself?"""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked(settings: Settings) -> Settings:
    """The settings themselves. Raises ConfigurationError."""
    retries = settings.max_retries
    if not isinstance(retries, int) or isinstance(retries, bool) or not 0 <= retries <= 100:
        raise ConfigurationError("max_retries must be a whole number from 0 to 100.")
    for name in ("connect_timeout", "timeout", "deadline"):
        value = getattr(settings, name)
        if not isinstance(value, (int, float)) or not 0 < value < 86_400:
            raise ConfigurationError(f"{name} must be a number of seconds above 0 and below a day.")
    info = settings.app_info
    if info is not None and (len(info) > 200 or any(not " " <= char <= "~" for char in info)):
        raise ConfigurationError("app_info must be at most 200 printable ASCII characters.")
    return settings

"""The two clients: ``Acuse`` for threads, ``AsyncAcuse`` for tasks."""

from __future__ import annotations

from typing import Any, TypedDict, TypeVar

import httpx

from . import _resources_async_generated as tasks
from . import _resources_generated as threads
from ._drive import AsyncDriver, SyncDriver
from ._effects import Steps
from ._engine import Budget, Core
from ._redact import redact
from ._resources import (
    AsyncEvidenceResource,
    AsyncLogResource,
    AsyncMessagesResource,
    EvidenceResource,
    LogResource,
    MessagesResource,
)
from ._settings import Hook, Settings, Sleep, settings_of
from .errors import ConfigurationError
from .outbox import Connection, send_due

T = TypeVar("T")


class Changes(TypedDict, total=False):
    """The options that ``with_options`` can change."""

    max_retries: int
    timeout: float
    deadline: float
    connect_timeout: float
    app_info: str | None
    on_attempt: Hook | None
    sleep: Sleep | None


def _options(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


class Acuse:
    """
    A client for threads. One serves all of them.

    ``api_key`` and ``base_url`` come from ACUSE_API_KEY and ACUSE_URL unless given. Times are seconds:
    ``connect_timeout``, ``timeout`` for an attempt (with 1 s more for each 256 KiB of body), ``deadline`` for
    a call with all its attempts. ``ca_file`` is trusted in place of the usual authorities. ``on_attempt`` is
    called after each attempt. ``sleep``, ``clock``, ``wall_clock`` and ``random`` are for tests.

    Raises ConfigurationError before any request: without a key, or where the key would leak.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        max_retries: int | None = None,
        connect_timeout: float | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        ca_file: str | None = None,
        proxy: str | None = None,
        app_info: str | None = None,
        allow_insecure: bool = False,
        on_attempt: Hook | None = None,
        http_client: httpx.Client | None = None,
        sleep: Sleep | None = None,
        clock: Any = None,
        wall_clock: Any = None,
        random: Any = None,
    ) -> None:
        given = _options(
            {
                "max_retries": max_retries,
                "connect_timeout": connect_timeout,
                "timeout": timeout,
                "deadline": deadline,
                "ca_file": ca_file,
                "proxy": proxy,
                "app_info": app_info,
                "on_attempt": on_attempt,
                "sleep": sleep,
                "clock": clock,
                "wall_clock": wall_clock,
                "random": random,
            }
        )
        settings = settings_of(api_key, base_url, allow_insecure, given)
        if http_client is not None and not isinstance(http_client, httpx.Client):
            raise ConfigurationError("http_client of Acuse is an httpx.Client.")
        self._begin(Core(settings, Budget()), SyncDriver(settings, http_client))

    def _begin(self, core: Core, driver: SyncDriver) -> None:
        self.core, self._driver = core, driver
        self.messages = MessagesResource(self)
        self.evidence = EvidenceResource(self)
        self.log = LogResource(self)
        self.shares = threads.SharesResource(self)
        self.templates = threads.TemplatesResource(self)
        self.domains = threads.DomainsResource(self)
        self.senders = threads.SendersResource(self)
        self.suppressions = threads.SuppressionsResource(self)
        self.webhooks = threads.WebhooksResource(self)
        self.events = threads.EventsResource(self)
        self.rates = threads.RatesResource(self)
        self.account = threads.AccountResource(self)
        self.api_keys = threads.ApiKeysResource(self)
        self.health = threads.HealthResource(self)

    def run(self, steps: Steps[T]) -> T:
        """Drives the steps of a call."""
        return self._driver.run(self.core.settings, steps)

    def send_outbox(self, connection: Connection, *, limit: int = 100) -> int:
        """
        Sends at most ``limit`` messages of the outbox that are due, each once, however often and from
        wherever this is called. ``connection`` is one of its own, which this commits. Returns how many came
        to their end, sent or refused; why a message waits or was refused stands in the table. Raises what
        the database says, and nothing else.
        """
        return send_due(self, connection, limit)

    def with_options(self, **changes: Any) -> Acuse:
        """A view with other options that shares connections and the budget for retries."""
        view = Acuse.__new__(Acuse)
        view._begin(changed(self.core, changes), self._driver)
        return view

    def close(self) -> None:
        """Ends all connections."""
        self._driver.close()

    def __enter__(self) -> Acuse:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return shown("Acuse", self.core.settings)


class AsyncAcuse:
    """
    A client for tasks, of asyncio or trio. One serves all tasks of an event loop. Options as in ``Acuse``;
    cancelling a task ends its call at once.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        max_retries: int | None = None,
        connect_timeout: float | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        ca_file: str | None = None,
        proxy: str | None = None,
        app_info: str | None = None,
        allow_insecure: bool = False,
        on_attempt: Hook | None = None,
        http_client: httpx.AsyncClient | None = None,
        sleep: Sleep | None = None,
        clock: Any = None,
        wall_clock: Any = None,
        random: Any = None,
    ) -> None:
        given = _options(
            {
                "max_retries": max_retries,
                "connect_timeout": connect_timeout,
                "timeout": timeout,
                "deadline": deadline,
                "ca_file": ca_file,
                "proxy": proxy,
                "app_info": app_info,
                "on_attempt": on_attempt,
                "sleep": sleep,
                "clock": clock,
                "wall_clock": wall_clock,
                "random": random,
            }
        )
        settings = settings_of(api_key, base_url, allow_insecure, given)
        if http_client is not None and not isinstance(http_client, httpx.AsyncClient):
            raise ConfigurationError("http_client of AsyncAcuse is an httpx.AsyncClient.")
        self._begin(Core(settings, Budget()), AsyncDriver(settings, http_client))

    def _begin(self, core: Core, driver: AsyncDriver) -> None:
        self.core, self._driver = core, driver
        self.messages = AsyncMessagesResource(self)
        self.evidence = AsyncEvidenceResource(self)
        self.log = AsyncLogResource(self)
        self.shares = tasks.AsyncSharesResource(self)
        self.templates = tasks.AsyncTemplatesResource(self)
        self.domains = tasks.AsyncDomainsResource(self)
        self.senders = tasks.AsyncSendersResource(self)
        self.suppressions = tasks.AsyncSuppressionsResource(self)
        self.webhooks = tasks.AsyncWebhooksResource(self)
        self.events = tasks.AsyncEventsResource(self)
        self.rates = tasks.AsyncRatesResource(self)
        self.account = tasks.AsyncAccountResource(self)
        self.api_keys = tasks.AsyncApiKeysResource(self)
        self.health = tasks.AsyncHealthResource(self)

    async def run(self, steps: Steps[T]) -> T:
        """Drives the steps of a call."""
        return await self._driver.run(self.core.settings, steps)

    def with_options(self, **changes: Any) -> AsyncAcuse:
        """A view with other options that shares connections and the budget for retries."""
        view = AsyncAcuse.__new__(AsyncAcuse)
        view._begin(changed(self.core, changes), self._driver)
        return view

    async def close(self) -> None:
        """Ends all connections."""
        await self._driver.close()

    async def __aenter__(self) -> AsyncAcuse:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return shown("AsyncAcuse", self.core.settings)


def changed(core: Core, changes: dict[str, Any]) -> Core:
    """The same with other options. Raises ConfigurationError for what a view cannot change."""
    unknown = set(changes) - set(Changes.__annotations__)
    if unknown:
        raise ConfigurationError(
            f"with_options cannot change {', '.join(sorted(unknown))}: make another client."
        )
    return Core(core.settings.changed(**changes), core.budget)


def shown(name: str, settings: Settings) -> str:
    """A client as it is printed: without its key."""
    return redact(f"{name}(api_key={settings.api_key!r}, base_url={settings.base_url!r})")

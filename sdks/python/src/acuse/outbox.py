"""
The outbox: messages that are written in the caller's own transaction and sent afterwards, each once.

The table is ``TABLE``, which a migration of yours creates once. Connections are those of psycopg, or of any
driver with the interface of PEP 249 and ``%s`` for parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ._codec import encode
from ._engine import Request, json_body
from ._inputs_generated import SendDict
from ._models_generated import Send
from ._operations_generated import OPERATIONS
from ._outbox_generated import ACCEPTED, ADD, CLAIM, RECORD, REFUSED, TABLE
from ._resource import checked_key, send_steps
from .errors import AcuseError, APIError, ConfigurationError

if TYPE_CHECKING:
    from ._client import Acuse

__all__ = ["TABLE", "Connection", "add"]

_ERROR_MAX_CHARS = 1_000


class Connection(Protocol):
    """The part of a connection that the outbox needs."""

    def cursor(self) -> Any:
        """A cursor, as PEP 249 has it."""
        ...

    def commit(self) -> Any:
        """Ends the transaction."""
        ...


def add(connection: Connection, message: Send | SendDict, idempotency_key: str) -> bool:
    """
    Writes a message and its key into the outbox, in the transaction that ``connection`` is in: if that is
    rolled back, nothing is sent. False: the key is in the outbox already, and nothing was written.

    Send with ``Acuse.send_outbox``. Raises ConfigurationError.
    """
    if idempotency_key is None:
        raise ConfigurationError("A message of the outbox needs a key.")
    key = checked_key(idempotency_key)
    if not isinstance(message, (Send, Mapping)):
        raise ConfigurationError("A message is a dictionary or a Send.")
    cursor = connection.cursor()
    cursor.execute(ADD, (key, json_body(encode(message)).decode()))
    return bool(cursor.rowcount == 1)


def send_due(client: Acuse, connection: Connection, limit: int) -> int:
    """Behind ``Acuse.send_outbox``."""
    for ended in range(limit):
        cursor = connection.cursor()
        cursor.execute(CLAIM)
        row = cursor.fetchone()
        connection.commit()
        if row is None:
            return ended
        id, key, message, attempts = row
        came = _attempt(client, key, message)
        connection.cursor().execute(RECORD, (*came, id, attempts))
        connection.commit()
        # A cause such as a service that is down would make the next wait too.
        if came[0] == "waiting":
            return ended
    return limit


def _attempt(client: Acuse, key: str, message: str) -> tuple[str, str | None, str | None, float]:
    """
    State, message id, error, and seconds to wait. The bytes are those of the row: whoever sends it again, in
    whatever language, sends the same.
    """
    headers = {"Idempotency-Key": key}
    request = Request(OPERATIONS["sendMessage"], headers=headers, body=message.encode())
    try:
        sent = client.run(send_steps(client.core, request, key))
    except APIError as error:
        if error.code == ACCEPTED:
            return ("sent", None, None, 0)
        refused = error.status in REFUSED and not error.code.startswith("http_")
        text = f"{error.code}: {error.message}"[:_ERROR_MAX_CHARS]
        return ("refused" if refused else "waiting", None, text, error.retry_after or 0)
    except AcuseError as error:
        return ("waiting", None, str(error)[:_ERROR_MAX_CHARS], 0)
    return ("sent", sent.message.id, None, 0)

"""Waiting until a message is sealed."""

from __future__ import annotations

from ._effects import Pause, Steps
from ._engine import Core
from ._models_generated import Message
from ._resource import json_steps, request_of
from .errors import APITimeoutError, ErrorCodes, RefusedError

PAUSES = (1.0, 2.0, 3.0, 5.0)
"""Seconds between questions; the last one from then on."""


def sealed_steps(core: Core, id: str, within: float) -> Steps[Message]:
    """Raises RefusedError at once for a plain message, APITimeoutError when it takes longer."""
    clock = core.settings.clock
    ends = clock() + within
    waited = 0.0
    asked = 0
    while True:
        message: Message = yield from json_steps(core, request_of("getMessage", {"id": id}, None, None, None))
        if message.sealed_at is not None:
            return message
        if not message.certified:
            raise RefusedError(422, ErrorCodes.NOT_CERTIFIED, "A plain message is never sealed.")
        pause = PAUSES[min(asked, len(PAUSES) - 1)]
        waited += pause
        asked += 1
        if clock() + pause > ends or waited > within:
            text = f"The message was not sealed within {within:g} s: ask again later."
            late = APITimeoutError(text, phase="receive", outcome_unknown=False)
            late.attempts = asked
            raise late
        yield Pause(pause)

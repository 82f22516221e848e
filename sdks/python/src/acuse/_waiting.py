"""Waiting until a message is sealed."""

from __future__ import annotations

from ._effects import Pause, Steps
from ._engine import Core
from ._models_generated import Evidence, Message
from ._resource import json_steps, request_of
from .errors import APITimeoutError, RefusedError

PAUSES = (1.0, 2.0, 3.0, 5.0)
"""Seconds between questions; the last one from then on."""


def sealed_steps(core: Core, id: str, within: float) -> Steps[Evidence]:
    """Raises RefusedError at once for a plain message, APITimeoutError when it takes longer."""
    clock = core.settings.clock
    ends = clock() + within
    waited = 0.0
    asked = 0
    while True:
        try:
            evidence: Evidence = yield from json_steps(
                core, request_of("getEvidence", {"id": id}, None, None, None)
            )
            return evidence
        except RefusedError as error:
            if error.code != "missing_proof_data":
                raise
            if asked == 0:
                message: Message = yield from json_steps(
                    core, request_of("getMessage", {"id": id}, None, None, None)
                )
                if not message.certified:
                    raise
            pause = PAUSES[min(asked, len(PAUSES) - 1)]
            if clock() + pause > ends or waited + pause > within:
                late = APITimeoutError(
                    f"The message was not sealed within {within:g} s.", phase="receive", outcome_unknown=False
                )
                raise late from error
        yield Pause(pause)
        waited += pause
        asked += 1

"""Shared by the tests: where the repository's contract is, a client whose answers are scripted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from acuse import Acuse, AttemptEvent, SendDict
from acuse._models_generated import Message

VECTORS = Path(__file__).parents[3] / "contract" / "vectors"
KEY = "acuse_k1_canary0000000000"


def vectors(name: str) -> Any:
    """A file of contract/vectors; the test is skipped where the folder stands alone."""
    file = VECTORS / name
    if not file.exists():
        pytest.skip(f"{name} is not there: this folder was copied out of the repository")
    return json.loads(file.read_text("utf-8"))


MESSAGE: dict[str, Any] = {
    **{each.name: None for each in Message.schema_fields if each.required and each.nullable},
    "id": "01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11",
    "idempotency_key": "k",
    "from": "billing@sandbox.test",
    "to": "delivered@sandbox.test",
    "subject": "Invoice 1",
    "certified": True,
    "status": "queued",
    "tags": [],
    "metadata": {},
    "size_bytes": 100,
    "created_at": "2026-11-20T09:30:00.000Z",
    "attempts": 0,
}
DRAFT: SendDict = {
    "from": "billing@sandbox.test",
    "to": "delivered@sandbox.test",
    "subject": "Invoice 1",
    "text": "Hello.",
}


def refusal(status: int, code: str, message: str = "No.", **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"error": {"code": code, "message": message}}, headers=headers)


Answer = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


class Script:
    """Answers in order, and what was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.sleeps: list[float] = []
        self.events: list[AttemptEvent] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx.Response) else answer(request)

    def client(self, **options: Any) -> Acuse:
        return Acuse(
            KEY,
            "http://localhost:8025",
            http_client=httpx.Client(transport=httpx.MockTransport(self)),
            sleep=self.sleeps.append,
            random=lambda: 0.5,
            on_attempt=self.events.append,
            **options,
        )

"""The test kit, and what is made of many calls, for threads and for tasks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import DRAFT, MESSAGE, Script, refusal

import acuse
from acuse import verify_webhook
from acuse.testing import FakeAcuse, sandbox, sign_webhook

SECRET = "whsec_gqt1+L1O3uCyOBXWUFwJvfT+SRWzoxpGBBm1p0Kz9GY="


def test_the_fake_sends_replays_and_refuses() -> None:
    fake = FakeAcuse()
    client = fake.client()
    first = client.messages.send(DRAFT, "k")
    assert (first.replayed, client.messages.send(DRAFT, "k").replayed) == (False, True)
    assert client.messages.get(first.message.id).id == first.message.id
    with pytest.raises(acuse.RefusedError):
        client.messages.send({**DRAFT, "subject": "Other"}, "k")
    fake.refuse("unavailable", times=2)
    assert client.messages.send(DRAFT, "l").attempts == 3
    assert len(fake.sent) == 2


def test_the_fake_takes_batches() -> None:
    fake = FakeAcuse()
    client = fake.client()
    first = client.messages.send(DRAFT, "k")
    other = {**DRAFT, "subject": "Other"}
    items = [
        {**DRAFT, "idempotency_key": "k"},
        {"idempotency_key": "k", **other},
        {"idempotency_key": "l", **other},
    ]
    results = client.messages.send_batch(items)
    assert [each.status for each in results] == ["replayed", "failed", "created"]
    assert results[0].message == first.message
    assert fake.sent == [DRAFT, other]


def test_the_fake_serves_tasks() -> None:
    fake = FakeAcuse()

    async def main() -> list[Any]:
        async with fake.async_client() as client:
            return list(await asyncio.gather(*[client.messages.send(DRAFT) for _ in range(20)]))

    assert len({each.message.id for each in asyncio.run(main())}) == 20


def test_signs_webhooks_as_the_service_does() -> None:
    event = {"type": "email.sent", "created_at": "2026-11-20T09:30:00.000Z", "data": {"event_id": "e1"}}
    body, headers = sign_webhook(event, SECRET)
    assert verify_webhook(body, headers, SECRET).event_id == "e1"
    assert sandbox.address("bounced", "tag") == "bounced+tag@sandbox.test"


def test_a_delivery_without_created_at_is_of_its_own_time() -> None:
    at = 1_795_513_800.7
    event = {"type": "email.sent", "data": {"message_id": "m1"}}
    body, headers = sign_webhook(event, SECRET, at)
    seen = verify_webhook(body, headers, SECRET, now=at)
    assert (seen.type, seen.created_at) == ("email.sent", "2026-11-24T09:50:00.000Z")


@pytest.mark.parametrize(
    ("event", "what"),
    [({"type": "x.y"}, "data"), ({"type": "x.y", "data": None}, "data"), ({"data": {}}, "type")],
)
def test_an_event_without_type_or_data_is_refused(event: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=f"The event has no {what}: give"):
        sign_webhook(event, SECRET)


@pytest.mark.parametrize("secret", ["", "c2VjcmV0", "whsec_x", "whsec_a b="])
def test_a_secret_that_is_none_is_refused_with_its_form(secret: str) -> None:
    with pytest.raises(ValueError, match="whsec_ and base64"):
        sign_webhook({"type": "x.y", "data": {}}, secret)


def test_waits_until_sealed_and_gives_up_at_once_on_a_plain_message() -> None:
    sealed = {**MESSAGE, "sealed_at": "2026-11-20T09:30:09.000Z"}
    answers = [httpx.Response(200, json=MESSAGE)] * 4 + [httpx.Response(200, json=sealed)]
    script = Script(*answers)
    assert script.client().evidence.wait_until_sealed("m1").sealed_at is not None
    assert script.sleeps == [1, 2, 3, 5]
    plain = httpx.Response(200, json={**MESSAGE, "certified": False})
    script = Script(plain, refusal(422, "missing_proof_data"))
    with pytest.raises(acuse.RefusedError):
        script.client().evidence.wait_until_sealed("m1")
    with pytest.raises(acuse.APITimeoutError):
        Script(httpx.Response(200, json=MESSAGE)).client().evidence.wait_until_sealed("m1", within=4)


def test_attachments_have_the_same_type_everywhere(tmp_path: Path) -> None:
    for name, kind in (("a.PDF", "application/pdf"), ("b.xyz", "application/octet-stream")):
        (tmp_path / name).write_bytes(b"1")
        attachment = acuse.Attachment.from_file(tmp_path / name)
        assert attachment.to_dict() == {"filename": name, "content_type": kind, "content": "MQ=="}
    with pytest.raises(acuse.ConfigurationError):
        acuse.Attachment.from_file(tmp_path / "nothing")


def test_a_delivery_has_the_id_of_its_event_or_a_new_one() -> None:
    event: dict[str, Any] = {"type": "email.sent", "created_at": "2026-11-20T09:30:00.000Z", "data": {}}
    bodies = [sign_webhook(event, SECRET) for _ in range(2)]
    seen = {acuse.verify_webhook(*delivery, SECRET).event_id for delivery in bodies}
    assert len(seen) == 2
    assert None not in seen

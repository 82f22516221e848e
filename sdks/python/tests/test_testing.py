"""The test kit, and what is made of many calls, for threads and for tasks."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import DRAFT, MESSAGE, Script, refusal

import acuse
from acuse import AsyncAcuse, verify_webhook
from acuse.testing import FAKE_KEY, FakeAcuse, sandbox, sign_webhook

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


@pytest.mark.parametrize("secret", ["", "c2VjcmV0", "whsec_x", "whsec_a b="])
def test_a_secret_that_is_none_is_refused_with_its_form(secret: str) -> None:
    with pytest.raises(ValueError, match="whsec_ and base64"):
        sign_webhook({"type": "x.y", "data": {}}, secret)


def test_a_batch_of_many_is_cut_and_answered_in_order() -> None:
    fake = FakeAcuse()
    items = [{**DRAFT, "idempotency_key": f"k{number % 249}"} for number in range(250)]
    entries = fake.client().messages.send_batch(items)
    assert [each.index for each in entries] == list(range(250))
    assert [each.status for each in entries] == ["created"] * 249 + ["replayed"]
    assert len(fake.requests) == 3
    keyless = fake.client().messages.send_batch([DRAFT, {**DRAFT, "idempotency_key": "é"}])
    assert keyless[0].idempotency_key.startswith("auto_")
    assert isinstance(keyless[1].error, acuse.ConfigurationError)


def test_a_batch_request_that_is_lost_for_good_leaves_its_items_unknown() -> None:
    fake = FakeAcuse()

    def lose(request: httpx.Request) -> httpx.Response:
        if b'"k100"' in request.content:
            raise httpx.ReadError("gone")
        return fake.handle_request(request)

    items = [{**DRAFT, "idempotency_key": f"k{number}"} for number in range(150)]
    entries = Script(lose).client().messages.send_batch(items)
    assert [each.status for each in entries] == ["created"] * 100 + ["unknown"] * 50
    assert isinstance(entries[149].error, acuse.APIConnectionError)


def test_items_that_the_service_could_not_take_are_sent_again_alone() -> None:
    fake = FakeAcuse()
    failed = {"index": 1, "status": "failed", "error": {"code": "unavailable", "message": "Later."}}

    def half(request: httpx.Request) -> httpx.Response:
        answer = fake.handle_request(request).json()
        if len(fake.requests) == 1:
            answer["results"][1] = failed
        return httpx.Response(200, json=answer)

    script = Script(half)
    entries = script.client().messages.send_batch([DRAFT, {**DRAFT, "subject": "2"}])
    assert [each.status for each in entries] == ["created", "replayed"]
    assert len(json.loads(script.requests[1].content)["messages"]) == 1


def _page(cursor: str | None, *ids: str) -> httpx.Response:
    data = [{**MESSAGE, "id": id} for id in ids]
    return httpx.Response(200, json={"data": data, "next_cursor": cursor, "scanned_to": None})


def test_a_list_is_read_as_it_is_walked_through() -> None:
    script = Script(_page("a", "1", "2"), _page("b"), _page(None, "3"))
    listed = script.client().messages.list(status="bounced", limit=2)
    assert [each.id for each in listed] == ["1", "2", "3"]
    assert script.requests[1].url.params["after"] == "a"
    script = Script(_page("a", "1", "2"))
    assert next(iter(script.client().messages.list())).id == "1"
    assert len(script.requests) == 1
    with pytest.raises(acuse.ProtocolError):
        list(script.client().messages.list())


def test_a_download_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "proof.zip"
    script = Script(refusal(503, "unavailable"), httpx.Response(200, content=b"whole"))
    assert script.client().evidence.download_bundle("m1", target).read_bytes() == b"whole"
    script = Script(httpx.ReadError("cut"))
    with pytest.raises(acuse.APIConnectionError):
        script.client().evidence.download_bundle("m1", tmp_path / "other.zip")
    assert [each.name for each in tmp_path.iterdir()] == ["proof.zip"]


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


def test_cancelling_a_task_ends_its_call_and_retries_nothing() -> None:
    asked = 0

    async def main() -> float:
        async def never(_: httpx.Request) -> httpx.Response:
            nonlocal asked
            asked += 1
            await asyncio.sleep(60)
            raise AssertionError

        http = httpx.AsyncClient(transport=httpx.MockTransport(never))
        client = AsyncAcuse(FAKE_KEY, "http://localhost", http_client=http)
        task = asyncio.create_task(client.messages.send(DRAFT))
        await asyncio.sleep(0.05)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return began

    asyncio.run(main())
    assert asked == 1


def test_a_delivery_has_the_id_of_its_event_or_a_new_one() -> None:
    event: dict[str, Any] = {"type": "email.sent", "created_at": "2026-11-20T09:30:00.000Z", "data": {}}
    bodies = [sign_webhook(event, SECRET) for _ in range(2)]
    seen = {acuse.verify_webhook(*delivery, SECRET).event_id for delivery in bodies}
    assert len(seen) == 2
    assert None not in seen

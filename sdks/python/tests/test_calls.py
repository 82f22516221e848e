"""Calls: what is sent, what is retried, what is raised."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from support import DRAFT, KEY, MESSAGE, Script, refusal

import acuse
from acuse import Acuse


def test_sends_a_message_and_says_what_came_of_it() -> None:
    script = Script(httpx.Response(201, json=MESSAGE, headers={"Request-Id": "r1"}))
    result = script.client().messages.send(DRAFT, "invoice-1")
    assert (result.message.id, result.replayed, result.idempotency_key) == (MESSAGE["id"], False, "invoice-1")
    assert (result.attempts, result.response.status, result.response.request_id) == (1, 201, "r1")
    [request] = script.requests
    assert json.loads(request.content) == DRAFT
    assert request.headers["idempotency-key"] == "invoice-1"
    assert request.headers["acuse-attempt"] == "1"
    assert request.headers["user-agent"].startswith(f"acuse-python/{acuse.__version__} (cpython/")


def test_makes_a_key_and_keeps_it_through_all_attempts() -> None:
    replay = httpx.Response(200, json=MESSAGE, headers={"Idempotent-Replayed": "true"})
    script = Script(httpx.ReadError("gone"), refusal(503, "unavailable"), replay)
    result = script.client().messages.send(DRAFT)
    assert result.idempotency_key.startswith("auto_")
    assert (result.replayed, result.attempts) == (True, 3)
    assert len({each.headers["idempotency-key"] for each in script.requests}) == 1
    assert [each.headers["acuse-attempt"] for each in script.requests] == ["1", "2", "3"]
    assert script.sleeps == [0.375, 0.75]
    assert [(each.status, each.code, each.error) for each in script.events] == [
        (None, None, "APIConnectionError"),
        (503, "unavailable", "UnavailableError"),
        (200, None, None),
    ]


@pytest.mark.parametrize("key", ["", "a\r\nb", "clé", "x" * 256, " a", "a\n"])
def test_refuses_a_key_that_no_header_can_have_before_any_request(key: str) -> None:
    script = Script(httpx.Response(201, json=MESSAGE))
    with pytest.raises(acuse.ConfigurationError):
        script.client().messages.send(DRAFT, key)
    assert script.requests == []


def test_gives_the_key_back_when_all_answers_are_lost() -> None:
    script = Script(httpx.ReadError("gone"))
    with pytest.raises(acuse.APIConnectionError) as caught:
        script.client().messages.send(DRAFT)
    error = caught.value
    assert (error.phase, error.outcome_unknown, error.attempts) == ("receive", True, 4)
    assert error.idempotency_key == script.requests[0].headers["idempotency-key"]


def test_does_not_repeat_what_must_happen_once() -> None:
    script = Script(httpx.ReadError("gone"))
    with pytest.raises(acuse.APIConnectionError):
        script.client().api_keys.create({"name": "n", "scopes": ["evidence:read"]})
    assert len(script.requests) == 1
    script = Script(httpx.ConnectError("refused"))
    with pytest.raises(acuse.APIConnectionError) as caught:
        script.client().api_keys.create({"name": "n", "scopes": ["evidence:read"]})
    assert (len(script.requests), caught.value.outcome_unknown) == (4, False)


def test_takes_404_after_a_lost_deletion_for_success() -> None:
    script = Script(httpx.ReadTimeout("slow"), refusal(404, "not_found"))
    assert script.client().domains.delete("d1").status == 404
    with pytest.raises(acuse.NotFoundError):
        Script(refusal(404, "not_found")).client().domains.delete("d1")


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "invalid_body", acuse.InvalidRequestError),
        (401, "unauthorized", acuse.AuthenticationError),
        (403, "insufficient_scope", acuse.PermissionDeniedError),
        (404, "not_found", acuse.NotFoundError),
        (408, "request_timeout", acuse.InvalidRequestError),
        (409, "conflict", acuse.ConflictError),
        (422, "recipient_suppressed", acuse.RefusedError),
        (429, "quota_exceeded", acuse.QuotaExceededError),
        (429, "rate_limited", acuse.RateLimitedError),
        (500, "internal_error", acuse.ServerError),
        (503, "unavailable", acuse.UnavailableError),
        (418, "new_code", acuse.APIError),
        (422, "new_code", acuse.RefusedError),
        (599, "new_code", acuse.ServerError),
    ],
)
def test_raises_the_class_of_the_code(status: int, code: str, kind: type[acuse.APIError]) -> None:
    script = Script(refusal(status, code, "Because.", **{"Request-Id": "r1"}))
    with pytest.raises(acuse.APIError) as caught:
        script.client(max_retries=0).account.get()
    error = caught.value
    assert type(error) is kind
    assert (error.status, error.code, error.message, error.request_id) == (status, code, "Because.", "r1")
    assert (error.fix is None) == (code == "new_code")


def test_keeps_html_out_of_errors() -> None:
    script = Script(httpx.Response(502, text="<html>nginx"))
    with pytest.raises(acuse.ServerError) as caught:
        script.client(max_retries=0).account.get()
    assert "html" not in str(caught.value)
    assert "html" not in repr(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, json=[]),
        httpx.Response(200, json={}),
        httpx.Response(200, text="<html>"),
        httpx.Response(200, content=b"[" * 100_000),
        httpx.Response(200, content=b"\xff"),
        httpx.Response(200, json={**MESSAGE, "attempts": "3"}),
        httpx.Response(200, json={**MESSAGE, "subject": None}),
        httpx.Response(307, headers={"Location": "https://elsewhere.test/"}),
        httpx.Response(200, content=b" " * (16 * 1024 * 1024 + 1)),
    ],
)
def test_takes_no_other_answer_for_a_success(answer: httpx.Response) -> None:
    script = Script(answer)
    with pytest.raises(acuse.ProtocolError):
        script.client().messages.get("m1")
    assert len(script.requests) == 1


def test_reads_what_came_after_it() -> None:
    script = Script(httpx.Response(200, json={**MESSAGE, "status": "teleported", "mood": {"a": [1]}}))
    message = script.client().messages.get("m1")
    assert message.status == "teleported"
    assert message.extra == {"mood": {"a": [1]}}
    assert message.to_dict()["mood"] == {"a": [1]}


def test_sends_nothing_that_was_not_set() -> None:
    script = Script(httpx.Response(201, json=MESSAGE))
    client = script.client()
    client.messages.send(acuse.Send(from_="a@b.test", to=["c@d.test"], text="x"), "k")
    assert json.loads(script.requests[0].content) == {"from": "a@b.test", "to": ["c@d.test"], "text": "x"}
    client.messages.send({"from": "a@b.test", "to": "c@d.test", "text": "x", "certified": False}, "k")
    assert json.loads(script.requests[1].content)["certified"] is False
    client.messages.list(status=["bounced", "complained"], certified=True, limit=2)
    assert len(script.requests) == 2


@pytest.mark.parametrize("id", ["", ".", ".."])
def test_no_id_leads_to_another_path(id: str) -> None:
    script = Script(httpx.Response(200, json=MESSAGE))
    with pytest.raises(acuse.ConfigurationError):
        script.client().messages.get(id)
    script.client().messages.get("a/../../b?c#d")
    assert script.requests[0].url.raw_path == b"/v1/messages/a%2F..%2F..%2Fb%3Fc%23d"


def test_a_hook_that_throws_changes_nothing() -> None:
    script = Script(httpx.Response(201, json=MESSAGE))

    def hook(_: object) -> None:
        raise RuntimeError

    assert script.client().with_options(on_attempt=hook).messages.send(DRAFT).message.id == MESSAGE["id"]


def test_waits_as_the_server_asks_unless_that_is_too_long() -> None:
    script = Script(refusal(429, "rate_limited", **{"Retry-After": "2"}), httpx.Response(200, json=MESSAGE))
    script.client().messages.get("m1")
    assert script.sleeps == [2.1]
    script = Script(refusal(503, "unavailable", **{"Retry-After": "3600"}))
    with pytest.raises(acuse.UnavailableError) as caught:
        script.client().messages.get("m1")
    assert (caught.value.retry_after, script.sleeps) == (3600.0, [])


def test_a_server_that_is_down_is_not_asked_four_times_as_often() -> None:
    script = Script(refusal(500, "internal_error"))
    client = script.client()
    for _ in range(200):
        with pytest.raises(acuse.ServerError):
            client.messages.send(DRAFT)
    assert len(script.requests) == 300


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"api_key": ""}, "API key"),
        ({"api_key": "acuse_a_b\n"}, "white space"),
        ({"base_url": "http://mail.example"}, "https"),
        ({"base_url": "https://u:p@mail.example"}, "credentials"),
        ({"base_url": "https://mail.example?a=b"}, "query"),
        ({"base_url": "https://mail.example/#a"}, "fragment"),
        ({"base_url": "ftp://mail.example"}, "https"),
        ({"base_url": "https://[::1"}, "cannot be read"),
        ({"base_url": "https://ma\til.example"}, "white space"),
        ({"max_retries": -1}, "max_retries"),
        ({"timeout": 0}, "timeout"),
        ({"app_info": "a\r\nb"}, "app_info"),
        ({"ca_file": "/nowhere"}, "ca_file"),
    ],
)
def test_refuses_options_that_cannot_be_right(options: dict[str, Any], word: str) -> None:
    with pytest.raises(acuse.ConfigurationError, match=word):
        Acuse(**{"api_key": KEY, "base_url": "https://mail.example", **options})


def test_takes_plain_http_where_that_is_said() -> None:
    assert "mail.example" in repr(Acuse(KEY, "http://mail.example", allow_insecure=True))
    assert "127.0.0.1" in repr(Acuse(KEY, "http://127.0.0.1:1"))

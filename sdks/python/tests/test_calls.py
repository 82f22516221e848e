"""Calls: what no vector has; exchanges and sdks/conformance have the rest."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from support import KEY, MESSAGE, Script

import acuse
from acuse import Acuse


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

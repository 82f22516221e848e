"""A canary key is in nothing that is printed."""

from __future__ import annotations

import copy
import pickle
import traceback

import httpx
import pytest
from support import DRAFT, KEY, MESSAGE, Script, refusal

import acuse

CANARY = "canary"


def test_no_way_of_printing_shows_a_key() -> None:
    script = Script(refusal(401, "unauthorized", f"The key {KEY} is unknown."))
    client = script.client()
    with pytest.raises(acuse.AuthenticationError) as caught:
        client.messages.send({**DRAFT, "text": f"whsec_{CANARY} {KEY}"})
    shown = [repr(client), str(client), repr(client.core), repr(client.core.settings), repr(script.events)]
    shown += [str(caught.value), repr(caught.value), "".join(traceback.format_exception(caught.value))]
    shown.append(f"{client.core.settings.api_key:>40}")
    for text in shown:
        assert CANARY not in text
    assert "acuse_k1_***" in shown[0]


def test_a_key_cannot_be_pickled_or_copied_into_something_that_shows_it() -> None:
    secret = Script(refusal(401, "unauthorized")).client().core.settings.api_key
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.copy(secret)


def test_answers_with_secrets_hide_them_when_printed() -> None:
    text = repr(acuse.Message.from_dict({**MESSAGE, "subject": f"Key {KEY}, whsec_{CANARY}"}))
    assert CANARY not in text
    assert "whsec_***" in text


def test_requests_are_not_followed_elsewhere() -> None:
    script = Script(httpx.Response(307, headers={"Location": "http://elsewhere.test/"}))
    with pytest.raises(acuse.ProtocolError):
        script.client().account.get()
    assert [each.url.host for each in script.requests] == ["localhost"]

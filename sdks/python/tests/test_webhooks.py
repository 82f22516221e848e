"""Deliveries, against contract/vectors/webhooks.json."""

from __future__ import annotations

from typing import Any

import pytest
from support import vectors

import acuse
from acuse import verify_webhook


def _verify(case: dict[str, Any]) -> dict[str, Any]:
    try:
        event = verify_webhook(
            case["body"].encode(),
            case["headers"],
            case["secrets"],
            case["tolerance"],
            accept_unstamped=case["accept_unstamped"],
            now=case["now"],
        )
    except acuse.WebhookError as error:
        return {"reason": error.reason}
    data = event.data.to_dict() if isinstance(event.data, acuse.Model) else event.data
    return {
        "event": {
            "type": event.type,
            "created_at": event.created_at,
            "data": data,
            "event_id": event.event_id,
            "replay_protected": event.replay_protected,
        }
    }


def test_judges_deliveries_as_all_languages_do() -> None:
    cases = vectors("webhooks.json")["cases"]
    assert len(cases) > 80
    for case in cases:
        assert _verify(case) == case["out"], case["name"]


def _good() -> dict[str, Any]:
    case: dict[str, Any] = vectors("webhooks.json")["cases"][3]
    return case


def test_gives_data_as_the_type_of_its_event() -> None:
    case = _good()
    event = verify_webhook(case["body"].encode(), case["headers"], case["secrets"], now=case["now"])
    assert isinstance(event, acuse.EmailBouncedEvent)
    assert isinstance(event.data, acuse.EmailBouncedData)
    assert event.message_id == event.data.message_id
    assert "ana@example.com" not in repr(event)


@pytest.mark.parametrize("body", [{"type": "email.sent"}, None, 3])
def test_a_body_that_was_parsed_names_the_setting_that_gives_its_bytes(body: Any) -> None:
    case = _good()
    with pytest.raises(acuse.WebhookError, match="get_data") as caught:
        verify_webhook(body, case["headers"], case["secrets"], now=case["now"])
    assert caught.value.reason == "parsed_body"


def test_takes_headers_as_frameworks_have_them() -> None:
    case = _good()
    wsgi = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in case["headers"].items()}
    asgi = [(name.lower().encode(), value.encode()) for name, value in case["headers"].items()]
    for headers in (wsgi, asgi, [(name, value) for name, value in case["headers"].items()]):
        event = verify_webhook(case["body"].encode(), headers, case["secrets"][0], now=case["now"])
        assert event.replay_protected


def test_no_error_shows_a_secret() -> None:
    case = _good()
    with pytest.raises(acuse.WebhookError) as caught:
        verify_webhook(b"{}", case["headers"], case["secrets"], now=case["now"])
    assert case["secrets"][0] not in repr(caught.value)


def test_what_does_not_fit_its_type_is_of_no_known_one() -> None:
    from acuse.testing import sign_webhook

    secret = _good()["secrets"][0]
    for type, data in (("email.bounced", {"reply": 3}), ("email.folded", {}), ("email.sent", {})):
        sent = {"type": type, "created_at": "x", "data": {"event_id": "e1", **data}}
        event = verify_webhook(*sign_webhook(sent, secret), secret)
        assert isinstance(event, acuse.OtherWebhookEvent) == (type != "email.sent")
        assert (event.type, event.event_id) == (type, "e1")

"""The generated types, against contract/vectors/examples.json."""

from __future__ import annotations

import email.message
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Literal

import pytest
from support import vectors

import acuse
from acuse import (
    OPERATIONS,
    Acuse,
    AsyncAcuse,
    EmailBouncedData,
    EmailBouncedEvent,
    MessageChange,
    verify_webhook,
)
from acuse._codec import ALIASES, MODELS, Ref, decode, encode
from acuse._engine import _query


def _round(name: str, value: Any) -> Any:
    return encode(decode(Ref(name), value, name))


def test_gives_back_every_instance_of_every_schema() -> None:
    examples = vectors("examples.json")
    assert set(examples) == set(MODELS) | set(ALIASES)
    for name, cases in examples.items():
        for value in [cases.get("full"), cases.get("minimal"), *cases.get("others", []), cases.get("future")]:
            if value is not None:
                assert _round(name, value) == value, name


def test_only_what_carries_the_meaning_must_be_there() -> None:
    for name, cases in vectors("examples.json").items():
        model = MODELS.get(name)
        for field in model.schema_fields if model else ():
            less = {key: value for key, value in cases["full"].items() if key != field.name}
            if field.essential:
                with pytest.raises(ValueError, match=field.name):
                    _round(name, less)
            else:
                assert _round(name, less) == (
                    {**less, field.name: None} if field.required and field.nullable else less
                )


def test_models_are_frozen_and_keep_null_apart_from_nothing() -> None:
    change = MessageChange(send_at=None)
    assert change.to_dict() == {"send_at": None}
    with pytest.raises(AttributeError):
        change.send_at = "now"  # type: ignore[misc]


@pytest.mark.parametrize("kind", [Acuse, AsyncAcuse])
def test_covers_every_operation(kind: Any) -> None:
    client = kind("acuse_a_b", "http://localhost")
    found = {
        getattr(getattr(type(resource), name), "operation_id", None)
        for resource in vars(client).values()
        for name in dir(type(resource))
    }
    assert found - {None} == set(OPERATIONS)


def test_all_names_can_be_imported_at_once() -> None:
    names: dict[str, object] = {}
    exec("from acuse import *", names)
    assert len(set(acuse.__all__)) == len(acuse.__all__)
    assert set(acuse.__all__) <= set(names)
    # Nothing that Python has by itself is hidden by an import of all.
    assert not {name for name in acuse.__all__ if hasattr(__import__("builtins"), name)}


def test_times_of_the_language_are_written_as_the_contract_has_them() -> None:
    there = datetime(2026, 11, 20, 3, 30, 0, 5000, timezone(timedelta(hours=-6)))
    assert encode({"send_at": there}) == {"send_at": "2026-11-20T09:30:00.005Z"}
    assert _query({"created_after": there}) == "?created_after=2026-11-20T09%3A30%3A00.005Z"


if TYPE_CHECKING:
    # Looked at by mypy alone: an assertion that does not hold, and an ignore that nothing needs, are errors.
    from typing_extensions import assert_type

    def inferred(body: bytes, headers: dict[str, str], client: Acuse) -> None:
        event = verify_webhook(body, headers, "whsec_…")
        if isinstance(event, EmailBouncedEvent):
            assert_type(event.type, Literal["email.bounced"])
            assert_type(event.data, EmailBouncedData)
            assert_type(event.data.reply, str)
            print(event.data.colour)  # type: ignore[attr-defined]
            event.data.reply = ""  # type: ignore[misc]
        elif isinstance(event, acuse.OtherWebhookEvent):
            assert_type(event.data, Any)
        else:
            assert_type(event.data.message_id, str)
            print(event.data.reply_of_nobody)  # type: ignore[union-attr]
        assert_type(client.messages.get("m1"), acuse.Message)
        for message in client.messages.list(status="bounced"):
            assert_type(message, acuse.Message)
        client.messages.list(created_after=datetime.now(timezone.utc))
        if message.bounce:
            assert_type(message.bounce, acuse.Bounce)
        verify_webhook(body, email.message.Message(), "whsec_…")
        for item in client.messages.send_batch([]):
            if item.error is None:
                assert_type(item.message, acuse.Message)
                assert_type(item.status, Literal["created", "replayed"])
            else:
                assert_type(item.message, None)
            if item.status == "created":
                print(item.message.id)
        client.messages.list(colour="red")  # type: ignore[call-arg]
        client.messages.send({"from": "a@example.com"}, "k")  # type: ignore[arg-type]

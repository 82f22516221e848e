"""The generated types, against contract/vectors/examples.json."""

from __future__ import annotations

from typing import Any

import pytest
from support import vectors

from acuse import OPERATIONS, Acuse, AsyncAcuse, MessageChange
from acuse._codec import ALIASES, MODELS, Ref, decode, encode


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

"""From JSON to frozen dataclasses and back. The generated types say what their fields are."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, ClassVar, Final, Literal, TypeAlias, TypeVar

from ._redact import redact

Json: TypeAlias = Any
"""A JSON value as the module ``json`` gives it."""


class Unset(enum.Enum):
    """The type of UNSET."""

    UNSET = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> Literal[False]:
        return False


UNSET: Final = Unset.UNSET
"""A field that is not sent at all, where None would be sent as null."""


class Undecodable(ValueError):
    """The answer is not what the contract says; the text says where."""


@dataclass(frozen=True)
class Scalar:
    """``string``, ``integer``, ``number``, ``boolean``, ``null`` or ``json`` (any value)."""

    kind: str


@dataclass(frozen=True)
class ArrayOf:
    """A list."""

    of: Type


@dataclass(frozen=True)
class MapOf:
    """An object with any names."""

    of: Type


@dataclass(frozen=True)
class Ref:
    """A schema, by name."""

    name: str


@dataclass(frozen=True)
class OneOf:
    """Several; the first that fits counts."""

    of: tuple[Type, ...]


Type: TypeAlias = "Scalar | ArrayOf | MapOf | Ref | OneOf"


@dataclass(frozen=True)
class Field:
    """One field of a schema: its name in JSON and, where Python reserves that, in Python."""

    name: str
    attribute: str
    type: Type
    required: bool = True
    nullable: bool = False
    essential: bool = False
    """The meaning is lost without it. Other required fields of an answer may be missing: None."""


@dataclass(frozen=True)
class ResponseInfo:
    """Status and headers of the answer that a result came in."""

    status: int
    """HTTP status."""
    headers: Mapping[str, str]
    """By lower-case names."""
    request_id: str | None
    """The server's name for the request: tell it to the operator."""
    attempts: int
    """How many requests it took."""


M = TypeVar("M", bound="Model")

ALIASES: dict[str, Type] = {}
"""Schemas that are no objects, by name."""
MODELS: dict[str, type[Model]] = {}
"""Schemas that are objects, by name."""


class Model:
    """Common to all types of the contract."""

    schema_fields: ClassVar[tuple[Field, ...]] = ()
    extra: Mapping[str, Json]
    response: ResponseInfo | None

    @classmethod
    def from_dict(cls: type[M], value: Json) -> M:
        """Reads what ``json.loads`` gave. Raises ValueError: an essential field is missing or wrong."""
        return _object(cls, value, cls.__name__)

    def to_dict(self) -> dict[str, Json]:
        """As JSON has it: what is not set is left out, unknown fields are as they came."""
        found: dict[str, Json] = {}
        for field in self.schema_fields:
            value = getattr(self, field.attribute)
            if value is UNSET or (value is None and not field.nullable):
                continue
            found[field.name] = encode(value)
        found.update(self.extra)
        return found

    def __repr__(self) -> str:
        shown = []
        for field in self.schema_fields:
            value = getattr(self, field.attribute)
            if value is not UNSET and not (value is None and not field.required):
                shown.append(f"{field.attribute}={value!r}")
        return redact(f"{type(self).__name__}({', '.join(shown)})")


def encode(value: Any) -> Json:
    """A value of a request as JSON has it: models and what has models in it."""
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {name: encode(each) for name, each in value.items() if each is not UNSET}
    if isinstance(value, (list, tuple)):
        return [encode(each) for each in value]
    return moment_text(value) if isinstance(value, datetime) else value


def moment_text(value: datetime) -> str:
    """A time as RFC 3339 has it; one without a zone is this machine's, as datetime itself has it."""
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def decode(kind: Type, value: Json, where: str) -> Any:
    """A value of an answer. Raises Undecodable."""
    if isinstance(kind, Scalar):
        return _scalar(kind.kind, value, where)
    if isinstance(kind, Ref):
        model = MODELS.get(kind.name)
        return decode(ALIASES[kind.name], value, where) if model is None else _object(model, value, where)
    if isinstance(kind, ArrayOf):
        if not isinstance(value, list):
            raise Undecodable(f"{where} is not a list")
        return tuple(decode(kind.of, each, f"{where}[{index}]") for index, each in enumerate(value))
    if isinstance(kind, MapOf):
        if not isinstance(value, dict):
            raise Undecodable(f"{where} is not an object")
        return {name: decode(kind.of, each, f"{where}.{name}") for name, each in value.items()}
    for each in kind.of:
        try:
            return decode(each, value, where)
        except Undecodable:
            continue
    raise Undecodable(f"{where} has another type")


_SCALARS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def _scalar(kind: str, value: Json, where: str) -> Any:
    if kind == "json":
        return value
    if not isinstance(value, _SCALARS[kind]) or (isinstance(value, bool) and kind != "boolean"):
        raise Undecodable(f"{where} is not of type {kind}")
    return value


def _object(model: type[M], value: Json, where: str) -> M:
    if not isinstance(value, dict):
        raise Undecodable(f"{where} is not an object")
    known: dict[str, Any] = {}
    extra = dict(value)
    for field in model.schema_fields:
        if field.name not in extra:
            if field.essential:
                raise Undecodable(f"{where}.{field.name} is missing")
            if field.required:
                known[field.attribute] = None
            continue
        inner = extra.pop(field.name)
        if inner is None and field.nullable:
            known[field.attribute] = None
        else:
            known[field.attribute] = decode(field.type, inner, f"{where}.{field.name}")
    made: Callable[..., M] = model
    return made(**known, extra=extra)

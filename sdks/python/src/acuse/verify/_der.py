"""DER and X.509 certificates, as far as a time-stamp needs them. One reading of each byte."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from datetime import datetime, timezone

MAX_DEPTH_BYTES = 4
KEY_USAGE, BASIC_CONSTRAINTS, EXTENDED_KEY_USAGE = "2.5.29.15", "2.5.29.19", "2.5.29.37"
SUBJECT_KEY_ID = "2.5.29.14"
# Name constraints, policy mappings and policy constraints limit what is below, critical or not.
_LIMITING = frozenset(("2.5.29.30", "2.5.29.33", "2.5.29.36"))
_KNOWN = frozenset((KEY_USAGE, BASIC_CONSTRAINTS, EXTENDED_KEY_USAGE, SUBJECT_KEY_ID, "2.5.29.32"))
SEQUENCE, SET, OID, INTEGER, OCTETS, BITS, BOOLEAN, NULL = 0x30, 0x31, 6, 2, 4, 3, 1, 5
_PEM = re.compile(
    rb"-----BEGIN CERTIFICATE-----\n"
    rb"((?:[A-Za-z0-9+/=]{64}\n)*[A-Za-z0-9+/=]{1,64}\n)"
    rb"-----END CERTIFICATE-----\n"
)


_NULL = b"\5\0"
_WITH_PARAMETERS = frozenset(("1.2.840.113549.1.1.10", "1.2.840.113549.1.1.8", "1.2.840.10045.2.1"))
"""RSA-PSS, MGF1, and keys on named curves."""


class DerError(ValueError):
    """Bytes that are not DER, or not of the expected form."""


@dataclass(frozen=True)
class Der:
    """One element."""

    tag: int
    content: bytes
    whole: bytes

    def children(self) -> list[Der]:
        """The elements in it."""
        found, at = [], 0
        while at < len(self.content):
            child = read(self.content, at)
            found.append(child)
            at += len(child.whole)
        return found

    def of(self, tag: int) -> Der:
        """Itself, if it has this tag."""
        if self.tag != tag:
            raise DerError(f"tag {self.tag:#x}, expected {tag:#x}")
        return self

    def oid(self) -> str:
        """An object identifier."""
        data = self.of(OID).content
        if not data or data[-1] > 127 or len(data) > 64:
            raise DerError("not an OID")
        numbers, value, fresh = [], 0, True
        for byte in data:
            if fresh and byte == 0x80:
                raise DerError("an OID with padding")
            value, fresh = value << 7 | byte & 127, byte < 128
            if fresh:
                numbers.append(value)
                value = 0
        first = min(numbers[0] // 40, 2)
        return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))

    def integer(self) -> int:
        """A whole number in its shortest form."""
        data = self.of(INTEGER).content
        if not data or (len(data) > 1 and (data[0], data[1] > 127) in ((0, False), (255, True))):
            raise DerError("not an INTEGER")
        return int.from_bytes(data, "big", signed=True)

    def boolean(self) -> bool:
        """A truth value."""
        if self.of(BOOLEAN).content not in (b"\0", b"\xff"):
            raise DerError("not a BOOLEAN")
        return self.content == b"\xff"

    def octets_of_bits(self) -> bytes:
        """A bit string of whole octets."""
        if self.of(BITS).content[:1] != b"\0":
            raise DerError("bits that are no octets")
        return self.content[1:]

    def time(self) -> datetime:
        """UTCTime or GeneralizedTime. RFC 5280 §4.1.2.5, RFC 3161 §2.4.2"""
        text = self.content.decode("ascii", "replace")
        if self.tag == 23:
            if not re.fullmatch(r"[0-9]{12}Z", text):
                raise DerError("not a time")
            text = ("20" if text[:2] < "50" else "19") + text
        elif self.tag != 24:
            raise DerError("not a time")
        match = re.fullmatch(r"([0-9]{14})(?:\.([0-9]{0,8}[1-9]))?Z", text)
        if not match:
            raise DerError("not a time")
        try:
            moment = datetime.strptime(match[1], "%Y%m%d%H%M%S").replace(tzinfo=timezone.utc)
        except ValueError as error:
            raise DerError("not a time") from error
        return moment.replace(microsecond=int((match[2] or "0")[:6].ljust(6, "0")))


def read(data: bytes, start: int = 0) -> Der:
    """The element at ``start``: definite lengths in their shortest form. Raises DerError."""
    if len(data) < start + 2 or data[start] & 31 == 31:
        raise DerError("cut short, or a tag of several bytes")
    tag, length, at = data[start], data[start + 1], start + 2
    if length > 127:
        count = length - 128
        length, at = int.from_bytes(data[at : at + count], "big"), at + count
        if not 0 < count <= MAX_DEPTH_BYTES or length < 128 or length >> 8 * (count - 1) == 0:
            raise DerError("a length in another form")
    if at + length > len(data):
        raise DerError("cut short")
    return Der(tag, data[at : at + length], data[start : at + length])


def only(data: bytes) -> Der:
    """The only element in these bytes. Raises DerError."""
    element = read(data)
    if len(element.whole) != len(data):
        raise DerError("bytes behind it")
    return element


def unwrap(element: Der) -> Der:
    """The only element in another."""
    return only(element.content)


@dataclass(frozen=True)
class Algorithm:
    """An AlgorithmIdentifier."""

    oid: str
    parameters: Der | None


def algorithm_of(element: Der) -> Algorithm:
    """Raises DerError."""
    name, *rest = element.of(SEQUENCE).children()
    oid = name.oid()
    # NULL says the same as nothing.
    parameters = [each for each in rest if each.whole != _NULL]
    if len(rest) > 1 or (parameters and oid not in _WITH_PARAMETERS):
        raise DerError("an algorithm with parameters that it does not have")
    return Algorithm(oid, parameters[0] if parameters else None)


@dataclass(frozen=True)
class Certificate:
    """An X.509 certificate. RFC 5280 §4.1"""

    der: bytes
    signed: bytes
    """The bytes that its signature covers."""
    algorithm: Algorithm
    signature: bytes
    serial: bytes
    issuer: bytes
    subject: bytes
    begins: datetime
    ends: datetime
    key: bytes
    """SubjectPublicKeyInfo."""
    extensions: dict[str, tuple[bool, bytes]]

    def may(self, *bits: int) -> bool:
        """Does the key usage allow one of these? 0 and 1: signatures; 5: certificates. RFC 5280 §4.2.1.3"""
        if KEY_USAGE not in self.extensions:
            return True
        data = only(self.extensions[KEY_USAGE][1]).of(BITS).content
        usage = "".join(f"{byte:08b}" for byte in data[1:]).ljust(9, "0")
        return any(usage[bit] == "1" for bit in bits)

    def purposes(self) -> tuple[bool, list[str]]:
        """Whether the extended key usage is critical, and what it allows."""
        critical, value = self.extensions.get(EXTENDED_KEY_USAGE, (False, b""))
        return critical, [each.oid() for each in only(value).children()] if value else []

    def path_limit(self) -> int | None:
        """How many authorities may stand below it; -1 if it is none; None for any number."""
        if BASIC_CONSTRAINTS not in self.extensions:
            return -1
        parts = only(self.extensions[BASIC_CONSTRAINTS][1]).of(SEQUENCE).children()
        if not parts or parts[0].tag != BOOLEAN or not parts[0].boolean():
            return -1
        return parts[1].integer() if len(parts) > 1 else None

    def has_unknown_critical(self) -> bool:
        """An extension that must be understood, and is not."""
        unread = [oid for oid, (critical, _) in self.extensions.items() if critical and oid not in _KNOWN]
        return bool(unread) or not _LIMITING.isdisjoint(self.extensions)

    def key_id(self) -> bytes | None:
        """The subject key identifier."""
        found = self.extensions.get(SUBJECT_KEY_ID)
        return None if found is None else only(found[1]).of(OCTETS).content


def read_certificate(der: bytes) -> Certificate:
    """Raises DerError."""
    body, algorithm, signature = only(der).of(SEQUENCE).children()
    fields = body.of(SEQUENCE).children()
    if fields[0].tag != 0xA0 or unwrap(fields[0]).integer() != 2:
        raise DerError("not a certificate of version 3")
    serial, inner, issuer, validity, subject, key, *rest = fields[1:]
    if inner.whole != algorithm.whole:
        raise DerError("two algorithms for one signature")
    begins, ends = validity.children()
    extensions: dict[str, tuple[bool, bytes]] = {}
    for field in rest:
        for extension in unwrap(field).children() if field.tag == 0xA3 else []:
            name, *middle, value = extension.children()
            oid = name.oid()
            if oid in extensions or len(middle) > 1:
                raise DerError("an extension twice")
            extensions[oid] = (bool(middle) and middle[0].boolean(), value.of(OCTETS).content)
    return Certificate(
        der,
        body.whole,
        algorithm_of(algorithm),
        signature.octets_of_bits(),
        serial.of(INTEGER).content,
        issuer.whole,
        subject.whole,
        begins.time(),
        ends.time(),
        key.whole,
        extensions,
    )


def certificates_of(pem: bytes) -> list[Certificate]:
    """Reads a chain: lines of 64 characters, nothing between or around the blocks. Raises DerError."""
    found: list[Certificate] = []
    at = 0
    while at < len(pem):
        match = _PEM.match(pem, at)
        if match is None or len(found) == 16:
            raise DerError("not a chain of certificates, or bytes beside it")
        block = match[1].replace(b"\n", b"")
        try:
            der = base64.b64decode(block, validate=True)
        except binascii.Error as error:
            raise DerError("not base64") from error
        lines = base64.b64encode(der)
        plain = b"".join(lines[at : at + 64] + b"\n" for at in range(0, len(lines), 64))
        if plain != match[1]:
            raise DerError("a certificate that is written in another way")
        found.append(read_certificate(der))
        at = match.end()
    return found

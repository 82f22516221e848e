"""Time-stamps: docs/evidence-format.md, section 7. RFC 3161 §2.4.2, RFC 5652 §5, RFC 5816 §2.2.1"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any

from ._base import Refused, need
from ._der import (
    OCTETS,
    OID,
    SEQUENCE,
    SET,
    Algorithm,
    Certificate,
    Der,
    DerError,
    algorithm_of,
    certificates_of,
    only,
    read_certificate,
    unwrap,
)
from ._signature import HASHES, is_signed
from ._times import ms_of, read_window

SIGNED_DATA, TST_INFO = "1.2.840.113549.1.7.2", "1.2.840.113549.1.9.16.1.4"
CONTENT_TYPE, MESSAGE_DIGEST = "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4"
SIGNING_CERTIFICATE = {"1.2.840.113549.1.9.16.2.47": "sha256", "1.2.840.113549.1.9.16.2.12": "sha1"}
TIME_STAMPING = "1.3.6.1.5.5.7.3.8"
MAX_CHAIN = 8
Authority = dict[str, Any]


@dataclass(frozen=True)
class Token:
    """The content of a time-stamp, and who signed it."""

    content: bytes
    """The TSTInfo."""
    policy: str
    hash: str | None
    imprint: bytes
    time: datetime
    carried: list[bytes]
    """Certificates in it."""
    signer: Der
    digest: str | None
    attributes: dict[str, list[Der]]
    signed: bytes
    """The signed attributes as they are signed: a SET. RFC 5652 §5.4"""
    algorithm: Algorithm
    signature: bytes


def read_token(reply: bytes) -> Token:
    """A TimeStampResp or a bare TimeStampToken. Raises DerError."""
    outer = only(reply).of(SEQUENCE)
    parts = outer.children()
    token = outer
    if parts[0].tag != OID:
        if len(parts) != 2 or parts[0].of(SEQUENCE).children()[0].integer() not in (0, 1):
            raise DerError("the authority did not grant it")
        token = parts[1]
    kind, wrapped = token.of(SEQUENCE).children()
    if kind.oid() != SIGNED_DATA:
        raise DerError("no SignedData")
    version, digests, content, *rest = unwrap(wrapped.of(0xA0)).of(SEQUENCE).children()
    kind, wrapped = content.of(SEQUENCE).children()
    if version.integer() != 3 or kind.oid() != TST_INFO:
        raise DerError("not signed as a TSTInfo")
    info = unwrap(wrapped.of(0xA0)).of(OCTETS).content
    if not rest or [each.tag for each in rest] not in (
        [0x31],
        [0xA0, 0x31],
        [0xA1, 0x31],
        [0xA0, 0xA1, 0x31],
    ):
        raise DerError("another form of SignedData")
    carried = [each.whole for field in rest if field.tag == 0xA0 for each in field.children()]
    signers = rest[-1].children()
    if len(signers) != 1 or len(carried) > 16:
        raise DerError("not one signer, or too many certificates")
    return _token(info, carried, signers[0].of(SEQUENCE).children(), digests)


def _token(info: bytes, carried: list[bytes], signer: list[Der], digests: Der) -> Token:
    version, identifier, digest, attributes, algorithm, signature, *more = signer
    if attributes.tag != 0xA0 or [each.tag for each in more] not in ([], [0xA1]):
        raise DerError("no signed attributes, or another form")
    if version.integer() != (1 if identifier.tag == SEQUENCE else 3):
        raise DerError("another version of SignerInfo")
    name = algorithm_of(digest).oid
    if name not in [algorithm_of(each).oid for each in digests.of(SET).children()]:
        raise DerError("digestAlgorithms lacks the signer's")
    found: dict[str, list[Der]] = {}
    for attribute in attributes.children():
        oid, values = attribute.of(SEQUENCE).children()
        found.setdefault(oid.oid(), []).extend(values.of(SET).children())
    fields = only(info).of(SEQUENCE).children()
    version, policy, imprint, serial, time, *rest = fields
    if version.integer() != 1 or not 0 <= serial.integer() < 1 << 160:
        raise DerError("another version of TSTInfo, or a serial number that is negative or too long")
    for field in rest:
        if field.tag == 0xA1 and any(each.children()[1].tag == 1 for each in field.children()):
            raise DerError("an extension that must be understood")
    hashed, octets = imprint.of(SEQUENCE).children()
    return Token(
        content=info,
        policy=policy.oid(),
        hash=HASHES.get(algorithm_of(hashed).oid),
        imprint=octets.of(OCTETS).content,
        time=time.of(24).time(),
        carried=carried,
        signer=identifier,
        digest=HASHES.get(name),
        attributes=found,
        signed=b"\x31" + attributes.whole[1:],
        algorithm=algorithm_of(algorithm),
        signature=signature.of(OCTETS).content,
    )


def _guarded(check: str, step: Callable[[], Any]) -> Any:
    """The step's result. Bytes that make it stumble are refused."""
    try:
        return step()
    except (DerError, ValueError, IndexError, TypeError, OverflowError) as error:
        raise Refused(check, f"a time-stamp or certificate that cannot be read: {error}") from error


def stated_time(reply: bytes) -> int | None:
    """Its content, of which nothing is verified; None where that cannot be read."""
    try:
        return ms_of(read_token(reply).time)
    except (DerError, ValueError, IndexError, TypeError, OverflowError):
        return None


def check_token(
    reply: bytes,
    pem: bytes,
    authorities: list[Authority],
    expected: tuple[bytes, str],
    check: str,
    also_at: datetime | None,
) -> tuple[Token, list[Certificate], Authority]:
    """
    The token, its chain and the first authority under which both hold, at the token's time and ``also_at``.
    ``expected``: what is stamped, and the name of the hash. Raises Refused.
    """
    token: Token = _guarded(check, lambda: read_token(reply))
    chain: list[Certificate] = _guarded(f"{check}_chain", lambda: certificates_of(pem))
    need(1 <= len(chain) <= MAX_CHAIN, f"{check}_chain", "no chain, or too long")
    moments = [token.time] if also_at is None else [token.time, also_at]
    reason = Refused(check, "no authority is trusted at that time")
    for authority in authorities:
        if not read_window(authority, check).holds(ms_of(token.time)):
            continue
        try:
            _check_assertion(token, authority, expected, check)
            _guarded(check, lambda: _check_attributes(token, check))
            _guarded(check, partial(_check_signer, token, chain[0], authority, check))
            _guarded(check, partial(_check_chain, chain, authority, moments, check))
        except Refused as error:
            reason = error
            continue
        carried = not token.carried or chain[0].der in token.carried
        need(carried, f"{check}_chain", "the token carries another certificate than its signer's")
        return token, chain, authority
    raise reason


def _check_assertion(token: Token, authority: Authority, expected: tuple[bytes, str], check: str) -> None:
    data, algorithm = expected
    allowed = authority.get("hashAlgorithms", ["sha256", "sha384", "sha512"])
    need(token.hash == algorithm and algorithm in allowed, check, f"an imprint by another hash: {token.hash}")
    need(token.imprint == hashlib.new(algorithm, data).digest(), check, "it stamps something else")
    policies = authority.get("policies", [])
    any_policy = authority["profile"] == "rfc3161" and not policies
    need(any_policy or token.policy in policies, check, f"another policy: {token.policy}")


def _check_attributes(token: Token, check: str) -> None:
    """Each once, and SHA-2 throughout."""
    need(token.digest is not None, check, "a digest that is not SHA-2")
    kinds = [value.oid() for value in token.attributes.get(CONTENT_TYPE, [])]
    need(kinds == [TST_INFO], check, "not signed as a TSTInfo")
    digests = [value.of(OCTETS).content for value in token.attributes.get(MESSAGE_DIGEST, [])]
    own = hashlib.new(token.digest or "sha256", token.content).digest()
    need(digests == [own], check, "the message digest is another's")


def _check_signer(token: Token, leaf: Certificate, authority: Authority, check: str) -> None:
    identifier = token.signer
    if identifier.tag == SEQUENCE:
        issuer, serial = identifier.children()
        named = (issuer.whole, serial.content) == (leaf.issuer, leaf.serial)
    else:
        named = identifier.tag == 0x80 and leaf.key_id() == identifier.content
    need(named, f"{check}_chain", "its first certificate is not the signer's")
    signed = is_signed(leaf.key, token.algorithm, token.digest, token.signed, token.signature)
    need(signed, check, "the signature does not verify")
    names = [oid for oid in SIGNING_CERTIFICATE if oid in token.attributes]
    need(names, check, "no attribute names the signer's certificate")
    for oid in names:
        _check_named(token.attributes[oid], SIGNING_CERTIFICATE[oid], leaf, check)
    critical, purposes = leaf.purposes()
    if authority["profile"] == "nom151" and authority.get("leafEku"):
        allowed = bool(purposes) and set(purposes) <= set(authority["leafEku"])
    else:
        allowed = critical and purposes == [TIME_STAMPING]
    need(allowed, check, "the signer has other extended key usages")
    limited = "2.5.29.15" not in leaf.extensions or not leaf.may(5)
    need(limited and leaf.may(0, 1), check, "the signer's key is for something else")


def _check_named(values: list[Der], algorithm: str, leaf: Certificate, check: str) -> None:
    """The attribute that binds a token to its signer's certificate. RFC 5816 §2.2.1"""
    need(len(values) == 1, check, "several attributes name the signer's certificate")
    first = values[0].of(SEQUENCE).children()[0].of(SEQUENCE).children()[0]
    fields = first.of(SEQUENCE).children()
    if algorithm == "sha256" and fields[0].tag == SEQUENCE:
        algorithm = HASHES.get(algorithm_of(fields[0]).oid) or ""
        need(algorithm, check, "the signer's certificate is named by a hash that is not SHA-2")
        fields = fields[1:]
    digest = hashlib.new(algorithm, leaf.der).digest()
    need(fields[0].of(OCTETS).content == digest, check, "an attribute names another certificate")
    if len(fields) > 1:
        names, serial = fields[1].of(SEQUENCE).children()
        [name] = names.of(SEQUENCE).children()
        same = name.of(0xA4).content == leaf.issuer and serial.content == leaf.serial
        need(same, check, "an attribute names another certificate")


def _check_chain(chain: list[Certificate], authority: Authority, moments: list[datetime], check: str) -> None:
    """Signer first, pinned root last, which alone is trusted. RFC 5280 §6.1"""
    pinned = [each.der for text in authority["roots"] for each in _roots(text)]
    need(chain[-1].der in pinned, check, "under no trusted root")
    for certificate in chain:
        need(not certificate.has_unknown_critical(), check, "an extension that must be understood")
        for moment in moments:
            valid = certificate.begins <= moment <= certificate.ends
            need(valid, check, f"a certificate of the chain is not valid at {moment.isoformat()}")
    for depth, (below, above) in enumerate(pairwise(chain)):
        limit = above.path_limit()
        need(below.issuer == above.subject, check, "a certificate that the next one did not issue")
        need(limit is None or limit >= depth, check, "an issuer that may not issue this")
        need(above.may(5), check, "an issuer whose key does not sign certificates")
        signed = is_signed(above.key, below.algorithm, None, below.signed, below.signature)
        need(signed, check, "a certificate whose signature does not verify")


def _roots(pem: str) -> list[Certificate]:
    """Reads the certificates of a policy, where white space around the blocks does no harm."""
    blocks = re.findall(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----", pem)
    return [read_certificate(base64.b64decode("".join(block.split()))) for block in blocks]

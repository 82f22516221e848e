"""Revoked certificates: docs/evidence-format.md, section 7. RFC 5280 §5, RFC 6960 §4.2"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from ._base import need
from ._container import Files
from ._der import (
    BOOLEAN,
    INTEGER,
    OCTETS,
    SEQUENCE,
    Certificate,
    Der,
    DerError,
    algorithm_of,
    only,
    read,
    read_certificate,
    unwrap,
)
from ._signature import HASHES, is_signed

MAX_CRL_BYTES, MAX_OCSP_BYTES, MAX_CERTIFICATES = 4 * 1024 * 1024, 64 * 1024, 8
SIGNS_LISTS = 6
"""The bit cRLSign of the key usage (RFC 5280 §4.2.1.3)."""
DISTRIBUTION_POINT, DELTA_INDICATOR = "2.5.29.28", "2.5.29.27"
REASON_CODE, INVALIDITY_DATE = "2.5.29.21", "2.5.29.24"
GOOD_BEFORE = frozenset({0, 3, 4, 5})
"""
Reasons by which a certificate was good until then: unspecified, affiliationChanged, superseded,
cessationOfOperation. After any other, and after none, nobody knows since when it was not.
"""
OCSP_BASIC, OCSP_SIGNING = "1.3.6.1.5.5.7.48.1.1", "1.3.6.1.5.5.7.3.9"
UTC_TIME, GENERALIZED_TIME, ENUMERATED = 23, 24, 10
GOOD, REVOKED, UNKNOWN = 0x80, 0xA1, 0x82
# SHA-1 picks a name here, and nothing rests on it. RFC 5019 §2.1.1
_NAME_HASHES = {**HASHES, "1.3.14.3.2.26": "sha1"}


@dataclass(frozen=True)
class Standing:
    """The statement of a revocation list or an OCSP answer about one certificate."""

    revoked: datetime | None
    """The earlier of revocation and invalidity date."""
    good_before: bool
    """True if the reason says that it was good until then."""
    this_update: datetime
    next_update: datetime | None
    known: bool = True
    """False: the responder does not know the certificate, or not all of the list is understood."""

    def at(self, moment: datetime) -> bool | datetime | None:
        """
        True: it was good then. False: it was revoked. A time: it was revoked then, which leaves open since
        when it was not good. None: this says nothing of that time.
        """
        if self.revoked is not None and self.revoked <= moment:
            return False
        if self.revoked is not None and not self.good_before:
            return self.revoked
        # Such data has whole seconds.
        second = moment.replace(microsecond=0)
        covers = self.this_update >= second or (self.next_update is not None and self.next_update >= second)
        return True if self.known and covers else None


Link = tuple[datetime, list[Certificate]]
"""A renewal that holds: its time, and its chain."""


class Revocation:
    """The part of a bundle about revoked certificates."""

    def __init__(self, files: Files) -> None:
        self._pieces = {name: data for name, data in files.items() if name.startswith("revocation/")}
        self._used: set[str] = set()
        self.revoked_later = False
        """A certificate was, after a renewal by others."""
        self._known: dict[tuple[str, bytes, bytes], Standing | None] = {}

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def check(self, link: Link, required: bool, check: str, renewals: Sequence[Link] = ()) -> None:
        """
        None below the root was revoked then, nor later, unless for a harmless reason or after one of the
        ``renewals``, those after it that hold; and, if the policy asks for it, each is shown to have been
        good. ``link``: when it stamped, and its chain, signer first. Raises Refused.
        """
        moment, chain = link
        for certificate, issuer in pairwise(chain):
            good = self._was_good(certificate, issuer, moment)
            need(good is not False, check, "a certificate was revoked when it stamped")
            need(good or not required, check, "nothing shows that a certificate was good")
            if isinstance(good, datetime):
                covered = any(
                    time < good and all(each.key != certificate.key for each in above)
                    for time, above in renewals
                )
                need(covered, check, "a certificate was revoked later, and no renewal by others came before")
                self.revoked_later = True

    def check_nothing_idle(self) -> None:
        """Each piece concerns a certificate in a chain here. Raises Refused."""
        idle = [name for name in self._pieces if name not in self._used]
        need(not idle, "revocation", f"{''.join(idle[:1])} is about no certificate here, or cannot be read")

    def _was_good(
        self, certificate: Certificate, issuer: Certificate, moment: datetime
    ) -> bool | datetime | None:
        """The worst that any piece says."""
        good, later = False, []
        for name in self._pieces:
            standing = self._standing(name, certificate, issuer)
            if standing is None:
                continue
            self._used.add(name)
            said = standing.at(moment)
            if said is False:
                return False
            if isinstance(said, datetime):
                later.append(said)
            good = good or said is True
        return min(later) if later else (good or None)

    def _standing(self, name: str, certificate: Certificate, issuer: Certificate) -> Standing | None:
        key = (name, certificate.der, issuer.der)
        if key not in self._known:
            judge = list_standing if name.endswith(".crl") else answer_standing
            try:
                self._known[key] = judge(self._pieces[name], certificate, issuer)
            except (DerError, ValueError, IndexError, TypeError, OverflowError):
                self._known[key] = None
        return self._known[key]


def _sequence(element: Der, least: int, most: int) -> list[Der]:
    fields = element.of(SEQUENCE).children()
    if not least <= len(fields) <= most:
        raise DerError("another number of fields")
    return fields


# --- revocation lists, RFC 5280 §5.1


def list_standing(data: bytes, certificate: Certificate, issuer: Certificate) -> Standing | None:
    """
    What a complete CRL says of a certificate. None: it is not about it, or its issuer does not vouch for it.
    Raises DerError.
    """
    if len(data) > MAX_CRL_BYTES:
        raise DerError("a revocation list that is too large")
    body, algorithm, signature = _sequence(only(data), 3, 3)
    fields = _sequence(body, 3, 7)
    if fields[0].tag == INTEGER and fields.pop(0).integer() != 1:
        raise DerError("a revocation list of another version")
    inner, name, this_update, *rest = fields
    if inner.whole != algorithm.whole:
        raise DerError("two algorithms for one signature")
    next_update = rest.pop(0).time() if rest and rest[0].tag in (UTC_TIME, GENERALIZED_TIME) else None
    entries = rest.pop(0).content if rest and rest[0].tag == SEQUENCE else b""
    _check_whole(rest)
    if name.of(SEQUENCE).whole != certificate.issuer or not issuer.may(SIGNS_LISTS):
        return None
    if not is_signed(issuer.key, algorithm_of(algorithm), None, body.whole, signature.octets_of_bits()):
        return None
    revoked, good_before, understood = _look_up(entries, certificate.serial)
    return Standing(revoked, good_before and understood, this_update.time(), next_update, understood)


def _check_whole(rest: list[Der]) -> None:
    """It leaves no certificate out, and has nothing that must be understood and is not. RFC 5280 §5.2"""
    if len(rest) > 1:
        raise DerError("a revocation list of another form")
    for name, (critical, value) in _extensions(unwrap(rest[0].of(0xA0)) if rest else None).items():
        whole = not critical and name != DELTA_INDICATOR
        if name == DISTRIBUTION_POINT:
            # The name of the point is the only field of it that limits nothing.
            whole = all(field.tag == 0xA0 for field in only(value).of(SEQUENCE).children())
        if not whole:
            raise DerError("a revocation list that is limited, or must be understood in another way")


def _extensions(element: Der | None) -> dict[str, tuple[bool, bytes]]:
    """By their OID: critical or not, and the value. RFC 5280 §4.2"""
    found: dict[str, tuple[bool, bytes]] = {}
    for extension in element.of(SEQUENCE).children() if element else []:
        parts = _sequence(extension, 2, 3)
        name = parts[0].oid()
        if name in found:
            raise DerError("an extension twice")
        critical = len(parts) == 3 and parts[1].of(BOOLEAN).boolean()
        found[name] = critical, parts[-1].of(OCTETS).content
    return found


def _read_revoked(
    time: datetime, extensions: dict[str, tuple[bool, bytes]]
) -> tuple[datetime, int | None, bool]:
    """
    Of one revocation: since when, why, and whether all that must be understood is. RFC 5280 §5.3, RFC 6960
    §4.4.5
    """
    reason = None
    if REASON_CODE in extensions:
        reason = _reason(only(extensions[REASON_CODE][1]))
    if INVALIDITY_DATE in extensions:
        time = min(time, only(extensions[INVALIDITY_DATE][1]).of(GENERALIZED_TIME).time())
    known = (REASON_CODE, INVALIDITY_DATE)
    return time, reason, all(name in known or not critical for name, (critical, _) in extensions.items())


def _reason(element: Der) -> int | None:
    content = element.of(ENUMERATED).content
    return content[0] if len(content) == 1 else None


def _look_up(entries: bytes, serial: bytes) -> tuple[datetime | None, bool, bool]:
    """
    One entry after the other: a list may have a hundred thousand. Since when the certificate was revoked, if
    it was; whether it was good before; whether all entries are understood.
    """
    at, revoked, good_before, understood = 0, None, True, True
    while at < len(entries):
        entry = read(entries, at)
        at += len(entry.whole)
        number, time, *more = _sequence(entry, 2, 3)
        own = number.of(INTEGER).content == serial
        if not own and not more:
            continue
        since, reason, known = _read_revoked(time.time(), _extensions(more[0] if more else None))
        understood = understood and known
        if own:
            revoked = since if revoked is None else min(revoked, since)
            good_before = good_before and reason in GOOD_BEFORE
    return revoked, good_before, understood


# --- OCSP, RFC 6960 §4.2.1


def answer_standing(data: bytes, certificate: Certificate, issuer: Certificate) -> Standing | None:
    """
    What a responder's answer says of a certificate. None: it is not about it, or its issuer does not vouch
    for it. Raises DerError.
    """
    if len(data) > MAX_OCSP_BYTES:
        raise DerError("an OCSP answer that is too large")
    status, wrapped = _sequence(only(data), 2, 2)
    if status.of(ENUMERATED).content != b"\0":
        raise DerError("an OCSP answer that refuses to tell")
    kind, octets = _sequence(unwrap(wrapped.of(0xA0)), 2, 2)
    if kind.oid() != OCSP_BASIC:
        raise DerError("an OCSP answer of another kind")
    basic = _sequence(only(octets.of(OCTETS).content), 3, 4)
    carried = _sequence(unwrap(basic[3].of(0xA0)), 0, MAX_CERTIFICATES) if len(basic) == 4 else []
    produced, answers = _read_answers(basic[0])
    found = [standing for about, standing in answers if _is_about(about, certificate, issuer)]
    if not found or not _is_vouched_for(basic, carried, issuer, produced):
        return None
    return found[0]


def _read_answers(data: Der) -> tuple[datetime, list[tuple[list[Der], Standing]]]:
    """When it was made, and what it says of each certificate."""
    fields = _sequence(data, 3, 5)
    if fields[0].tag == 0xA0:
        fields.pop(0)
    if not 3 <= len(fields) <= 4 or fields[0].tag not in (0xA1, 0xA2):
        raise DerError("an OCSP answer of another form")
    _refuse_critical(fields[3:])
    answers = [_read_single(each) for each in fields[2].of(SEQUENCE).children()]
    return fields[1].of(GENERALIZED_TIME).time(), answers


def _read_single(answer: Der) -> tuple[list[Der], Standing]:
    about, status, this_update, *rest = _sequence(answer, 3, 5)
    next_update = None
    if rest and rest[0].tag == 0xA0:
        next_update = unwrap(rest.pop(0)).of(GENERALIZED_TIME).time()
    if status.tag not in (GOOD, REVOKED, UNKNOWN) or len(rest) > 1:
        raise DerError("an OCSP answer of another form")
    extensions = _extensions(unwrap(rest[0].of(0xA1)) if rest else None)
    updated = this_update.of(GENERALIZED_TIME).time()
    revoked, good_before = None, False
    parts = status.children() if status.tag == REVOKED else []
    time = parts[0].of(GENERALIZED_TIME).time() if status.tag == REVOKED else updated
    since, _, understood = _read_revoked(time, extensions)
    if not understood or len(parts) > 2:
        raise DerError("an OCSP answer that must be understood in another way")
    if status.tag == REVOKED:
        reason = _reason(unwrap(parts[1].of(0xA0))) if len(parts) == 2 else None
        revoked, good_before = since, reason in GOOD_BEFORE
    standing = Standing(revoked, good_before, updated, next_update, status.tag != UNKNOWN)
    return _sequence(about, 4, 4), standing


def _refuse_critical(rest: list[Der]) -> None:
    if len(rest) > 1:
        raise DerError("an OCSP answer of another form")
    extensions = _extensions(unwrap(rest[0].of(0xA1)) if rest else None)
    if any(critical for critical, _ in extensions.values()):
        raise DerError("an extension that must be understood")


def _is_about(about: list[Der], certificate: Certificate, issuer: Certificate) -> bool:
    algorithm, name, key, serial = about
    number = serial.of(INTEGER).content
    hashed = _NAME_HASHES.get(algorithm_of(algorithm).oid)
    if hashed is None or number != certificate.serial:
        return False
    _, bits = _sequence(only(issuer.key), 2, 2)
    same_name = name.of(OCTETS).content == hashlib.new(hashed, issuer.subject).digest()
    return same_name and key.of(OCTETS).content == hashlib.new(hashed, bits.octets_of_bits()).digest()


def _is_vouched_for(basic: list[Der], carried: list[Der], issuer: Certificate, produced: datetime) -> bool:
    """By the issuer, or by a responder that it certified for this, at that time. RFC 6960 §4.2.2.2"""
    data, named, bits = basic[:3]
    algorithm, signature = algorithm_of(named), bits.octets_of_bits()
    if is_signed(issuer.key, algorithm, None, data.whole, signature):
        return True
    for each in carried:
        try:
            responder = read_certificate(each.whole)
            allowed = _may_respond(responder, issuer, produced)
        except (DerError, ValueError, IndexError, TypeError):
            # Another one may be the responder's.
            continue
        if allowed and is_signed(responder.key, algorithm, None, data.whole, signature):
            return True
    return False


def _may_respond(responder: Certificate, issuer: Certificate, moment: datetime) -> bool:
    return (
        responder.issuer == issuer.subject
        and OCSP_SIGNING in responder.purposes()[1]
        and not responder.has_unknown_critical()
        and responder.begins <= moment <= responder.ends
        and is_signed(issuer.key, responder.algorithm, None, responder.signed, responder.signature)
    )

"""The documents of a bundle: docs/evidence-format.md, sections 3 to 5 and 8."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._notes import LOG_KEY, MLDSA44_KEY, WITNESS_KEY, NoteProblem, VerifierKey, is_name, parse_key
from ..errors import ConfigurationError
from ._base import HEX, TIME, UUID, Refused, fields, items, need, opening, read_canonical, text, whole
from ._times import ALWAYS, Window, ms_of_text, read_window

MAX_PINNED, MAX_WITHHELD = 16, 32
# Roots, policies and the like of one authority.
MAX_OF_AUTHORITY = 32
_EVENTS = {
    ("sent", "session"): "RelayToNonERDS",
    ("bounced", "session"): "RelayToNonERDSFailure",
    ("bounced", "operator"): "RelayToNonERDSFailure",
    ("bounced", "reported_by_mail"): "ReceivedFromNonERDS",
    ("cancelled", "operator"): None,
    ("complained", "reported_by_mail"): "ReceivedFromNonERDS",
    ("acknowledged", "recipient_page"): None,
    ("acknowledged", "reported_by_mail"): "ReceivedFromNonERDS",
    ("refused", "recipient_page"): None,
    ("displayed", "reported_by_mail"): "ReceivedFromNonERDS",
    ("unanswered", "operator"): None,
}
# The recipient's own reply: the mail itself is the proof.
_REPLY = ("acknowledged", "reported_by_mail")
_TRUST = {
    "operator_asserted": ["attempt", "dsn", "facts", "kind", "occurred_at", "source", "transcript"],
    "third_party_verifiable": ["message_canonical_hash", "previous"],
}
_MAX_MAIL_DOMAINS = 8
_RESULT = re.compile("pass|fail|softfail|neutral|none|temperror|permerror|not_checked")
_VOUCHER = re.compile("network|dkim|spf|helo")
_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,200}")
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----")
_OID = re.compile(r"[0-2](?:\.(?:0|[1-9][0-9]*)){1,20}")


@dataclass(frozen=True)
class PinnedKey:
    """A key, and when it is trusted."""

    key: VerifierKey
    window: Window = ALWAYS


def trusted_at(keys: tuple[PinnedKey, ...], at: int | None) -> list[VerifierKey]:
    """The keys that were trusted then; None: all."""
    return [each.key for each in keys if at is None or each.window.holds(at)]


@dataclass(frozen=True)
class Policy:
    """Whom to trust: log keys, time-stamping authorities, witnesses."""

    log_keys: tuple[PinnedKey, ...]
    authorities: tuple[dict[str, Any], ...]
    witness_keys: tuple[PinnedKey, ...]
    quorum: int
    """Operators of witnesses that must have cosigned."""
    reached: int | None = None
    """How many had, where the bundle's own policy says so."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Reads a file with your policy. Raises ConfigurationError."""
        try:
            return cls.from_dict(json.loads(Path(path).read_text("utf-8")))
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"The policy {path} cannot be read: {error}") from error

    @classmethod
    def from_dict(cls, value: Any) -> Policy:
        """Reads ``acuse/policy/v1``. A pinned policy asks for its whole quorum. Raises ConfigurationError."""
        try:
            own = read_policy(value)
        except Refused as error:
            raise ConfigurationError(f"This is not a policy: {error.detail}.") from error
        return cls(own.log_keys, own.authorities, own.witness_keys, own.quorum)


def read_policy(value: Any) -> Policy:
    """Raises Refused."""
    check = "trust"
    root = fields(value, check, "log_keys time_stamps type witness_keys witness_quorum", "witness_reached")
    need(root["type"] == "acuse/policy/v1", check, "another type")
    logs = [_key(each, LOG_KEY, MLDSA44_KEY) for each in items(root["log_keys"], check, MAX_PINNED)]
    witnesses = [_key(each, WITNESS_KEY) for each in items(root["witness_keys"], check, MAX_PINNED)]
    _check_witnesses([each.key for each in witnesses], [each.key for each in logs])
    authorities = [_authority(each) for each in items(root["time_stamps"], check, MAX_PINNED)]
    quorum = whole(root["witness_quorum"], check)
    reached = whole(root["witness_reached"], check) if "witness_reached" in root else None
    need(reached is None or reached < quorum, check, "a quorum that was reached")
    return Policy(tuple(logs), tuple(authorities), tuple(witnesses), quorum, reached)


def _check_witnesses(witnesses: list[VerifierKey], logs: list[VerifierKey]) -> None:
    """They are as many as they seem, and no log is its own."""
    check = "trust"
    need(len({each.key for each in witnesses}) == len(witnesses), check, "one key under two names")
    need(len({each.name for each in witnesses}) == len(witnesses), check, "one witness with two keys")
    for name in ("key", "host"):
        own = {getattr(each, name) for each in logs} & {getattr(each, name) for each in witnesses}
        need(not own, check, f"a witness that has the {name} of a log")


def _key(value: Any, *kinds: int) -> PinnedKey:
    """A text alone is the form of older bundles: a key without a window."""
    check = "trust"
    found = fields({"key": value} if isinstance(value, str) else value, check, "key", "from until")
    try:
        key = parse_key(text(found["key"], check))
    except NoteProblem as error:
        raise Refused(check, f"a key: {error}") from error
    need(key.kind in kinds, check, "a key of another kind")
    return PinnedKey(key, read_window(found, check))


def _authority(value: Any) -> dict[str, Any]:
    check = "trust"
    optional = "development leafEku policies hashAlgorithms nonce revocation from until"
    found = fields(value, check, "profile name roots", optional)
    need(found["profile"] in ("rfc3161", "nom151"), check, "another profile")
    text(found["name"], check, _NAME)
    roots = items(found["roots"], check, MAX_OF_AUTHORITY)
    need(bool(roots), check, "an authority pins no root")
    for root in roots:
        need(_CERTIFICATE.search(text(root, check)) is not None, check, "a root is no certificate")
    for name in ("leafEku", "policies"):
        for oid in items(found.get(name, []), check, MAX_OF_AUTHORITY):
            text(oid, check, _OID)
    for name in items(found.get("hashAlgorithms", []), check, MAX_OF_AUTHORITY):
        need(name in ("sha256", "sha384", "sha512"), check, "another hash")
    for name in ("development", "nonce"):
        need(isinstance(found.get(name, False), bool), check, f"{name} is not true or false")
    need(found.get("revocation", "required") == "required", check, "revocation says something else")
    read_window(found, check)
    return found


def read_manifest(data: bytes) -> dict[str, Any]:
    """Section 3. Raises Refused."""
    check = "manifest"
    names = "accepted_at dkim envelope log mail message_id submission tenant_id tenant_sequence type"
    root = fields(read_canonical(data, check), check, names, "acknowledgement")
    need(root["type"] == "acuse/message/v1", check, "another type")
    ms_of_text(text(root["accepted_at"], check, TIME))
    if "acknowledgement" in root:
        ms_of_text(text(fields(root["acknowledgement"], check, "until")["until"], check, TIME))
    for name in ("message_id", "tenant_id"):
        text(root[name], check, UUID)
    text(root["tenant_sequence"], check, re.compile(r"0|[1-9][0-9]{0,19}"))
    text(root["submission"], check, HEX)
    need(is_name(text(root["log"], check)), check, "log is malformed")
    envelope = fields(root["envelope"], check, "asserted_by mail_from rcpt_to")
    need(envelope["asserted_by"] == "operator", check, "an envelope that somebody else asserts")
    mail = fields(root["mail"], check, "body header parts raw")
    for value in (envelope["mail_from"], envelope["rcpt_to"], mail["body"], mail["header"], mail["raw"]):
        text(value, check, HEX)
    for part in items(mail["parts"], check, 128):
        text(part, check, HEX)
    for key in items(root["dkim"], check, 8):
        _check_dkim(key, check)
    return root


def _check_dkim(key: Any, check: str) -> None:
    named = fields(key, check, "algorithm domain public_key selector")
    need(named["algorithm"] in ("rsa-sha256", "ed25519-sha256"), check, "another DKIM algorithm")
    for name in ("domain", "selector"):
        text(named[name], check, re.compile(r"[!-~]{1,253}"))
    text(named["public_key"], check, re.compile(r"[A-Za-z0-9+/=]{1,2048}"))


def read_openings(data: bytes) -> dict[str, Any]:
    """Section 4. Raises Refused."""
    check = "openings"
    names = "canonical_hash content envelope mail type"
    root = fields(read_canonical(data, check), check, names, "submission withheld")
    need(root["type"] == "acuse/openings/v1", check, "another type")
    text(root["canonical_hash"], check, HEX)
    need(root["content"] in ("complete", "disclosed", "erased"), check, "content says something else")
    mail = fields(root["mail"], check, "parts", "body header raw")
    for value in fields(root["envelope"], check, "", "mail_from rcpt_to").values():
        text(opening(value, check, "value")["value"], check)
    for name in ("body", "header", "raw"):
        if name in mail:
            opening(mail[name], check)
    if "submission" in root:
        opening(root["submission"], check)
    if "withheld" in root:
        withheld = items(root["withheld"], check, MAX_WITHHELD)
        need(
            withheld and root["content"] == "disclosed", check, "outcomes withheld by a whole bundle, or none"
        )
        for each in withheld:
            text(each, check, HEX)
    for part in items(mail["parts"], check, 128):
        found = opening(part, check, "filename index media_type size")
        need(found["filename"] is None or isinstance(found["filename"], str), check, "a file name")
        text(found["media_type"], check)
        whole(found["index"], check)
        whole(found["size"], check)
    return root


def read_outcome(data: bytes, check: str) -> dict[str, Any]:
    """Section 5. Raises Refused."""
    names = "attempt dsn etsi facts kind log message_canonical_hash message_id occurred_at previous"
    root = fields(read_canonical(data, check), check, f"{names} source transcript trust type")
    need(root["type"] == "acuse/delivery/v1" and root["trust"] == _TRUST, check, "another type or trust")
    pair = (text(root["kind"], check), text(root["source"], check))
    need(pair in _EVENTS, check, "a kind that this source does not have")
    event = _EVENTS[pair]
    expected = f"http://uri.etsi.org/19522/Event/{event}" if event else None
    need(root["etsi"] == expected, check, "another event")
    ms_of_text(text(root["occurred_at"], check, TIME))
    text(root["message_id"], check, UUID)
    need(is_name(text(root["log"], check)), check, "log is malformed")
    whole(root["attempt"], check)
    for name in ("facts", "message_canonical_hash", "previous"):
        text(root[name], check, HEX)
    for name in ("dsn", "transcript"):
        need(root[name] is None or HEX.fullmatch(text(root[name], check)), check, f"{name} is malformed")
    unreported = pair[1] == "recipient_page" or pair[0] in ("cancelled", "unanswered")
    need(not unreported or root["dsn"] is None, check, "a report about what nobody reports")
    need(pair != _REPLY or root["dsn"] is not None, check, "a reply that is not there")
    need(pair[1] == "session" or root["transcript"] is None, check, "a transcript without a session")
    return root


def read_outcome_openings(data: bytes, kind: str, source: str, check: str) -> dict[str, Any]:
    """Section 5. Raises Refused."""
    root = fields(read_canonical(data, check), check, "canonical_hash dsn facts transcript type")
    need(root["type"] == "acuse/delivery-openings/v1", check, "another type of openings")
    text(root["canonical_hash"], check, HEX)
    for name in ("dsn", "transcript"):
        if root[name] is not None:
            opening(root[name], check)
    facts = fields(root["facts"], check, "salt value")
    text(facts["salt"], check, HEX)
    value = fields(facts["value"], check, "ip mx reply reported_by_mail tls", "acknowledgement")
    spoken = [value["ip"], value["mx"], value["tls"]]
    need(source == "session" or spoken == [None] * 3, check, "a server without a session")
    mailed = value["reported_by_mail"] is not None
    need(mailed == (source == "reported_by_mail"), check, "facts of another source")
    answered = source in ("session", "operator")
    need(answered or value["reply"] is None, check, "a reply without a session")
    need(value.get("acknowledgement", ...) is not None, check, "an act that is null")
    _check_act(value.get("acknowledgement"), (kind, source), check)
    _nullable(value, "ip mx", check)
    _check_reply(value["reply"], check)
    if value["tls"] is not None:
        tls = fields(value["tls"], check, "cipher peer_certificate_sha256 version")
        _nullable(tls, "peer_certificate_sha256", check)
        _texts(tls, "cipher version", check)
    if mailed:
        _check_report(value["reported_by_mail"], check)
    return root


def _texts(of: dict[str, Any], names: str, check: str) -> None:
    for name in names.split():
        text(of[name], check)


def _nullable(of: dict[str, Any], names: str, check: str) -> None:
    """Each is text or null."""
    _texts(of, " ".join(name for name in names.split() if of[name] is not None), check)


def _check_reply(value: Any, check: str) -> None:
    """What a server answered, or null."""
    if value is not None:
        reply = fields(value, check, "code enhanced text")
        _nullable(reply, "enhanced text", check)
        if reply["code"] is not None:
            whole(reply["code"], check)


def _check_report(value: Any, check: str) -> None:
    """What a mail reported, and who delivered it."""
    report = fields(value, check, "claims dkim mail_from peer sha256 spf vouched_by")
    names = "feedback_type final_recipient original_recipient remote_mta"
    claims = fields(report["claims"], check, f"{names} reply")
    _nullable(claims, names, check)
    _check_reply(claims["reply"], check)
    dkim = fields(report["dkim"], check, "domains result")
    for domain in items(dkim["domains"], check, _MAX_MAIL_DOMAINS):
        text(domain, check)
    spf = fields(report["spf"], check, "domain result")
    _nullable(spf, "domain", check)
    for each in (dkim, spf):
        text(each["result"], check, _RESULT)
    peer = fields(report["peer"], check, "helo ip tls")
    _texts(peer, "helo ip", check)
    if peer["tls"] is not None:
        _texts(fields(peer["tls"], check, "cipher version"), "cipher version", check)
    text(report["mail_from"], check)
    text(report["sha256"], check, HEX)
    if report["vouched_by"] is not None:
        text(report["vouched_by"], check, _VOUCHER)


def _check_act(act: Any, pair: tuple[str, str], check: str) -> None:
    """The recipient's own act, in the facts of the outcomes that have one."""
    if pair == _REPLY:
        _check_dkim(fields(act, check, "dkim")["dkim"], check)
    elif pair[1] != "recipient_page":
        need(act is None, check, "an act of the recipient in another place")
    else:
        page = fields(act, check, "code_sent_at ip language name reason sentence")
        ms_of_text(text(page["code_sent_at"], check, TIME))
        need(page["language"] in ("en", "es"), check, "another language")
        for name in ("ip", "name", "sentence"):
            text(page[name], check)
        need(page["reason"] is None or isinstance(page["reason"], str), check, "a reason that is no text")

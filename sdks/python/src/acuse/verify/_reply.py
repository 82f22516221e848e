"""The mail by which a recipient acknowledges: docs/evidence-format.md, section 5. RFC 6376, RFC 8463"""

from __future__ import annotations

import base64
import re
from typing import Any

from .._ed25519 import is_signature
from ._base import need, sha256
from ._message import Field, relaxed_body, relaxed_field, split

MAX_SIGNATURES, MIN_RSA_BITS = 8, 1024
_SIGNED = ("from", "to", "subject")
_ADDRESS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.-]+")
_FORM = re.compile(r"(relaxed|simple)?(?:/(relaxed|simple))?")
_SIGNATURE = re.compile(rb"(^|;)([ \t\r\n]*b[ \t\r\n]*=)[^;]*")


def check_reply(
    mail: bytes, opened: dict[str, Any], message_id: str, recipient: str | None, check: str
) -> None:
    """Whose mail it is, and who signed it. ``recipient``: None where it is not opened. Raises Refused."""
    facts = opened["facts"]["value"]
    key = facts["acknowledgement"]["dkim"]
    same = facts["reported_by_mail"]["sha256"] == opened["dsn"]["sha256"]
    need(same, check, "the mail is not kept as it came")
    fields, body = split(mail, check)
    values = {}
    for wanted in _SIGNED:
        found = [field for field in fields if field[0] == wanted]
        need(len(found) == 1, check, f"there is not one field {wanted}")
        values[wanted] = relaxed_field(found[0])[len(wanted) + 1 : -2].decode("latin-1")
    place = f"ack+{message_id.replace('-', '')}-"
    is_own = _one_address(values["to"]).startswith(place)
    need(is_own, check, "To is not the address of this message alone")
    sender = _one_address(values["from"])
    need(sender, check, "From is not one address")
    need(recipient is None or _lower(recipient) == sender, check, "From is not the recipient")
    aligned = _is_aligned(key["domain"].lower(), sender.partition("@")[2])
    need(aligned, check, "signed by another domain than that of From")
    bodies = {"relaxed": relaxed_body(mail), "simple": re.sub(rb"(?:\r\n)+\Z", b"", body) + b"\r\n"}
    signatures = [field for field in fields if field[0] == "dkim-signature"][:MAX_SIGNATURES]
    held = any(_holds(field, fields, bodies, key) for field in signatures)
    need(held, check, "no signature holds under the key of the facts")


def _lower(text: str) -> str:
    """Of ASCII alone."""
    return re.sub(r"[A-Z]+", lambda found: found[0].lower(), text)


def _one_address(value: str) -> str:
    bare = re.sub('"[^"]*"', "", value)
    before, opened, rest = bare.partition("<")
    address = bare
    if opened:
        address = rest[:-1] if rest.endswith(">") else ""
    is_one = _ADDRESS.fullmatch(address) and not (opened and re.search("[@,;:()<>]", before))
    return address.lower() if is_one else ""


def _is_aligned(signer: str, domain: str) -> bool:
    """The same domain, or one of the two is above the other; never one of a single label."""
    if "." not in signer or "." not in domain:
        return False
    return signer == domain or signer.endswith(f".{domain}") or domain.endswith(f".{signer}")


def _tags(value: bytes) -> dict[str, str]:
    """None of them for bytes that are not ASCII, and for a tag that is there twice. RFC 6376 §3.2"""
    tags: dict[str, str] = {}
    if any(byte > 0x7E for byte in value):
        return {}
    for part in value.decode("latin-1").split(";"):
        name, equals, tag = part.partition("=")
        name = name.strip(" \t\r\n\v\f")
        if equals and name in tags:
            return {}
        if equals:
            tags[name] = re.sub(r"[ \t\r\n]+", "", tag)
    return tags


def _holds(signature: Field, fields: list[Field], bodies: dict[str, bytes], key: dict[str, Any]) -> bool:
    name, raw = signature
    start, _, value = raw.partition(b":")
    tags = _tags(value)
    forms = _FORM.fullmatch(tags.get("c", ""))
    of = (tags.get("d", "").lower(), tags.get("s"), tags.get("a"))
    names = tags.get("h", "").lower().split(":")
    if of != (key["domain"], key["selector"], key["algorithm"]) or forms is None:
        return False
    if tags.get("v") != "1" or "l" in tags or not set(_SIGNED) <= set(names):
        return False
    if sha256(bodies[forms[2] or "simple"]) != _unbase64(tags.get("bh", "")):
        return False
    left, text = list(fields), b""
    for wanted in filter(None, names):
        at = max((at for at, (each, _) in enumerate(left) if each == wanted), default=None)
        if at is not None:
            text += _formed(left.pop(at), forms[1]) + b"\r\n"
    unsigned = start + b":" + _SIGNATURE.sub(rb"\1\2", value, count=1)
    return _is_signed(text + _formed((name, unsigned), forms[1]), _unbase64(tags.get("b", "")), key)


def _formed(field: Field, form: str | None) -> bytes:
    return relaxed_field(field)[:-2] if form == "relaxed" else field[1]


def _unbase64(text: str) -> bytes | None:
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


def _is_signed(text: bytes, signature: bytes | None, key: dict[str, Any]) -> bool:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding, rsa
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    public = _unbase64(key["public_key"])
    if signature is None or public is None:
        return False
    if key["algorithm"] == "ed25519-sha256":
        return is_signature(public, signature, sha256(text))
    try:
        read = load_der_public_key(public)
        if not isinstance(read, rsa.RSAPublicKey) or read.key_size < MIN_RSA_BITS:
            return False
        read.verify(signature, text, padding.PKCS1v15(), hashes.SHA256())
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        return False
    return True

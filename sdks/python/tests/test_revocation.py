"""Revocation lists and OCSP answers, signed with the keys of contract/vectors."""

from __future__ import annotations

import base64
import hashlib
import random
from datetime import datetime, timezone

import pytest
from support import VECTORS, vectors

pytest.importorskip("cryptography")

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from acuse.verify._base import Refused
from acuse.verify._container import read_container
from acuse.verify._der import Certificate, DerError, certificates_of, only
from acuse.verify._revocation import GOOD_BEFORE, Revocation

SHA256_RSA = bytes.fromhex("300d06092a864886f70d01010b0500")
SHA1 = bytes.fromhex("300706052b0e03021a")
BASIC = bytes.fromhex("06092b0601050507300101")
OCSP_SIGNING = bytes.fromhex("300a06082b06010505070309")
TIME_STAMPING = bytes.fromhex("300a06082b06010505070308")
EXTENDED_KEY_USAGE = bytes.fromhex("0603551d25")
CRITICAL = b"\1\1\xff"
NOW, BEFORE, AFTER = b"20300101000000Z", b"20291231235959Z", b"20300101000001Z"
MUTANTS = 1000


@pytest.fixture(scope="module")
def chain() -> list[Certificate]:
    """A signer and its root."""
    vectors("bundles.json")
    files = read_container((VECTORS / "bundles" / "good" / "sealed.zip").read_bytes())
    return certificates_of(files["chain/constancia.pem"])


def der(tag: int, *content: bytes) -> bytes:
    data = b"".join(content)
    size = len(data)
    if size < 128:
        return bytes((tag, size)) + data
    long = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 128 + len(long))) + long + data


def when(text: bytes) -> bytes:
    return der(24, text)


def private(name: str) -> rsa.RSAPrivateKey:
    key = load_pem_private_key((VECTORS / "keys" / f"{name}.pem").read_bytes(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    return key


def signed(body: bytes, key: str = "root", *more: bytes) -> bytes:
    signature = private(key).sign(body, padding.PKCS1v15(), hashes.SHA256())
    return der(0x30, body, SHA256_RSA, der(3, b"\0", signature), *more)


def crl(
    chain: list[Certificate], revoked: bytes | None, next_update: bytes | None = NOW, extensions: bytes = b""
) -> bytes:
    """With an entry for the signer, unless that is None."""
    signer, root = chain
    entry = b"" if revoked is None else der(0x30, der(2, signer.serial), when(revoked))
    return signed(
        der(
            0x30,
            der(2, b"\1"),
            SHA256_RSA,
            root.subject,
            when(b"20250101000000Z"),
            b"" if next_update is None else when(next_update),
            der(0x30, entry) if entry else b"",
            der(0xA0, der(0x30, extensions)) if extensions else b"",
        )
    )


def ocsp(chain: list[Certificate], status: bytes, key: str = "root", carried: bytes = b"") -> bytes:
    signer, root = chain
    _, bits = only(root.key).children()
    about = der(
        0x30,
        SHA1,
        der(4, hashlib.sha1(root.subject).digest()),
        der(4, hashlib.sha1(bits.octets_of_bits()).digest()),
        der(2, signer.serial),
    )
    single = der(0x30, about, status, when(BEFORE), der(0xA0, when(AFTER)))
    data = der(0x30, der(0xA1, root.subject), when(BEFORE), der(0x30, single))
    certificates = der(0xA0, der(0x30, carried)) if carried else b""
    basic = der(4, signed(data, key, certificates))
    return der(0x30, b"\x0a\1\0", der(0xA0, der(0x30, BASIC, basic)))


def responder(chain: list[Certificate], purposes: bytes, by: str = "root", ends: bytes = AFTER) -> bytes:
    """A certificate of signer-2's key."""
    key = private("signer-2").public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    usage = der(0x30, EXTENDED_KEY_USAGE, der(4, purposes))
    return signed(
        der(
            0x30,
            der(0xA0, der(2, b"\2")),
            der(2, b"\x55"),
            SHA256_RSA,
            chain[1].subject,
            der(0x30, when(b"20250101000000Z"), when(ends)),
            der(0x30),
            key,
            der(0xA3, der(0x30, usage)),
        ),
        by,
    )


def said(chain: list[Certificate], data: bytes, kind: str) -> str:
    """good, revoked, doubted, unknown, or idle where the piece is about nobody."""
    return said_at(chain, data, kind, datetime(2030, 1, 1, 0, 0, 0, 250_000, timezone.utc))


def said_at(chain: list[Certificate], data: bytes, kind: str, moment: datetime) -> str:
    revocation = Revocation({f"revocation/x.{kind}": data})
    verdict = "good"
    try:
        revocation.check((moment, chain), True, "x")
    except Refused as error:
        words = {"revoked when": "revoked", "revoked later": "doubted"}
        verdict = next((word for text, word in words.items() if text in error.detail), "unknown")
    try:
        revocation.check_nothing_idle()
    except Refused:
        return "idle"
    return verdict


def test_lists_say_who_was_revoked_and_when(chain: list[Certificate]) -> None:
    assert len(chain) == 2
    assert said(chain, crl(chain, None), "crl") == "good"
    assert said(chain, crl(chain, AFTER), "crl") == "doubted"
    assert said(chain, crl(chain, BEFORE), "crl") == "revoked"
    assert said(chain, crl(chain, NOW), "crl") == "revoked"
    assert said(chain, crl(chain, None, BEFORE), "crl") == "unknown"
    assert said(chain, crl(chain, None, None), "crl") == "unknown"


def test_lists_that_leave_somebody_out_say_nothing(chain: list[Certificate]) -> None:
    def point(content: bytes) -> bytes:
        return der(0x30, b"\6\3\x55\x1d\x1c", CRITICAL, der(4, der(0x30, content)))

    delta = der(0x30, b"\6\3\x55\x1d\x1b", CRITICAL, der(4, b"\2\1\1"))
    assert said(chain, crl(chain, None, extensions=point(b"\xa0\0")), "crl") == "good"
    assert said(chain, crl(chain, None, extensions=point(b"\x81\1\xff")), "crl") == "idle"
    assert said(chain, crl(chain, None, extensions=delta), "crl") == "idle"


def test_answers_are_the_issuers_or_its_responders_own(chain: list[Certificate]) -> None:
    def revoked(time: bytes) -> bytes:
        return der(0xA1, when(time))

    assert said(chain, ocsp(chain, b"\x80\0"), "ocsp") == "good"
    assert said(chain, ocsp(chain, b"\x82\0"), "ocsp") == "unknown"
    assert said(chain, ocsp(chain, revoked(NOW)), "ocsp") == "revoked"
    assert said(chain, ocsp(chain, revoked(AFTER)), "ocsp") == "doubted"
    assert said(chain, ocsp(chain, b"\x80\0", "stranger"), "ocsp") == "idle"

    def by(purposes: bytes, issuer: str = "root", ends: bytes = AFTER) -> str:
        made = responder(chain, purposes, issuer, ends)
        return said(chain, ocsp(chain, b"\x80\0", "signer-2", made), "ocsp")

    assert by(OCSP_SIGNING) == "good"
    assert by(TIME_STAMPING) == "idle"
    assert by(OCSP_SIGNING, "stranger") == "idle"
    assert by(OCSP_SIGNING, "root", b"20291231235958Z") == "idle"


def test_what_each_reason_means(chain: list[Certificate]) -> None:
    told = vectors("revocation.json")
    assert {each["code"] for each in told["reasons"] if each["good_before"]} == GOOD_BEFORE
    moment = datetime.fromisoformat(told["at"].replace("Z", "+00:00"))
    for case in told["cases"]:
        data = base64.b64decode(case["data"])
        given = certificates_of(told["chain"].encode())
        assert said_at(given, data, case["kind"], moment) == (case["standing"] or "idle"), case["name"]


@pytest.mark.parametrize("kind", ["crl", "ocsp"])
def test_no_single_bit_may_change_and_nothing_may_be_cut(chain: list[Certificate], kind: str) -> None:
    good = crl(chain, NOW) if kind == "crl" else ocsp(chain, b"\x80\0")
    chance = random.Random(13)
    for _ in range(MUTANTS):
        bit = chance.randrange(8 * len(good))
        changed = bytearray(good)
        changed[bit // 8] ^= 1 << bit % 8
        assert said(chain, bytes(changed), kind) == "idle", f"bit {bit}"
    for length in range(len(good)):
        assert said(chain, good[:length], kind) == "idle", f"{length} bytes"
    assert said(chain, good + b"\0", kind) == "idle"


def test_a_piece_is_about_a_chain_only_if_it_can_be_read(chain: list[Certificate]) -> None:
    for data in (b"", b"\0", base64.b64decode("MAA="), b"\x30\x80", bytes(5 * 1024 * 1024)):
        for kind in ("crl", "ocsp"):
            assert said(chain, data, kind) == "idle"


def test_times_are_those_of_der() -> None:
    assert only(der(23, b"491231235959Z")).time() == datetime(2049, 12, 31, 23, 59, 59, tzinfo=timezone.utc)
    assert only(der(23, b"500101000000Z")).time().year == 1950
    for tag, text in ((23, b"260304050607.5Z"), (23, b"2603040506Z"), (24, b"20260304050607,5Z")):
        with pytest.raises(DerError):
            only(der(tag, text)).time()

"""Revocation lists and OCSP answers, as the vectors have them."""

from __future__ import annotations

import base64
import random
from datetime import datetime
from typing import Any

import pytest
from support import vectors

pytest.importorskip("cryptography")

from acuse.verify._base import Refused
from acuse.verify._der import certificates_of
from acuse.verify._revocation import GOOD_BEFORE, Revocation

MUTANTS = 1000


@pytest.fixture(scope="module")
def told() -> Any:
    return vectors("revocation.json")


def said(told: Any, data: bytes, kind: str) -> str:
    """good, revoked, doubted, unknown, or idle where the piece is about nobody."""
    moment = datetime.fromisoformat(told["at"].replace("Z", "+00:00"))
    revocation = Revocation({f"revocation/x.{kind}": data})
    verdict = "good"
    try:
        revocation.check((moment, certificates_of(told["chain"].encode())), True, "x")
    except Refused as error:
        words = {"revoked when": "revoked", "revoked later": "doubted"}
        verdict = next((word for text, word in words.items() if text in error.detail), "unknown")
    try:
        revocation.check_nothing_idle()
    except Refused:
        return "idle"
    return verdict


def test_says_what_the_vectors_say(told: Any) -> None:
    assert {each["code"] for each in told["reasons"] if each["good_before"]} == GOOD_BEFORE
    for case in told["cases"]:
        data = base64.b64decode(case["data"])
        assert said(told, data, case["kind"]) == (case["standing"] or "idle"), case["name"]


@pytest.mark.parametrize("kind", ["crl", "ocsp"])
def test_no_single_bit_may_change_and_nothing_may_be_cut(told: Any, kind: str) -> None:
    whole = next(each for each in told["cases"] if (each["name"], each["kind"]) == ("nobody revoked", kind))
    good = base64.b64decode(whole["data"])
    chance = random.Random(13)
    for _ in range(MUTANTS):
        bit = chance.randrange(8 * len(good))
        changed = bytearray(good)
        changed[bit // 8] ^= 1 << bit % 8
        assert said(told, bytes(changed), kind) == "idle", f"bit {bit}"
    for length in range(len(good)):
        assert said(told, good[:length], kind) == "idle", f"{length} bytes"
    assert said(told, good + b"\0", kind) == "idle"

"""Bundles, against contract/vectors."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from support import VECTORS, vectors

import acuse
from acuse import _ed25519, _merkle, _mldsa44, _notes
from acuse.verify import TRUST_BUNDLE, NotABundleError, Policy, Remark, verify_bundle
from acuse.verify._base import Refused
from acuse.verify._documents import PinnedKey
from acuse.verify._line import Leaf, Line, check_log_end, ends_of
from acuse.verify._message import parts_of, relaxed_body, relaxed_header

GOOD = VECTORS / "bundles" / "good"


def test_judges_every_bundle_of_the_vectors() -> None:
    valid = 0
    for case in vectors("bundles.json")["cases"]:
        file = VECTORS / "bundles" / case["file"]
        try:
            report = verify_bundle(file, policy=TRUST_BUNDLE, now=case["now"])
        except NotABundleError:
            assert case["failed"] == ["bundle"], case["file"]
            continue
        valid += report.valid
        failed = [each.name for each in report.checks if each.ok is False]
        left_out = [each.name for each in report.checks if each.ok is None]
        assert (report.valid, report.verdict) == (case["valid"], case["verdict"]), (case["file"], failed)
        if case["valid"]:
            assert (failed, left_out) == ([], []), case["file"]
            assert _names(report.warnings) == case["warnings"], case["file"]
            assert _names(report.reasons) == case["reasons"], case["file"]
        else:
            expected = case["failed"][:1] if ONE_RULE.match(case["file"]) else case["failed"]
            assert failed[0] in expected, case["file"]
            assert _names(report.reasons) == failed, case["file"]
    assert valid == sum(case["valid"] for case in vectors("bundles.json")["cases"]) >= 37


ONE_RULE = re.compile(
    r"broken/(?:history|order|times|outcomes|openings-withheld|window|revoked|revocation"
    r"|mldsa44|witness-(?:own|time|too|of-outcome))-"
)


def test_second_signatures_are_checked_or_told_of() -> None:
    cases = vectors("bundles.json")["mldsa44"]
    able = _mldsa44.is_signature(bytes(1312), bytes(2420), b"") is not None
    for case in cases:
        report = verify_bundle(VECTORS / "bundles" / case["file"], policy=TRUST_BUNDLE, now=case["now"])
        expected = case if able else case["unchecked"]
        told = (report.verdict, _names(report.warnings))
        assert told == (expected["verdict"], expected["warnings"]), case["file"]
        if able and not case["valid"]:
            assert _names(report.reasons) == case["failed"][:1], case["file"]
    assert len(cases) >= 5


def test_without_ml_dsa_a_second_signature_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_mldsa44, "is_signature", lambda *_: None)
    for case in vectors("bundles.json")["mldsa44"]:
        report = verify_bundle(VECTORS / "bundles" / case["file"], policy=TRUST_BUNDLE, now=case["now"])
        expected = case["unchecked"]
        assert (report.verdict, _names(report.warnings)) == (expected["verdict"], expected["warnings"])


def _names(remarks: tuple[Remark, ...]) -> list[str]:
    return [each.name for each in remarks]


def test_a_pinned_policy_that_knows_no_authority_rejects() -> None:
    vectors("bundles.json")
    data = zipfile.ZipFile(GOOD / "sealed.zip").read("policy.json")
    own = json.loads(data)
    pinned = verify_bundle(GOOD / "sealed.zip", policy=Policy.from_dict(own))
    assert (pinned.valid, pinned.trust) == (True, "pinned")
    assert pinned.sealed_at is not None
    stranger = Policy.from_dict({**own, "time_stamps": []})
    assert verify_bundle(GOOD / "sealed.zip", policy=stranger).verdict == "rejected"


def test_the_clock_is_the_systems_unless_one_is_given() -> None:
    vectors("bundles.json")
    here = verify_bundle(GOOD / "sealed.zip", policy=TRUST_BUNDLE)
    assert (here.valid, "outcomes_old" in _names(here.warnings)) == (True, True)
    long_ago = datetime(2020, 1, 1)
    assert _names(verify_bundle(GOOD / "sealed.zip", policy=TRUST_BUNDLE, now=long_ago).reasons) == [
        "witness"
    ]


def test_says_which_field_of_a_policy_is_not_as_it_must_be() -> None:
    own = json.loads(zipfile.ZipFile(GOOD / "sealed.zip").read("policy.json"))
    with pytest.raises(acuse.ConfigurationError, match="log_keys is missing"):
        Policy.from_dict({})
    with pytest.raises(acuse.ConfigurationError, match='the field "quorum" is not known'):
        Policy.from_dict({**own, "quorum": 1})


def test_says_what_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(NotABundleError):
        verify_bundle(b"PK", policy=TRUST_BUNDLE)
    with pytest.raises(acuse.ConfigurationError):
        verify_bundle(b"PK", policy=None)  # type: ignore[arg-type]
    with pytest.raises(OSError, match="nothing"):
        verify_bundle(tmp_path / "nothing", policy=TRUST_BUNDLE)


def test_compares_received_copies_as_the_vectors_do() -> None:
    cases = vectors("bundles.json")["received"]
    for case in cases:
        eml = VECTORS / "received" / case["file"]
        copy = verify_bundle(VECTORS / "bundles" / case["bundle"], policy=TRUST_BUNDLE, eml=eml).copy
        assert copy is not None, case["file"]
        layers = (copy.verdict, copy.bytes, copy.relaxed, copy.parts)
        assert layers == (case["verdict"], case["L0"], case["L1"], case["L2"]), (case["file"], case["why"])
    assert len(cases) > 100


def test_a_copy_does_not_change_what_is_said_of_the_bundle() -> None:
    vectors("bundles.json")
    good = verify_bundle(GOOD / "sealed.zip", policy=TRUST_BUNDLE, eml=b"Subject: x\r\n\r\n")
    assert (good.valid, good.copy and good.copy.verdict) == (True, "differs")
    none = verify_bundle(GOOD / "sealed.zip", policy=TRUST_BUNDLE)
    assert (none.valid, none.copy, none.to_dict()["copy"]) == (True, None, None)
    assert none.to_dict()["reasons"][0]["name"] == "bundle_keys"
    bad = verify_bundle(GOOD / "sealed.zip", policy=TRUST_BUNDLE, at="2999-01-01T00:00:00Z", eml=b"x")
    assert (bad.verdict, bad.copy and bad.copy.verdict) == ("rejected", "not_comparable")


def test_a_charset_that_is_not_read_here_leaves_the_parts_open() -> None:
    vectors("bundles.json")
    letter = b"Content-Type: text/plain; charset=iso-2022-jp\r\n\r\nx\r\n"
    whole = verify_bundle(GOOD / "sealed.zip", policy=TRUST_BUNDLE, eml=letter)
    assert (whole.valid, whole.copy and (whole.copy.verdict, whole.copy.parts)) == (
        True,
        ("differs", None),
    )
    parts = verify_bundle(GOOD / "one-part-disclosed.zip", policy=TRUST_BUNDLE, eml=letter)
    assert (parts.valid, parts.copy, parts.checks[-1].name) == (False, None, "received_copy")
    assert (parts.verdict, "not_checked" in _names(parts.reasons)) == ("unproven", True)


def test_the_chain_must_still_be_valid_at_the_time_that_is_given() -> None:
    vectors("bundles.json")
    report = verify_bundle(GOOD / "sealed.zip", policy=TRUST_BUNDLE, at="2999-01-01T00:00:00Z")
    assert report.verdict == "rejected"


@pytest.mark.parametrize(
    ("size", "root", "holds"),
    [
        (7, b"k", True),
        (9, b"p", True),
        (8, b"x", True),
        (9, b"x", False),
        (7, b"p", False),
        (10, b"p", False),
    ],
)
def test_shows_no_tree_that_a_log_had_not_published_when_it_ended(
    size: int, root: bytes, holds: bool
) -> None:
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    signers = {name: ed25519.Ed25519PrivateKey.generate() for name in ("log.test/old", "log.test/new")}
    keys = {}
    for name, signer in signers.items():
        material = b"\1" + signer.public_key().public_bytes_raw()
        key_id = hashlib.sha256(name.encode() + b"\n" + material).hexdigest()[:8]
        keys[name] = f"{name}+{key_id}+{base64.b64encode(material).decode()}"
    kept, published = (base64.b64encode(each * 32).decode() for each in (b"k", b"p"))
    trees = f"7 {kept}\n9 {published}"
    text = (
        f"acuse/log-end/v1\nlog.test/old\n{trees}\n2026-03-05T00:00:00.000Z\n{keys['log.test/new']}\nlost\n"
    )
    note = text + "\n"
    for name, signer in signers.items():
        data = bytes.fromhex(keys[name].split("+")[1]) + signer.sign(text.encode())
        note += f"\u2014 {name} {base64.b64encode(data).decode()}\n"
    pinned = [PinnedKey(_notes.parse_key(key)) for key in keys.values()]
    ends = ends_of(note.encode(), pinned)
    assert [end.successor for end in ends] == [pinned[1].key]
    assert ends_of(note.replace("lost", "lent").encode(), pinned) == []
    leaf = Leaf(bytes(32), 0, _notes.TreeHead("log.test/old", size, root * 32))
    ended = ends[0].ended
    line = Line("log.test/old", ended, ended, leaf, ended)
    if holds:
        check_log_end(ends, line)
    else:
        with pytest.raises(Refused, match="log_end"):
            check_log_end(ends, line)


def test_reads_notes_as_the_vectors_do() -> None:
    found = vectors("notes.json")
    keys = [_notes.parse_key(found["log_key"]), _notes.parse_key(found["witness_key"])]
    for case in found["cases"]:
        assert _is_note(case, keys) == case["valid"], case["why"]


def test_white_space_around_a_pinned_key_is_no_part_of_it() -> None:
    found = vectors("notes.json")
    key = found["log_key"]
    note = next(case["note"] for case in found["cases"] if case["kind"] == "checkpoint" and case["valid"])
    for around in ("", " ", "\t", "\n", "\r\n", " \t\r\n"):
        checkpoint = acuse.Checkpoint.load(note, around + key + around)
        assert (checkpoint.size, checkpoint.key) == (100, key)
    wrong = ("", " \r\n", key.replace("+", "+ ", 1), f"{key}\n{key}", f"{key}\u00a0", f"{key}\v")
    for text in (*wrong, found["witness_key"]):
        with pytest.raises(acuse.ConfigurationError, match=r"name\+id\+base64"):
            acuse.Checkpoint.load(note, text)


def _is_note(case: dict[str, Any], keys: list[_notes.VerifierKey]) -> bool:
    data = case["note"].encode()
    try:
        if case["kind"] == "proof":
            proof = _notes.parse_proof(data)
            head = _notes.parse_tree_head(proof.note.text)
            leaf = _merkle.leaf_hash(hashlib.sha256(b"entry 7").digest())
            held = _merkle.is_included(leaf, proof.index, head.size, proof.path, head.root)
            return held and head.origin in [key.name for key in _notes.signers(proof.note, keys, 1)]
        if case["kind"] == "promise":
            canonical_hash, deadline = _notes.open_promise(data, keys[0])
            says = case.get("says", {})
            return bool(says == {"canonical_hash": canonical_hash.hex(), "deadline": deadline})
        note = _notes.parse_note(data)
        _notes.parse_tree_head(note.text)
        signed = [key.name for key in _notes.signers(note, keys, 1)]
        if case["kind"] == "cosigned" and not _notes.signers(note, keys, 4):
            return False
    except _notes.NoteProblem:
        return False
    return note.text.split("\n")[0] in signed


def test_proves_trees_as_the_vectors_do() -> None:
    found = vectors("merkle.json")
    for case in found["inclusion"]:
        path = [bytes.fromhex(each) for each in case["path"]]
        leaf, root = bytes.fromhex(case["leaf_hash"]), bytes.fromhex(case["root"])
        held = _merkle.is_included(leaf, case["index"], case["size"], path, root)
        assert held == case["valid"], case["why"]
    for case in found["consistency"]:
        path = [bytes.fromhex(each) for each in case["path"]]
        old, new = bytes.fromhex(case["old_root"]), bytes.fromhex(case["new_root"])
        held = _merkle.is_consistent(case["old_size"], old, case["new_size"], new, path)
        assert held == case["valid"], case["why"]


def test_names_tiles_as_the_vectors_do() -> None:
    found = vectors("tiles.json")
    for case in [*found["tiles"], *found["paths"]]:
        if isinstance(case["level"], int) and case["level"] >= 0:
            path = _merkle.tile_path(case["level"], case["index"], case["width"])
            assert f"tile/{path}" == case["path"]


def test_without_cryptography_says_how_that_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    with pytest.raises(acuse.ConfigurationError, match=r'pip install "cryptography>=48"\.$'):
        _ed25519.is_signature(b"", b"", b"")


def test_takes_no_signature_that_the_format_forbids() -> None:
    pytest.importorskip("cryptography")
    for case in vectors("ed25519.json")["cases"]:
        key, signature, message = (
            bytes.fromhex(case[name]) for name in ("public_key", "signature", "message")
        )
        assert _ed25519.is_signature(key, signature, message) == case["valid"], case["why"]


def test_reads_the_layers_of_messages_as_the_vectors_do() -> None:
    found = vectors("messages.json")
    for case in found["cases"] if isinstance(found, dict) else found:
        message = base64.b64decode(case["message"])
        for name, layer in (("header", relaxed_header(message)), ("body", relaxed_body(message))):
            assert hashlib.sha256(layer).hexdigest() == case[f"{name}_sha256"], case["name"]
        assert parts_of(message) == case["parts"], case["name"]

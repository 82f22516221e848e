"""Signed notes, checkpoints, promises and proofs of the log: docs/evidence-format.md, section 6."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from . import _mldsa44
from ._ed25519 import is_signature
from ._merkle import is_included, leaf_hash

MAX_NOTE_BYTES = 256 * 1024
MAX_SIGNATURES = 100
MAX_PROOF_BYTES = 320 * 1024
MAX_PROMISE_GROUP = 65_536
GROUP_HEADER = b"acuse/promise/v2\n"
LOG_KEY, WITNESS_KEY, MLDSA44_KEY = 1, 4, 6
_NAME = re.compile(r"[^\s+\x00-\x1f\x7f-\x9f]+")


class NoteProblem(ValueError):
    """The fault in a note."""


@dataclass(frozen=True)
class VerifierKey:
    """The signer: ``name+<hex key id>+<base64 of type and key>``."""

    name: str
    id: bytes
    kind: int
    """1 signs notes, 4 is a witness, 6 the second key of a log."""
    key: bytes

    @property
    def operator(self) -> str:
        """The host in the name: what one operator runs counts once."""
        return self.name.split("/", 1)[0].lower()

    @property
    def host(self) -> str:
        """The operator's host, without a port and without the dot that a full name may end in."""
        return self.operator.split(":", 1)[0].removesuffix(".")


@dataclass(frozen=True)
class Note:
    """A text and its signature lines: name, and key id with signature."""

    text: str
    signatures: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True)
class TreeHead:
    """The content of a checkpoint."""

    origin: str
    size: int
    root: bytes


@dataclass(frozen=True)
class LogProof:
    """That an entry is in a log."""

    index: int
    path: tuple[bytes, ...]
    note: Note


def unbase64(text: str) -> bytes:
    """RFC 4648 §4, in its one spelling. Raises NoteProblem."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (ValueError, binascii.Error) as error:
        raise NoteProblem("not base64") from error
    if base64.b64encode(data).decode() != text:
        raise NoteProblem("not base64 in its one spelling")
    return data


def is_name(text: str) -> bool:
    """May a key or a log be called that?"""
    return _NAME.fullmatch(text) is not None and len(text.encode("utf-8", "replace")) <= 255


def parse_key(text: str) -> VerifierKey:
    """Raises NoteProblem."""
    match = re.fullmatch(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", text)
    if not match or not is_name(match[1]):
        raise NoteProblem("not a verifier key")
    material = unbase64(match[3])
    length = _mldsa44.PUBLIC_KEY_BYTES if material[:1] == bytes([MLDSA44_KEY]) else 32
    if len(material) != 1 + length or material[0] not in (LOG_KEY, WITNESS_KEY, MLDSA44_KEY):
        raise NoteProblem("not an Ed25519 or ML-DSA-44 key")
    key_id = hashlib.sha256(match[1].encode() + b"\n" + material).digest()[:4]
    if key_id.hex() != match[2]:
        raise NoteProblem("a key id that is not the key's")
    return VerifierKey(match[1], key_id, material[0], material[1:])


def parse_note(data: bytes) -> Note:
    """Raises NoteProblem."""
    if len(data) > MAX_NOTE_BYTES:
        raise NoteProblem("too long")
    try:
        whole = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NoteProblem("not UTF-8") from error
    if re.search(r"[\x00-\x09\x0b-\x1f]", whole):
        raise NoteProblem("control characters")
    text, found, signatures = whole.rpartition("\n\n")
    if not found or not signatures.endswith("\n"):
        raise NoteProblem("not a signed note")
    lines = signatures[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise NoteProblem("too many signatures")
    return Note(text + "\n", tuple(_signature(line) for line in lines))


def _signature(line: str) -> tuple[str, bytes]:
    match = re.fullmatch("\u2014 ([^ ]+) ([^ ]+)", line)
    if not match or not is_name(match[1]):
        raise NoteProblem("not a signature line")
    data = unbase64(match[2])
    if len(data) < 5:
        raise NoteProblem("a signature that is too short")
    return match[1], data


def signers(note: Note, keys: Sequence[VerifierKey], kind: int) -> list[VerifierKey]:
    """Those of the keys that signed, each once. Raises NoteProblem if one signed falsely or twice."""
    return [key for key, _ in _signed(note, keys, kind)]


def cosigners(note: Note, keys: Sequence[VerifierKey]) -> list[tuple[VerifierKey, int]]:
    """The same of witnesses, each with the time that it states, in Unix seconds."""
    return _signed(note, keys, WITNESS_KEY)


def _signed(note: Note, keys: Sequence[VerifierKey], kind: int) -> list[tuple[VerifierKey, int]]:
    found = []
    for key in keys:
        if key.kind != kind:
            continue
        own = [data[4:] for name, data in note.signatures if name == key.name and data[:4] == key.id]
        if len(own) > 1:
            raise NoteProblem(f"{key.name} signed twice")
        for signature in own:
            message, time = note.text.encode(), 0
            if kind == WITNESS_KEY:
                if len(signature) != 72:
                    raise NoteProblem(f"the cosignature of {key.name} has another length")
                time, signature = int.from_bytes(signature[:8], "big"), signature[8:]
                if time >= 2**53:
                    raise NoteProblem(f"the cosignature of {key.name} has no time")
                message = b"cosignature/v1\ntime %d\n" % time + message
            if not is_signature(key.key, signature, message):
                raise NoteProblem(f"the signature of {key.name} does not verify")
            found.append((key, time))
    return found


def second_signature(note: Note, key: VerifierKey) -> tuple[int, bool]:
    """
    The time that the second signature of a log states, in Unix seconds, and whether it could be checked.
    Raises NoteProblem if it is missing, there twice or wrong.
    """
    own = [data[4:] for name, data in note.signatures if name == key.name and data[:4] == key.id]
    if len(own) != 1:
        raise NoteProblem(f"not signed once by the ML-DSA-44 key of {key.name}")
    if len(own[0]) != 8 + _mldsa44.SIGNATURE_BYTES:
        raise NoteProblem(f"the ML-DSA-44 signature of {key.name} has another length")
    if note.text.count("\n") != 3:
        raise NoteProblem("has extension lines, which ML-DSA-44 signatures do not cover")
    time, signature = int.from_bytes(own[0][:8], "big"), own[0][8:]
    if time >= 2**53:
        raise NoteProblem(f"the ML-DSA-44 signature of {key.name} has no time")
    head = parse_tree_head(note.text)
    message = b"subtree/v1\n\0" + _short(key.name) + _u64(time) + _short(head.origin)
    held = _mldsa44.is_signature(key.key, signature, message + _u64(0) + _u64(head.size) + head.root)
    if held is False:
        raise NoteProblem(f"the ML-DSA-44 signature of {key.name} does not verify")
    return time, held is True


def _short(text: str) -> bytes:
    data = text.encode()
    if not 1 <= len(data) <= 255:
        raise NoteProblem("a name is not 1 to 255 bytes")
    return bytes([len(data)]) + data


def _u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


def parse_tree_head(text: str) -> TreeHead:
    """A checkpoint's text. Lines after the third are extensions and mean nothing. Raises NoteProblem."""
    if not text.endswith("\n"):
        raise NoteProblem("not a checkpoint")
    lines = text[:-1].split("\n")
    if len(lines) < 3 or "" in lines or not is_name(lines[0]):
        raise NoteProblem("not a checkpoint")
    if not re.fullmatch(r"0|[1-9][0-9]{0,15}", lines[1]) or int(lines[1]) >= 2**53:
        raise NoteProblem("not the size of a tree")
    root = unbase64(lines[2])
    if len(root) != 32:
        raise NoteProblem("not a root")
    if lines[1] == "0" and root != hashlib.sha256().digest():
        raise NoteProblem("not the root of an empty tree")
    return TreeHead(lines[0], int(lines[1]), root)


def parse_promise(text: str) -> tuple[str, bytes, int]:
    """Origin, canonical hash and deadline in Unix seconds. Raises NoteProblem."""
    lines = text.split("\n")
    if len(lines) != 5 or lines[0] != "acuse/promise/v1" or lines[4] != "" or not is_name(lines[1]):
        raise NoteProblem("not a promise")
    canonical_hash = unbase64(lines[2])
    if len(canonical_hash) != 32 or not re.fullmatch(r"[1-9][0-9]{0,11}", lines[3]):
        raise NoteProblem("not a promise")
    return lines[1], canonical_hash, int(lines[3])


def open_promise(data: bytes, key: VerifierKey) -> tuple[bytes, int]:
    """Canonical hash and deadline, of one entry's promise or a group's. Raises NoteProblem."""
    if data.startswith(GROUP_HEADER):
        return _open_group_promise(data, key)
    note = parse_note(data)
    origin, canonical_hash, deadline = parse_promise(note.text)
    _assert_of_log(note, origin, key)
    return canonical_hash, deadline


def _assert_of_log(note: Note, origin: str, key: VerifierKey) -> None:
    if origin != key.name or not signers(note, [key], LOG_KEY):
        raise NoteProblem("not signed by the pinned key")


def _open_group_promise(data: bytes, key: VerifierKey) -> tuple[bytes, int]:
    head, _, rest = data.partition(b"\n\n")
    match = re.fullmatch(
        r"acuse/promise/v2\nentry ([^\n]+)\nindex (0|[1-9][0-9]{0,4})((?:\n[^\n]+){1,16})",
        head.decode("latin-1"),
    )
    if not match:
        raise NoteProblem("not a promise")
    canonical_hash, path = unbase64(match[1]), [unbase64(line) for line in match[3][1:].split("\n")]
    note = parse_note(rest)
    group = re.fullmatch(
        r"acuse/promise-group/v1\n([^\n]+)\n([1-9][0-9]{0,4})\n([^\n]+)\n([1-9][0-9]{0,11})\n", note.text
    )
    if not group or not 2 <= int(group[2]) <= MAX_PROMISE_GROUP or len(canonical_hash) != 32:
        raise NoteProblem("not a promise")
    _assert_of_log(note, group[1], key)
    leaf, root = leaf_hash(GROUP_HEADER + canonical_hash), unbase64(group[3])
    if not is_included(leaf, int(match[2]), int(group[2]), path, root):
        raise NoteProblem("not in the group that was signed")
    return canonical_hash, int(group[4])


def parse_proof(data: bytes) -> LogProof:
    """Raises NoteProblem."""
    if len(data) > MAX_PROOF_BYTES:
        raise NoteProblem("too long")
    head, found, note = data.partition(b"\n\n")
    try:
        lines = head.decode("ascii").split("\n")
    except UnicodeDecodeError as error:
        raise NoteProblem("not a proof") from error
    if not found or lines[0] != "c2sp.org/tlog-proof@v1" or len(lines) < 2 or len(lines) > 66:
        raise NoteProblem("not a proof")
    if not re.fullmatch(r"index (0|[1-9][0-9]{0,15})", lines[1]):
        raise NoteProblem("not an index")
    path = tuple(unbase64(line) for line in lines[2:])
    if any(len(each) != 32 for each in path):
        raise NoteProblem("not a path")
    return LogProof(int(lines[1][6:]), path, parse_note(note))

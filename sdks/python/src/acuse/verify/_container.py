"""The container of a bundle, which must read one way: docs/evidence-format.md, section 8."""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib
from typing import Any

from ..errors import AcuseError
from ._base import Refused, need, read_json

KIB, MIB = 1024, 1024 * 1024
MAX_FILE = 144 * MIB
MAX_CONTENT = 96 * MIB
MAX_ENTRIES = 512
_KINDS = "sent|bounced|cancelled|complained|acknowledged|refused|displayed|unanswered"
_OUTCOME = rf"delivery/[0-9]{{2}}-(?:{_KINDS})\."
RULES: tuple[tuple[re.Pattern[str], int], ...] = tuple(
    (re.compile(name), limit)
    for name, limit in (
        (r"VERIFY\.md", 256 * KIB),
        (r"report\.pdf", 16 * MIB),
        (r"manifest\.json", 64 * KIB),
        (r"openings\.json", 256 * KIB),
        (r"message\.eml", 32 * MIB),
        (r"submission\.bin", 64 * MIB),
        (r"parts/[0-9]{2,3}\.bin", 32 * MIB),
        (r"proof\.tlog-proof", 320 * KIB),
        (r"checkpoint\.txt", 64 * KIB),
        (r"history\.txt", 128 * KIB),
        (r"outcomes\.note", 64 * KIB),
        (r"log-end\.note", 64 * KIB),
        (r"(?:message-)?constancia\.tsr", 256 * KIB),
        (r"chain/(?:(?:message-)?constancia|(?:delivery|renewal)-[0-9]{2})\.pem", 256 * KIB),
        (r"revocation/[a-z0-9-]{1,64}\.(?:crl|ocsp)", 16 * MIB),
        (r"renewal/[0-9]{2}\.sums", 64 * KIB),
        (r"renewal/[0-9]{2}\.list", 96 * KIB),
        (r"renewal/[0-9]{2}\.tsr", 256 * KIB),
        (_OUTCOME + r"json", 64 * KIB),
        (_OUTCOME + r"openings\.json", 64 * KIB),
        (_OUTCOME + r"tlog-proof", 320 * KIB),
        (_OUTCOME + r"tsr", 256 * KIB),
        (_OUTCOME + r"transcript\.json", 4 * MIB),
        (_OUTCOME + r"dsn\.eml", 16 * MIB),
        (r"issued/(?:(?:message-)?constancia|(?:delivery|renewal)-[0-9]{2})\.bin", 2 * MIB),
        (r"policy\.json", 512 * KIB),
        (r"SHA256SUMS", 256 * KIB),
    )
)
REQUIRED = (
    "VERIFY.md",
    "manifest.json",
    "openings.json",
    "proof.tlog-proof",
    "checkpoint.txt",
    "constancia.tsr",
    "chain/constancia.pem",
    "policy.json",
    "SHA256SUMS",
)
Files = dict[str, bytes]


class NotABundleError(AcuseError):
    """The file is something else: it is no evidence, valid or not."""


def rank(name: str) -> int:
    """The row of the table; -1 for a name that no bundle has."""
    return next((row for row, (form, _) in enumerate(RULES) if form.fullmatch(name)), -1)


def limit_of(name: str) -> int:
    """Bytes that the entry may have. Raises Refused."""
    row = rank(name)
    need(row >= 0, "bundle", "an entry that no bundle has")
    return RULES[row][1]


def looks_like_bundle(data: bytes) -> bool:
    """Is it JSON or a ZIP, and has the name that every bundle has?"""
    return b"proof.tlog-proof" in data and (data[:1] == b"{" or b"PK\x03\x04" in data)


def read_container(data: bytes) -> Files:
    """The entries by name. Raises Refused, NotABundleError."""
    if not looks_like_bundle(data):
        raise NotABundleError("The file is not a proof bundle: it has no entry proof.tlog-proof.")
    need(len(data) <= MAX_FILE, "bundle", f"more than {MAX_FILE} bytes")
    found = _read_json(data) if data[:1] == b"{" else _read_zip(data)
    names = [name.lower() for name, _ in found]
    need(len(set(names)) == len(names), "bundle", "a name twice")
    need(sum(len(content) for _, content in found) <= MAX_CONTENT, "bundle", "too many bytes")
    files = dict(found)
    for name in REQUIRED:
        need(name in files, "bundle", f"{name} is missing")
    return files


def _read_json(data: bytes) -> list[tuple[str, bytes]]:
    form = read_json(data, "bundle")
    need(isinstance(form, dict) and set(form) == {"type", "entries"}, "bundle", "another form")
    need(form["type"] == "acuse/bundle/v1" and isinstance(form["entries"], list), "bundle", "another form")
    need(len(form["entries"]) <= MAX_ENTRIES, "bundle", "too many entries")
    return [_json_entry(each) for each in form["entries"]]


def _json_entry(each: Any) -> tuple[str, bytes]:
    is_text = isinstance(each, dict) and set(each) == {"name", "text"}
    is_base64 = isinstance(each, dict) and set(each) == {"name", "base64"}
    need(is_text or is_base64, "bundle", "an entry of another form")
    need(all(isinstance(value, str) for value in each.values()), "bundle", "an entry of another form")
    try:
        if is_text:
            content = each["text"].encode()
        else:
            content = base64.b64decode(each["base64"].encode("ascii"), validate=True)
            need(base64.b64encode(content).decode() == each["base64"], "bundle", "base64 with stray bits")
    except (ValueError, binascii.Error) as error:
        raise Refused("bundle", "text or base64 that cannot be read") from error
    need(len(content) <= limit_of(each["name"]), "bundle", "an entry that is too large")
    return each["name"], content


def _read_zip(data: bytes) -> list[tuple[str, bytes]]:
    """Each byte belongs to one entry, the directory or the end; both headers of an entry say the same."""
    end = data[-22:]
    whole = len(end) == 22 and end[:4] == b"PK\5\6" and end[-2:] == b"\0\0"
    need(whole, "bundle", "not a ZIP, or something behind it")
    disk, first, here, count, size, start = struct.unpack("<HHHHII", end[4:20])
    need(disk == first == 0 and here == count, "bundle", "a ZIP of several disks")
    need(count <= MAX_ENTRIES, "bundle", "too many entries")
    need(start + size == len(data) - 22, "bundle", "the directory is elsewhere")
    listed = _directory(data, start, count)
    need(sum(each[3] for each in listed) <= MAX_CONTENT, "bundle", "too many bytes")
    free, found = 0, []
    for offset, name, packed, full, header in sorted(listed):
        need(offset == free, "bundle", "bytes that belong to no entry, or to two")
        local = data[offset : offset + 30]
        need(local[:4] == b"PK\3\4" and local[4:28] == header, "bundle", "two headers of an entry differ")
        need(local[28:] == b"\0\0", "bundle", "extra fields")
        begins = offset + 30 + len(name)
        need(data[offset + 30 : begins] == name.encode(), "bundle", "two names for one entry")
        free = begins + packed
        need(free <= start, "bundle", "an entry goes on into the directory")
        found.append((name, _content(data[begins:free], header, full)))
    need(free == start, "bundle", "bytes that belong to no entry")
    return found


def _directory(data: bytes, start: int, count: int) -> list[tuple[int, str, int, int, bytes]]:
    """The offset, name, packed and full size of each entry, and what its own header must say."""
    listed, at = [], start
    for _ in range(count):
        head = data[at : at + 46]
        need(len(head) == 46 and head[:4] == b"PK\1\2", "bundle", "the directory is damaged")
        flags, method = struct.unpack("<HH", head[8:12])
        packed, full, length, extra, comment, disk = struct.unpack("<IIHHHH", head[20:36])
        attributes, offset = struct.unpack("<II", head[38:46])
        need(extra == comment == disk == 0, "bundle", "extra fields, a comment or a disk of its own")
        need(flags & ~0x0806 == 0 and method in (0, 8), "bundle", "encrypted, or packed in another way")
        kind = attributes >> 16
        need(kind & 0o170000 in (0, 0o100000) and kind & 0o7000 == 0, "bundle", "not a plain file")
        need(attributes & 0x18 == 0, "bundle", "a folder")
        try:
            name = data[at + 46 : at + 46 + length].decode("ascii")
        except UnicodeDecodeError as error:
            raise Refused("bundle", "an entry that no bundle has") from error
        need(full <= limit_of(name), "bundle", f"{name} is too large")
        listed.append((offset, name, packed, full, head[6:30]))
        at += 46 + length
    need(at == len(data) - 22, "bundle", "the directory is damaged")
    return listed


def _content(packed: bytes, header: bytes, full: int) -> bytes:
    method, crc = struct.unpack("<H", header[4:6])[0], struct.unpack("<I", header[10:14])[0]
    content = packed
    if method == 8:
        stream = zlib.decompressobj(-15)
        try:
            content = stream.decompress(packed, full + 1)
        except zlib.error as error:
            raise Refused("bundle", "compressed content that cannot be read") from error
        need(stream.eof and not stream.unused_data, "bundle", "compressed content that ends elsewhere")
    need(len(content) == full and zlib.crc32(content) == crc, "bundle", "an entry is damaged")
    return content

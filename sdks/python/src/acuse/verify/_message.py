"""The layers of a message: docs/evidence-format.md, section 2."""

from __future__ import annotations

import base64
import re
from typing import Any

from ._base import NotChecked, Refused, need, sha256

MAX_FIELDS, MAX_ENTITIES, MAX_NESTING, MAX_FIELD_CHARS = 2000, 128, 20, 8192
HEADER_FIELDS = [
    "from",
    "to",
    "cc",
    "subject",
    "date",
    "message-id",
    "reply-to",
    "in-reply-to",
    "references",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "service-evidence",
]
_AS_UTF8 = frozenset(("", "utf-8", "utf8", "us-ascii", "ascii"))
_UTF8 = frozenset(("utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"))
_WINDOWS_1252 = frozenset(
    [
        "ansi_x3.4-1968",
        "ascii",
        "cp1252",
        "cp819",
        "csisolatin1",
        "ibm819",
        "iso-8859-1",
        "iso-ir-100",
        "iso8859-1",
        "iso88591",
        "iso_8859-1",
        "iso_8859-1:1987",
        "l1",
        "latin1",
        "us-ascii",
        "windows-1252",
        "x-cp1252",
    ]
)
_BASE64 = bytes(each for each in range(256) if (not chr(each).isalnum() and each not in b"+/") or each > 127)
Field = tuple[str, bytes]
"""Name in lower case, and the whole field without its last CRLF."""
Facts = dict[str, Any]


def split(message: bytes, check: str = "message") -> tuple[list[Field], bytes]:
    """Header fields and body. A line that begins with space or tab continues the one before it."""
    found: list[Field] = []
    start = 0
    while start < len(message):
        end = _line_end(message, start)
        if end == start:
            return found, message[start + 2 :]
        while message[end + 2 : end + 3] in (b" ", b"\t"):
            end = _line_end(message, end + 2)
        need(len(found) < MAX_FIELDS, check, f"more than {MAX_FIELDS} header fields")
        raw = message[start:end]
        colon = raw.find(b":")
        name = raw[:colon].rstrip(b" \t") if colon >= 0 else b""
        found.append((name.decode("latin-1").lower(), raw))
        start = end + 2
    return found, b""


def _line_end(message: bytes, start: int) -> int:
    end = message.find(b"\r\n", start)
    return len(message) if end < 0 else end


def _squeeze(data: bytes) -> bytes:
    """Runs of space and tab as one space."""
    return b" ".join(part for part in re.split(rb"[ \t]+", data))


def relaxed_header(message: bytes) -> bytes:
    """RFC 6376 §3.4.2, of the fields that are covered."""
    fields, _ = split(message)
    lines = []
    for wanted in HEADER_FIELDS:
        for name, raw in fields:
            if name == wanted:
                lines.append(relaxed_field((name, raw)))
    return b"".join(lines)


def relaxed_field(field: Field) -> bytes:
    """Its name and value but for white space. RFC 6376 §3.4.2"""
    name, raw = field
    value = raw.partition(b":")[2].replace(b"\r\n", b"")
    return name.encode("latin-1") + b":" + _squeeze(value).strip(b" ") + b"\r\n"


def relaxed_body(message: bytes) -> bytes:
    """RFC 6376 §3.4.4"""
    _, body = split(message)
    lines = [_squeeze(line) for line in body.split(b"\r\n")]
    lines = [line[:-1] if line.endswith(b" ") else line for line in lines]
    while lines and lines[-1] == b"":
        lines.pop()
    return b"\r\n".join(lines) + b"\r\n" if lines else b""


def parts_of(message: bytes) -> list[Facts]:
    """The facts of each leaf part, in document order. Raises Refused, NotChecked for a charset of others."""
    found: list[Facts] = []
    _collect(message, 0, found, [0])
    return found


def _collect(entity: bytes, depth: int, found: list[Facts], count: list[int]) -> None:
    count[0] += 1
    check = "message_parts"
    need(count[0] <= MAX_ENTITIES, check, f"more than {MAX_ENTITIES} parts")
    fields, body = split(entity, check)
    kind, parameters = _content_type(fields)
    boundary = parameters.get("boundary") if kind.startswith("multipart/") else None
    if not boundary:
        found.append(_leaf(fields, kind, parameters, body))
        return
    need(depth < MAX_NESTING, check, f"nested deeper than {MAX_NESTING}")
    for child in _children(body, boundary.encode("utf-8", "surrogatepass")):
        _collect(child, depth + 1, found, count)


def _children(body: bytes, boundary: bytes) -> list[bytes]:
    """RFC 2046 §5.1.1"""
    parts: list[bytes] = []
    begins = -1
    at = 0
    while at <= len(body):
        end = body.find(b"\n", at)
        line = body[at : len(body) if end < 0 else end + 1]
        if line.startswith(b"--" + boundary):
            rest = line[2 + len(boundary) :]
            last = rest.startswith(b"--")
            tail = (rest[2:] if last else rest).lstrip(b" \t")
            if tail == b"" or tail[:1] in (b"\r", b"\n"):
                if begins >= 0:
                    parts.append(body[begins : max(begins, at - 2)])
                need(len(parts) <= MAX_ENTITIES, "message_parts", f"more than {MAX_ENTITIES} parts")
                if rest.startswith(b"--"):
                    return parts
                begins = len(body) if end < 0 else end + 1
        if end < 0:
            break
        at = end + 1
    if begins >= 0:
        parts.append(body[begins:])
    return parts


def _field(fields: list[Field], name: str) -> str | None:
    for each, raw in fields:
        if each == name:
            value = raw.partition(b":")[2][:MAX_FIELD_CHARS]
            try:
                decoded = value.decode("utf-8")
            except UnicodeDecodeError:
                decoded = value.decode("latin-1")
            return decoded.replace("\r\n", "").strip()
    return None


def _content_type(fields: list[Field]) -> tuple[str, dict[str, str]]:
    given = _field(fields, "content-type")
    kind, parameters = parse_parameters("text/plain" if given is None else given)
    if re.fullmatch(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+", kind):
        return kind, parameters
    return "text/plain", {}


def _leaf(fields: list[Field], kind: str, parameters: dict[str, str], body: bytes) -> Facts:
    _, disposition = parse_parameters(_field(fields, "content-disposition") or "")
    name = disposition.get("filename", parameters.get("name"))
    encoding = (_field(fields, "content-transfer-encoding") or "").lower()
    if encoding == "base64":
        content = decode_base64(body)
    elif encoding == "quoted-printable":
        content = decode_quoted_printable(body)
    else:
        content = body
    if kind.startswith("text/") and name is None:
        charset = parameters.get("charset", "")
        if charset.lower() not in _AS_UTF8:
            content = decode_charset(content, charset).encode()
        content = _trimmed(content)
    return {"filename": name, "media_type": kind, "sha256": sha256(content).hex(), "size": len(content)}


def _trimmed(text: bytes) -> bytes:
    lines = re.split(rb"\r\n|\r|\n", text)
    return b"\n".join(line.rstrip(b" \t") for line in lines).rstrip(b" \t\n")


def parse_parameters(text: str) -> tuple[str, dict[str, str]]:
    """A value and its parameters, decoded. RFC 2045 §5.1, RFC 2231 §3"""
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"?|\([^()]*\)|[;=]|[^\s;="()]+', text)
    words = [each for each in tokens if not each.startswith("(")]
    end = words.index(";") if ";" in words else len(words)
    raw: dict[str, str] = {}
    for at in range(len(words) - 2):
        if words[at] == ";" and words[at + 2] == "=":
            stop = words.index(";", at + 3) if ";" in words[at + 3 :] else len(words)
            raw.setdefault(words[at + 1].lower(), "".join(_unquote(each) for each in words[at + 3 : stop]))
    return "".join(words[:end]).lower(), _decoded(raw)


def _unquote(word: str) -> str:
    if not word.startswith('"'):
        return word
    inner = word[1:-1] if len(word) > 1 and word.endswith('"') else word[1:]
    return re.sub(r"\\(.)", r"\1", inner)


def _decoded(raw: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in dict.fromkeys(each.split("*", 1)[0] for each in raw):
        if f"{name}*" in raw:
            charset, text = _extended(raw[f"{name}*"])
            found[name] = decode_charset(_percent(text), charset)
        elif f"{name}*0" in raw or f"{name}*0*" in raw:
            found[name] = _joined(name, raw)
        elif name in raw:
            found[name] = decode_words(raw[name])
    return found


def _joined(name: str, raw: dict[str, str]) -> str:
    charset, data = "", b""
    for number in range(len(raw) + 1):
        extended, plain = raw.get(f"{name}*{number}*"), raw.get(f"{name}*{number}")
        if extended is not None:
            text = extended
            if number == 0:
                charset, text = _extended(extended)
            data += _percent(text)
        elif plain is not None:
            data += plain.encode()
        else:
            break
    return decode_charset(data, charset or "utf-8")


def _extended(value: str) -> tuple[str, str]:
    parts = value.split("'", 2)
    return (parts[0], parts[2]) if len(parts) == 3 else ("utf-8", value)


def _percent(text: str) -> bytes:
    return re.sub(
        rb"%([0-9A-Fa-f]{2})", lambda match: bytes.fromhex(match[1].decode()), text.encode("utf-8", "replace")
    )


def decode_words(text: str) -> str:
    """RFC 2047 §2"""
    if "=?" not in text:
        return text
    joined = re.sub(r"(\?=)\s+(?==\?)", r"\1", text)
    form = r"=\?([^?*\s]+)(?:\*[^?\s]*)?\?([BbQq])\?([^?\s]*)\?="

    def word(match: re.Match[str]) -> str:
        data = match[3].encode()
        if match[2] in "Bb":
            return decode_charset(decode_base64(data), match[1])
        return decode_charset(decode_quoted_printable(data.replace(b"_", b" ")), match[1])

    return re.sub(form, word, joined)


def decode_charset(data: bytes, charset: str) -> str:
    """Raises NotChecked for charsets that Python and the format may read differently."""
    label = charset.strip(" \t\r\n\f").lower()
    if label in _UTF8 or label == "":
        return data.decode("utf-8", "replace")
    if label in _WINDOWS_1252:
        return "".join(_WINDOWS_1252_CHARS[each] for each in data)
    raise NotChecked(f"a text in the charset {charset[:40]!r}")


def _windows_1252(byte: int) -> str:
    try:
        return bytes((byte,)).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


_WINDOWS_1252_CHARS = tuple(_windows_1252(byte) for byte in range(256))


def decode_base64(data: bytes) -> bytes:
    """As mail programs do: what is not of the alphabet is skipped, and padding ends it. RFC 2045 §6.8"""
    letters = data.partition(b"=")[0].translate(None, _BASE64)
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    try:
        return base64.b64decode(letters + b"=" * (-len(letters) % 4))
    except ValueError as error:
        raise Refused("message_parts", "base64 that cannot be read") from error


def decode_quoted_printable(data: bytes) -> bytes:
    """RFC 2045 §6.7"""
    pieces = re.split(rb"(\r\n|\r|\n)", data)
    out = []
    for at in range(0, len(pieces), 2):
        line = pieces[at].rstrip(b" \t")
        end = pieces[at + 1] if at + 1 < len(pieces) else b""
        if line.endswith(b"=") and end != b"\r":
            line, end = line[:-1], b""
        out.append(re.sub(rb"=([0-9A-Fa-f]{2})", lambda match: bytes.fromhex(match[1].decode()), line) + end)
    return b"".join(out)

"""The container of a bundle, docs/evidence-format.md §8: what could be read two ways is refused."""
import base64
import json
import re
import struct
import zlib

from check_der import Refused, need

OUTCOME = r'delivery/\d\d-(sent|bounced|cancelled|complained|acknowledged|refused|displayed|unanswered)\.'
KIB = 1024
MIB = 1024 * KIB
# In the order of SHA256SUMS, each with how many bytes it has at most.
KINDS = [
    (re.compile(kind + r'\Z', re.ASCII), most)
    for kind, most in (
        (r'VERIFY\.md', 256 * KIB), (r'report\.pdf', 16 * MIB), (r'manifest\.json', 64 * KIB),
        (r'openings\.json', 256 * KIB), (r'message\.eml', 32 * MIB), (r'submission\.bin', 64 * MIB),
        (r'parts/\d{2,3}\.bin', 32 * MIB), (r'proof\.tlog-proof', 320 * KIB), (r'checkpoint\.txt', 64 * KIB),
        (r'history\.txt', 128 * KIB), (r'outcomes\.note', 64 * KIB), (r'log-end\.note', 64 * KIB),
        (r'(message-)?constancia\.tsr', 256 * KIB),
        (r'chain/((message-)?constancia|(delivery|renewal)-\d\d)\.pem', 256 * KIB),
        (r'revocation/[a-z0-9-]{1,64}\.(crl|ocsp)', 16 * MIB),
        (r'renewal/\d\d\.sums', 64 * KIB), (r'renewal/\d\d\.list', 96 * KIB),
        (r'renewal/\d\d\.tsr', 256 * KIB),
        (OUTCOME + r'json', 64 * KIB), (OUTCOME + r'openings\.json', 64 * KIB),
        (OUTCOME + r'tlog-proof', 320 * KIB), (OUTCOME + r'tsr', 256 * KIB),
        (OUTCOME + r'transcript\.json', 4 * MIB), (OUTCOME + r'dsn\.eml', 16 * MIB),
        (r'issued/((message-)?constancia|(delivery|renewal)-\d\d)\.bin', 2 * MIB),
        (r'policy\.json', 512 * KIB), (r'SHA256SUMS', 256 * KIB),
    )
]
REQUIRED = {
    'VERIFY.md', 'manifest.json', 'openings.json', 'proof.tlog-proof', 'checkpoint.txt', 'constancia.tsr',
    'chain/constancia.pem', 'policy.json', 'SHA256SUMS',
}
MAX_ENTRIES = 512
MAX_BYTES = 96 * MIB


def rank(name):
    """Its place among the kinds; beyond them for a name that no bundle has."""
    return next((at for at, (kind, _) in enumerate(KINDS) if kind.match(name)), len(KINDS))


def unbase64(text, check):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise Refused(f'{check}: no base64') from None
    need(base64.b64encode(data).decode() == text, check, 'another spelling of base64')
    return data


def read(path):
    """The entries of a bundle by name."""
    with open(path, 'rb') as file:
        data = file.read()
    entries = read_json(data) if data[:1] == b'{' else read_zip(data)
    names = [name for name, _ in entries]
    need(len({name.lower() for name in names}) == len(names), 'bundle', 'a name twice')
    need(all(rank(name) < len(KINDS) for name in names), 'bundle', 'an unknown name')
    fits = all(len(content) <= KINDS[rank(name)][1] for name, content in entries)
    need(fits and len(names) <= MAX_ENTRIES, 'bundle', 'an entry that is too large, or too many entries')
    files = dict(entries)
    need(REQUIRED <= set(files), 'bundle', 'an entry is missing')
    return files


def read_json(data):
    def without_repeats(pairs):
        need(len(dict(pairs)) == len(pairs), 'bundle', 'a key twice in one object')
        return dict(pairs)

    form = json.loads(data, object_pairs_hook=without_repeats)
    need(set(form) == {'type', 'entries'} and form['type'] == 'acuse/bundle/v1', 'bundle', 'another form')
    entries = []
    for each in form['entries']:
        need(set(each) in ({'name', 'text'}, {'name', 'base64'}), 'bundle', 'another form')
        content = each['text'].encode() if 'text' in each else unbase64(each['base64'], 'bundle')
        entries.append((each['name'], content))
    return entries


def read_zip(data):
    """Each byte belongs to one entry, the directory or the end; an entry's two headers say the same."""
    ends = data[-22:-18] == b'PK\5\6' and data[-2:] == b'\0\0'
    need(ends, 'bundle', 'not a ZIP, or a comment or bytes behind it')
    disks, here, count, size, start = struct.unpack('<IHHII', data[-18:-2])
    need(disks == 0 and here == count, 'bundle', 'a ZIP of several disks')
    need(start + size == len(data) - 22, 'bundle', 'the directory of the ZIP is elsewhere')
    listed, at, total = [], start, 0
    for _ in range(count):
        head = data[at:at + 46]
        need(head[:4] == b'PK\1\2', 'bundle', 'the directory of the ZIP is damaged')
        made_by, _, flags, method, _, crc, packed, full = struct.unpack('<HHHHIIII', head[4:28])
        length, extra, comment, disk, _, attributes, offset = struct.unpack('<HHHHHII', head[28:])
        name = data[at + 46:at + 46 + length].decode('latin-1')
        kind = attributes >> 16
        need(extra == comment == disk == 0, 'bundle', 'extra fields, a comment or a disk of its own')
        need(flags & ~0x0806 == 0 and method in (0, 8), 'bundle', 'encrypted, or packed in another way')
        need(kind & 0o170000 in (0, 0o100000) and kind & 0o7000 == 0, 'bundle', 'a link, or no plain file')
        need(attributes & 0x18 == 0 and name[-1:] != '/', 'bundle', 'a folder')
        listed.append((offset, name, method, crc, packed, full, head[6:30]))
        at += 46 + length
        total += full
    need(at == len(data) - 22, 'bundle', 'the directory of the ZIP is damaged')
    need(total <= MAX_BYTES, 'bundle', 'too many bytes')
    free, entries = 0, {}
    for offset, name, method, crc, packed, full, header in sorted(listed):
        need(offset == free, 'bundle', 'bytes of the ZIP that belong to no entry, or to two')
        need(data[offset:offset + 4] == b'PK\3\4', 'bundle', 'an entry is not where the directory says')
        need(data[offset + 4:offset + 28] == header, 'bundle', 'two headers of an entry differ')
        content_at = offset + 30 + len(name)
        need(data[offset + 28:offset + 30] == b'\0\0', 'bundle', 'extra fields')
        need(data[offset + 30:content_at] == name.encode('latin-1'), 'bundle', 'two names for one entry')
        free = content_at + packed
        content = data[content_at:free]
        if method == 8:
            stream = zlib.decompressobj(-15)
            content = stream.decompress(content, full + 1)
            whole = stream.eof and not stream.unused_data
            need(whole, 'bundle', 'compressed content that does not end at its end')
        need(len(content) == full and zlib.crc32(content) == crc, 'bundle', 'an entry is damaged')
        need(name not in entries, 'bundle', 'a name twice')
        entries[name] = content
    need(free == start, 'bundle', 'bytes of the ZIP that belong to no entry')
    return list(entries.items())

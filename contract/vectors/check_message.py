"""The layers of a message, docs/evidence-format.md §2: header and body in DKIM's relaxed form, parts."""
import base64
import email.header
import email.message
import email.utils
import hashlib
import quopri
import re

L1_FIELDS = (
    'from to cc subject date message-id reply-to in-reply-to references mime-version content-type '
    'content-transfer-encoding service-evidence'
).split()


def fields_of(message):
    """The header fields as (name in lower case, the whole field), and the body."""
    head, _, body = (b'\r\n' + message).partition(b'\r\n\r\n')
    fields = []
    for raw in re.split(rb'\r\n(?![ \t])', head)[1:]:
        if b':' in raw:
            name = raw.split(b':')[0].strip(b' \t').lower().decode('latin-1')
            fields.append((name, raw))
    return fields, body


def relaxed_header(message):
    lines = []
    for wanted in L1_FIELDS:
        for name, raw in fields_of(message)[0]:
            if name == wanted:
                unfolded = raw.split(b':', 1)[1].replace(b'\r\n', b'')
                value = re.sub(rb'[ \t]+', b' ', unfolded).strip(b' ')
                lines.append(name.encode() + b':' + value + b'\r\n')
    return b''.join(lines)


def relaxed_body(message):
    body = re.sub(rb'[ \t]+', b' ', fields_of(message)[1]) + b'\r\n'
    body = re.sub(rb' (?=\r\n)', b'', body)
    body = re.sub(rb'(\r\n)+\Z', b'', body)
    return body + b'\r\n' if body else b''


def leaves(entity):
    """The facts of each leaf part, in document order."""
    fields, body = fields_of(entity)
    head = email.message.Message()
    for name, raw in fields:
        if name.startswith('content-') and name not in head:
            value = raw.split(b':', 1)[1].replace(b'\r\n', b'').strip()
            head[name] = value.decode('utf-8', 'surrogateescape')
    boundary = head.get_param('boundary')
    if head.get_content_maintype() == 'multipart' and boundary:
        yield from parts_of(body, boundary)
        return
    name = file_name(head)
    content = decoded(head, body)
    if head.get_content_maintype() == 'text' and name is None:
        content = plain_text(head, content)
    yield {
        'filename': name,
        'media_type': head.get_content_type(),
        'sha256': hashlib.sha256(content).hexdigest(),
        'size': len(content),
    }


def parts_of(body, boundary):
    delimiter = rb'(?:\A|\r\n)--' + re.escape(boundary.encode()) + rb'(--)?[ \t]*(?=\r\n|\Z)'
    marks = list(re.finditer(delimiter, body))
    for mark, following in zip(marks, marks[1:] + [None]):
        if mark[1]:
            return
        end = following.start() if following else len(body)
        yield from leaves(body[mark.end() + 2:end])


def file_name(head):
    name = head.get_param('filename', None, 'content-disposition') or head.get_param('name')
    if isinstance(name, tuple):
        return email.utils.collapse_rfc2231_value(name)
    if name is None:
        return None
    return str(email.header.make_header(email.header.decode_header(name)))


def decoded(head, body):
    encoding = (head['content-transfer-encoding'] or '').lower()
    if encoding == 'base64':
        return base64.b64decode(body)
    if encoding == 'quoted-printable':
        return quopri.decodestring(body)
    return body


def plain_text(head, content):
    charset = (head.get_param('charset') or 'utf-8').lower()
    if charset not in ('utf-8', 'us-ascii'):
        content = content.decode(charset, 'replace').encode()
    content = re.sub(rb'\r\n?', b'\n', content)
    return re.sub(rb'[ \t]+(?=\n)', b'', content).rstrip(b' \t\n')

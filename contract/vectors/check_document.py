"""What documents and commitments are written and opened by, docs/evidence-format.md, conventions and §1."""
import hashlib
import json
import re
from datetime import datetime

from check_der import begin, need


def sha(data):
    return hashlib.sha256(data).digest()


def canonical(value):
    """RFC 8785, for what these documents hold: text, whole numbers, booleans, null, and ASCII keys."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(',', ':')).encode()


def text_of(data, check):
    begin(check)
    return data.decode()


def document(files, name, check, fields, optional=''):
    need(name in files, check, f'{name} is missing')
    value = json.loads(files[name])
    need(canonical(value) == files[name] and isinstance(value, dict), check, f'{name} is not canonical')
    allowed = set((fields + ' ' + optional).split())
    need(set(fields.split()) <= set(value) <= allowed, check, f'{name} has other fields')
    return value


def opens(opening, expected, check):
    """Section 1: the salt and the content's hash make the commitment."""
    salted = opening['salt'] + opening['sha256']
    need(re.fullmatch('[0-9a-f]{128}', salted), check, 'an opening that is not hex')
    need(sha(bytes.fromhex(salted)).hex() == expected, check, 'an opening opens nothing')


def moment(text):
    """A time of these documents: RFC 3339, UTC, milliseconds. Refused by whoever catches ValueError."""
    if not re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z', text):
        raise ValueError(f'{text!r} is no time')
    value = datetime.fromisoformat(text[:-1] + '+00:00')
    if value.isoformat(timespec='milliseconds')[:23] != text[:23]:
        raise ValueError(f'{text!r} is no time')
    return value


def is_moment(text):
    try:
        return moment(text) is not None
    except (TypeError, ValueError):
        return False

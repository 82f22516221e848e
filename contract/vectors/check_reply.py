"""The recipient's own mail, docs/evidence-format.md §5, and its DKIM signature (RFC 6376, RFC 8463)."""
import json
import re

from check_container import unbase64
from check_der import Der, begin, encoded, need, only, openssl
from check_document import sha
from check_message import fields_of, relaxed_body

SIGNED = ('from', 'to', 'subject')
RSA_OID = encoded(6, bytes.fromhex('2a864886f70d010101'))
ED25519_SPKI = bytes.fromhex('302a300506032b6570032100')
FORM = re.compile(r'(relaxed|simple)?(?:/(relaxed|simple))?')


def check_mail(files, base, message_id, check):
    """Where the recipient acknowledged by mail, and that is opened."""
    if f'{base}.openings.json' not in files:
        return
    opened = json.loads(files[f'{base}.openings.json'])
    facts, envelope = opened['facts']['value'], json.loads(files['openings.json'])['envelope']
    if 'dkim' not in facts.get('acknowledgement', {}):
        return
    begin(check)
    need(facts['reported_by_mail']['sha256'] == opened['dsn']['sha256'], check, 'not kept as it came')
    recipient = envelope.get('rcpt_to', {}).get('value')
    key = facts['acknowledgement']['dkim']
    check_reply(files[f'{base}.dsn.eml'], key, message_id, recipient, check)


def check_reply(data, key, message_id, recipient, check):
    fields, body = fields_of(data)
    values = {}
    for name in SIGNED:
        found = [raw for each, raw in fields if each == name]
        need(len(found) == 1, check, f'not one field {name}')
        values[name] = formed(found[0], 'relaxed').split(b':', 1)[1].decode('latin-1')
    place = f'ack+{message_id.replace("-", "")}-'
    is_own = one_address(values['to'], 'To', check).startswith(place)
    need(is_own, check, 'to another address than that of this message')
    sender = one_address(values['from'], 'From', check)
    need(recipient is None or lower(recipient) == sender, check, 'not from the recipient')
    need(is_aligned(key['domain'].lower(), sender.split('@')[1]), check, 'signed by another domain')
    signatures = [raw for each, raw in fields if each == 'dkim-signature'][:8]
    bodies = {'relaxed': relaxed_body(data), 'simple': re.sub(rb'(?:\r\n)*\Z', b'', body) + b'\r\n'}
    held = any(holds(raw, fields, bodies, key, check) for raw in signatures)
    need(held, check, 'no signature under this key')


def lower(text):
    """Of ASCII alone, as addresses are compared."""
    return ''.join(each.lower() if each < '\x80' else each for each in text)


def one_address(value, name, check):
    bare = re.sub('"[^"]*"', '', value)
    before, bracket, rest = bare.partition('<')
    address = rest[:-1] if bracket and rest.endswith('>') else '' if bracket else bare
    is_one = re.fullmatch(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.-]+", address)
    need(is_one and not (bracket and re.search('[@,;:()<>]', before)), check,
         f'{name} is not one address')
    return lower(address)


def is_aligned(signer, domain):
    if '.' not in signer or '.' not in domain:
        return False
    return signer == domain or signer.endswith(f'.{domain}') or domain.endswith(f'.{signer}')


def holds(signature, fields, bodies, key, check):
    start, value = signature.split(b':', 1)
    if any(byte > 0x7e for byte in value):
        return False
    tags = {}
    for part in value.decode().split(';'):
        name, equals, tag = part.partition('=')
        name = name.strip(' \t\r\n\v\f')
        if equals and name in tags:
            return False
        if equals:
            tags[name] = re.sub(r'[ \t\r\n]+', '', tag)
    form = FORM.fullmatch(tags.get('c', ''))
    is_of = (tags.get('d', '').lower(), tags.get('s'), tags.get('a'))
    if is_of != (key['domain'], key['selector'], key['algorithm']):
        return False
    names = tags.get('h', '').lower().split(':')
    if tags.get('v') != '1' or 'l' in tags or form is None or not set(SIGNED) <= set(names):
        return False
    left = list(fields)
    text = b''
    for name in names:
        at = max((at for at, (each, _) in enumerate(left) if each == name), default=None)
        if at is not None:
            text += formed(left.pop(at)[1], form[1]) + b'\r\n'
    unsigned = re.sub(rb'(^|;)([ \t\r\n]*b[ \t\r\n]*=)[^;]*', rb'\1\2', value, count=1)
    text += formed(start + b':' + unsigned, form[1])
    same = sha(bodies[form[2] or 'simple']) == unbase64(tags.get('bh', ''), check)
    return same and is_signed(text, tags, key, check)


def formed(raw, form):
    if form != 'relaxed':
        return raw
    name, value = raw.split(b':', 1)
    unfolded = re.sub(rb'[ \t]+', b' ', value.replace(b'\r\n', b''))
    return name.rstrip(b' \t').lower() + b':' + unfolded.strip(b' ')


def is_signed(text, tags, key, check):
    signature, public = unbase64(tags.get('b', ''), check), unbase64(key['public_key'], check)
    if key['algorithm'] == 'rsa-sha256':
        return is_strong(public) and b'OK' in openssl(
            'dgst', '-sha256', '-keyform', 'DER', '-verify', 'key', '-signature', 'signature', 'text',
            key=public, signature=signature, text=text)
    arguments = 'pkeyutl -verify -pubin -keyform DER -inkey key -rawin -in digest -sigfile signature'.split()
    inputs = {'key': ED25519_SPKI + public, 'digest': sha(text), 'signature': signature}
    return len(public) == 32 and b'Success' in openssl(*arguments, **inputs)


def is_strong(public):
    """An RSA key of 1024 bits at least (RFC 8301 §3.2), in a SubjectPublicKeyInfo."""
    algorithm, bits = only(public).children()
    modulus = Der(bits.content[1:]).children()[0].integer()
    return algorithm.children()[0].whole == RSA_OID and modulus.bit_length() >= 1024

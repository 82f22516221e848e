"""DER (X.690) and X.509 certificates, as far as a time-stamp needs them, and the openssl command."""
import base64
import os
import re
import subprocess
import tempfile
from datetime import datetime, timezone
from functools import lru_cache

KEY_USAGE, BASIC_CONSTRAINTS = '2.5.29.15', '2.5.29.19'
RSA = '1.2.840.113549.1.1.1'
RSA_PSS = '1.2.840.113549.1.1.10'
RSA_OVER_SHA2 = ['1.2.840.113549.1.1.11', '1.2.840.113549.1.1.12', '1.2.840.113549.1.1.13']
ECDSA_OVER_SHA2 = ['1.2.840.10045.4.3.2', '1.2.840.10045.4.3.3', '1.2.840.10045.4.3.4']
EC_KEY = '1.2.840.10045.2.1'
CURVES = ['1.2.840.10045.3.1.7', '1.3.132.0.34', '1.3.132.0.35']
HASHES = {
    '2.16.840.1.101.3.4.2.1': 'sha256',
    '2.16.840.1.101.3.4.2.2': 'sha384',
    '2.16.840.1.101.3.4.2.3': 'sha512',
}
# Only the root that is named is trusted, nothing of the machine's own; it need not have signed itself.
ONLY = ['-no-CApath', '-no-CAstore', '-partial_chain']


class Refused(Exception):
    """`check: why`, the check being one of docs/evidence-format.md §9."""


# The check that is being made, for bytes that make this program stumble.
NOW = ['bundle']


def begin(check):
    """Bytes that make this program stumble from here on are refused by this check."""
    NOW[0] = check


def need(condition, check, why='does not hold'):
    NOW[0] = check
    if not condition:
        raise Refused(f'{check}: {why}')


@lru_cache(maxsize=1024)
def openssl(*arguments, **inputs):
    """What openssl prints, b'' if it fails. `inputs`: files that it finds under these names. The same question
    of many bundles is asked once."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in inputs.items():
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(data)
        run = subprocess.run(['openssl', *arguments], cwd=folder, capture_output=True)
        return run.stdout + run.stderr if run.returncode == 0 else b''


class Der:
    """One element: `tag`, `content`, `whole`. Definite lengths in their shortest form, or ValueError."""

    def __init__(self, data, start=0):
        self.tag, length, at = data[start], data[start + 1], start + 2
        if length > 127:
            count = length - 128
            length, at = int.from_bytes(data[at:at + count], 'big'), at + count
            if not 0 < count < 5 or length < 128 or length >> 8 * (count - 1) == 0:
                raise ValueError('DER length')
        self.content, self.whole = data[at:at + length], data[start:at + length]
        if len(self.content) != length:
            raise ValueError('DER cut short')

    def children(self):
        found, at = [], 0
        while at < len(self.content):
            found.append(Der(self.content, at))
            at += len(found[-1].whole)
        return found

    def oid(self):
        if self.tag != 6:
            raise ValueError('no OID')
        numbers, value = [], 0
        for byte in self.content:
            value = value << 7 | byte & 127
            if byte < 128:
                numbers.append(value)
                value = 0
        first = min(numbers[0] // 40, 2)
        return '.'.join(map(str, [first, numbers[0] - 40 * first] + numbers[1:]))

    def integer(self):
        if self.tag != 2 or not self.content:
            raise ValueError('no INTEGER')
        return int.from_bytes(self.content, 'big', signed=True)

    def time(self):
        """In DER: a UTCTime has no fraction, and no fraction ends in a zero (X.690 §11.7, §11.8)."""
        form = rb'(\d{12})()Z' if self.tag == 23 else rb'(\d{14})(?:\.(\d*[1-9]))?Z'
        written = re.fullmatch(form, self.content)
        if written is None:
            raise ValueError('no time of DER')
        whole, fraction = written[1].decode(), (written[2] or b'0').decode()
        if self.tag == 23:
            whole = ('20' if whole[:2] < '50' else '19') + whole
        moment = datetime.strptime(whole, '%Y%m%d%H%M%S').replace(tzinfo=timezone.utc)
        return moment.replace(microsecond=int(fraction[:6].ljust(6, '0')))


def only(data):
    """The only element in these bytes."""
    element = Der(data)
    if element.whole != data:
        raise ValueError('bytes behind the DER')
    return element


def encoded(tag, *parts):
    """An element of these."""
    content = b''.join(parts)
    length = len(content).to_bytes(4, 'big').lstrip(b'\0') or b'\0'
    return bytes([tag, *([] if len(content) < 128 else [128 + len(length)])]) + length + content


class Certificate:
    def __init__(self, der):
        self.der = der
        lines = re.sub('(.{1,64})', '\\1\n', base64.b64encode(der).decode())
        self.pem = f'-----BEGIN CERTIFICATE-----\n{lines}-----END CERTIFICATE-----\n'.encode()
        body, self.algorithm, _ = only(der).children()
        fields = [field for field in body.children() if field.tag != 0xa0]
        if fields[1].whole != self.algorithm.whole:
            raise ValueError('two signature algorithms')
        self.serial, self.issuer, self.subject = fields[0].content, fields[2].whole, fields[4].whole
        self.key = fields[5].whole
        self.extensions = {}
        for field in fields:
            if field.tag == 0xa3:
                for extension in only(field.content).children():
                    name, *critical, value = extension.children()
                    if name.oid() in self.extensions:
                        raise ValueError('an extension twice')
                    self.extensions[name.oid()] = (bool(critical), only(value.content))

    def may(self, *bits):
        """Does the key usage allow one of these? 0 and 1: signatures; 5: certificates; 6: lists."""
        if KEY_USAGE not in self.extensions:
            return True
        octets = self.extensions[KEY_USAGE][1].content[1:]
        usage = ''.join(f'{byte:08b}' for byte in octets).ljust(8, '0')
        return any(usage[bit] == '1' for bit in bits)

    def authorities_below(self):
        """How many may stand below it; None: it is no authority."""
        stated = self.extensions.get(BASIC_CONSTRAINTS)
        flag, *limit = stated[1].children() if stated and stated[1].children() else [None]
        if flag is None or flag.tag != 1 or flag.content != b'\xff':
            return None
        return limit[0].integer() if limit else float('inf')


def certificates_of(pem):
    blocks = re.findall(rb'-----BEGIN CERTIFICATE-----\s(.*?)-----END CERTIFICATE-----', pem, re.S)
    return [Certificate(base64.b64decode(block)) for block in blocks]


def is_over_sha2(algorithm, bare=False):
    """A signature algorithm over SHA-2; `bare`: plain RSA too, whose digest stands elsewhere."""
    name, *parameters = algorithm.children()
    if name.oid() == RSA_PSS:
        stated = only(parameters[0].whole).children()
        return stated[0].tag == 0xa0 and only(stated[0].content).children()[0].oid() in HASHES
    return name.oid() in RSA_OVER_SHA2 + ECDSA_OVER_SHA2 or (bare and name.oid() == RSA)


def is_sound_key(key):
    """Of a SubjectPublicKeyInfo: RSA of 2048 to 8192 bits with a short exponent, or a curve of NIST."""
    algorithm, bits = only(key).children()
    name, *parameters = algorithm.children()
    if name.oid() == EC_KEY:
        return bool(parameters) and parameters[0].tag == 6 and parameters[0].oid() in CURVES
    if name.oid() not in (RSA, RSA_PSS):
        return False
    modulus, exponent = only(bits.content[1:]).children()
    return 2048 <= modulus.integer().bit_length() <= 8192 and 2 <= exponent.integer().bit_length() <= 31


def openssl_time(text):
    return datetime.strptime(text.decode(), '%b %d %H:%M:%S %Y').replace(tzinfo=timezone.utc)

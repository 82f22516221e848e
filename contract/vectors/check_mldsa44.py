"""The second signature of a log, docs/evidence-format.md §6: ML-DSA-44, by cryptography (48 or later)."""
from check_container import unbase64
from check_der import need

try:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey
except ImportError:
    MLDSA44PublicKey = None

SIGNATURE_SIZE = 8 + 2420


def counted(value):
    return len(value).to_bytes(1, 'big') + value


def number(value):
    return value.to_bytes(8, 'big')


def check_second(key, text, lines, check):
    """The time that the signature states, in Unix seconds, and whether it was checked."""
    name, key_id, public = key
    found = [unbase64(what, check) for _, who, what in (line.split(' ') for line in lines) if who == name]
    found = [signature[4:] for signature in found if signature[:4].hex() == key_id]
    need(len(found) == 1, check, 'not signed once by the ML-DSA-44 key')
    need(len(found[0]) == SIGNATURE_SIZE, check, 'another length of the ML-DSA-44 signature')
    need(text.count(b'\n') == 3, check, 'lines that ML-DSA-44 signatures do not cover')
    seconds, signature = int.from_bytes(found[0][:8], 'big'), found[0][8:]
    need(seconds < 1 << 53, check, 'another time')
    origin, size, root = text.decode().split('\n')[:3]
    message = b'subtree/v1\n\0' + counted(name.encode()) + number(seconds) + counted(origin.encode())
    message += number(0) + number(int(size)) + unbase64(root, check)
    if MLDSA44PublicKey is None:
        return seconds, False
    try:
        MLDSA44PublicKey.from_public_bytes(public).verify(signature, message)
    except UnsupportedAlgorithm:
        return seconds, False
    except (InvalidSignature, ValueError):
        need(False, check, 'the ML-DSA-44 signature')
    return seconds, True

"""ML-DSA-44 signatures (FIPS 204), by ``cryptography`` from version 48 on."""

from __future__ import annotations

SIGNATURE_BYTES, PUBLIC_KEY_BYTES = 2420, 1312


def is_signature(key: bytes, signature: bytes, message: bytes) -> bool | None:
    """Did the key sign the message, with an empty context? None: that cannot be checked here."""
    try:
        from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey
    except ImportError:
        return None
    try:
        MLDSA44PublicKey.from_public_bytes(key).verify(signature, message)
    except UnsupportedAlgorithm:
        return None
    except (InvalidSignature, ValueError):
        return False
    return True

"""Ed25519 signatures, strictly: no small-order keys, one encoding. RFC 8032 §5.1.7"""

from __future__ import annotations

from .errors import ConfigurationError

_P = 2**255 - 19
_SMALL_ORDER = frozenset(
    (
        0,
        1,
        _P - 1,
        int.from_bytes(
            bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
        ),
        int.from_bytes(
            bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"
        ),
    )
)
"""The y-coordinates of the points whose order divides 8. Under such a key one signature fits many texts."""


def is_sound_key(key: bytes) -> bool:
    """May this be a public key: 32 bytes, y below p, no small order?"""
    if len(key) != 32:
        return False
    y = int.from_bytes(key, "little") & (2**255 - 1)
    return y < _P and y not in _SMALL_ORDER


def is_signature(key: bytes, signature: bytes, message: bytes) -> bool:
    """Did the key sign the message? Raises ConfigurationError without the package cryptography."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ConfigurationError(
            'Signatures are checked with the package cryptography: pip install "cryptography>=48".'
        ) from error
    if not is_sound_key(key) or len(signature) != 64:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True

"""Signatures of certificates and time-stamps: RSA, RSA-PSS and ECDSA over SHA-2."""

from __future__ import annotations

from ._der import SEQUENCE, Algorithm, Der, DerError, algorithm_of, unwrap

HASHES = {
    "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384",
    "2.16.840.1.101.3.4.2.3": "sha512",
}
_RSA = "1.2.840.113549.1.1.1"
_PSS = "1.2.840.113549.1.1.10"
_MGF1 = "1.2.840.113549.1.1.8"
_NAMED = {
    "1.2.840.113549.1.1.11": ("rsa", "sha256"),
    "1.2.840.113549.1.1.12": ("rsa", "sha384"),
    "1.2.840.113549.1.1.13": ("rsa", "sha512"),
    "1.2.840.10045.4.3.2": ("ecdsa", "sha256"),
    "1.2.840.10045.4.3.3": ("ecdsa", "sha384"),
    "1.2.840.10045.4.3.4": ("ecdsa", "sha512"),
}
MIN_RSA_BITS, MAX_RSA_BITS = 2048, 8192
_MAX_EXPONENT_BITS = 31
_CURVES = ("secp256r1", "secp384r1", "secp521r1")


def _pss(parameters: Der | None) -> tuple[str, int]:
    """The hash and the length of the salt. RFC 4055 §3.1"""
    if parameters is None:
        raise DerError("RSA-PSS with SHA-1")
    stated = {each.tag: unwrap(each) for each in parameters.of(SEQUENCE).children()}
    if not {0xA0, 0xA1} <= set(stated) <= {0xA0, 0xA1, 0xA2}:
        raise DerError("RSA-PSS with SHA-1, or another form")
    name = HASHES.get(algorithm_of(stated[0xA0]).oid)
    mask = algorithm_of(stated[0xA1])
    same = mask.parameters is not None and HASHES.get(algorithm_of(mask.parameters).oid) == name
    if name is None or mask.oid != _MGF1 or not same:
        raise DerError("RSA-PSS without one SHA-2 hash throughout")
    return name, stated[0xA2].integer() if 0xA2 in stated else 20


def is_signed(key: bytes, algorithm: Algorithm, digest: str | None, data: bytes, signature: bytes) -> bool:
    """Did the key sign the data? ``digest``: that of CMS, which is the signature's too. Raises DerError."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    kinds: dict[str, hashes.HashAlgorithm] = {
        "sha256": hashes.SHA256(),
        "sha384": hashes.SHA384(),
        "sha512": hashes.SHA512(),
    }
    salt = 0
    if algorithm.oid == _PSS:
        kind = "pss"
        name, salt = _pss(algorithm.parameters)
    elif algorithm.oid == _RSA and digest is not None:
        kind, name = "rsa", digest
    elif algorithm.oid in _NAMED:
        kind, name = _NAMED[algorithm.oid]
    else:
        return False
    if digest not in (None, name):
        return False
    try:
        public = load_der_public_key(key)
        if isinstance(public, ec.EllipticCurvePublicKey):
            if kind != "ecdsa" or public.curve.name not in _CURVES:
                return False
            public.verify(signature, data, ec.ECDSA(kinds[name]))
        elif isinstance(public, rsa.RSAPublicKey):
            bits = public.key_size
            exponent = public.public_numbers().e
            if kind == "ecdsa" or not MIN_RSA_BITS <= bits <= MAX_RSA_BITS or exponent >> _MAX_EXPONENT_BITS:
                return False
            scheme = padding.PSS(padding.MGF1(kinds[name]), salt) if kind == "pss" else padding.PKCS1v15()
            public.verify(signature, data, scheme, kinds[name])
        else:
            return False
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        return False
    return True

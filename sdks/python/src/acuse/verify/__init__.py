"""
Verification of proof bundles, offline: with the bytes of a bundle and whom to trust.

    from acuse.verify import Policy, verify_bundle

    report = verify_bundle("proof.zip", policy=Policy.load("policy.json"))

It needs the package cryptography, 42 or later: the extra ``verify``.
"""

from __future__ import annotations

from ._bundle import TRUST_BUNDLE, Check, Report, Verdict, verify_bundle
from ._container import NotABundleError
from ._documents import Policy
from ._line import Remark
from ._received import Copy

__all__ = [
    "TRUST_BUNDLE",
    "Check",
    "Copy",
    "NotABundleError",
    "Policy",
    "Remark",
    "Report",
    "Verdict",
    "verify_bundle",
]

"""The shape of what documents hold, docs/evidence-format.md §3 and §8."""
import re

from check_der import need
from check_document import is_moment

HASH = '[0-9a-f]{64}'
UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
VISIBLE = '[\x21-\x7e]{1,253}'
OID = r'[0-2](\.(0|[1-9]\d*)){1,20}'
PEM = r'(?s).*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----.*'
MANIFEST = {
    'accepted_at': '.*',
    'dkim': [{
        'algorithm': '(rsa|ed25519)-sha256', 'domain': VISIBLE, 'public_key': '[A-Za-z0-9+/=]{1,2048}',
        'selector': VISIBLE,
    }, 8],
    'envelope': {'asserted_by': 'operator', 'mail_from': HASH, 'rcpt_to': HASH},
    'log': r'[^\s\x00-\x1f\x7f+]{1,255}',
    'mail': {'body': HASH, 'header': HASH, 'parts': [HASH, 128], 'raw': HASH},
    'message_id': UUID,
    'submission': HASH,
    'tenant_id': UUID,
    'tenant_sequence': r'0|[1-9]\d{0,19}',
    'type': 'acuse/message/v1',
}
KEY = {'key': '.+'}
WINDOW = {'from': '.+', 'until': '.+'}
AUTHORITY = {'name': r'[^\x00-\x1f\x7f-\x9f]{1,200}', 'profile': 'rfc3161|nom151', 'roots': [PEM, 16]}
OPTIONAL = {
    'development': bool, 'hashAlgorithms': ['sha(256|384|512)', 3], 'leafEku': [OID, 64], 'nonce': bool,
    'policies': [OID, 64], 'revocation': 'required', **WINDOW,
}
POLICY = {
    'log_keys': [(KEY, WINDOW), 16], 'time_stamps': [(AUTHORITY, OPTIONAL), 16], 'type': 'acuse/policy/v1',
    'witness_keys': [(KEY, WINDOW), 16], 'witness_quorum': int,
}


def fits(value, form):
    """`form`: a pattern, a type, a list of one form and its length, an object, or one and what is optional."""
    if isinstance(form, str):
        return isinstance(value, str) and re.fullmatch(form, value) is not None
    if isinstance(form, type):
        return type(value) is form
    if isinstance(form, list):
        item, most = form
        return isinstance(value, list) and len(value) <= most and all(fits(each, item) for each in value)
    required, optional = form if isinstance(form, tuple) else (form, {})
    if not isinstance(value, dict) or not set(required) <= set(value) <= {*required, *optional}:
        return False
    return all(fits(each, {**required, **optional}[name]) for name, each in value.items())


def check_manifest_shape(manifest):
    need(fits(manifest, MANIFEST), 'manifest', 'another shape')
    need(is_moment(manifest['accepted_at']), 'manifest', 'no such time')


def check_policy_shape(policy):
    """`policy`: each of its keys is an object already."""
    need(fits(policy, (POLICY, {'witness_reached': int})), 'trust', 'another shape')
    need(policy['witness_quorum'] >= 0, 'trust', 'a quorum below zero')
    need(all(authority['roots'] for authority in policy['time_stamps']), 'trust', 'no root')

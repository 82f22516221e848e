"""The shape of what documents hold, docs/evidence-format.md §3 to §5 and §8."""
import re

from check_der import need
from check_document import is_moment

HASH = '[0-9a-f]{64}'
UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
TEXT = '(?s).*'
VISIBLE = '[\x21-\x7e]{1,253}'
OID = r'[0-2](\.(0|[1-9]\d*)){1,20}'
PEM = r'(?s).*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----.*'


def is_name(value):
    """Of a log or a witness."""
    form = r'[^\s\x00-\x1f\x7f-\x9f+]+'
    return isinstance(value, str) and re.fullmatch(form, value) is not None and len(value.encode()) <= 255


def is_key(value):
    return isinstance(value, str) and is_name(value.split('+')[0])


DKIM = {
    'algorithm': '(rsa|ed25519)-sha256', 'domain': VISIBLE, 'public_key': '[A-Za-z0-9+/=]{1,2048}',
    'selector': VISIBLE,
}
MANIFEST = {
    'accepted_at': '.*',
    'dkim': [DKIM, 8],
    'envelope': {'asserted_by': 'operator', 'mail_from': HASH, 'rcpt_to': HASH},
    'log': is_name,
    'mail': {'body': HASH, 'header': HASH, 'parts': [HASH, 128], 'raw': HASH},
    'message_id': UUID,
    'submission': HASH,
    'tenant_id': UUID,
    'tenant_sequence': r'0|[1-9]\d{0,19}',
    'type': 'acuse/message/v1',
}


def whole(value):
    return type(value) is int and 0 <= value < 1 << 53


def nullable(form):
    return lambda value: value is None or fits(value, form)


OPENING = {'salt': HASH, 'sha256': HASH}
ADDRESS = {**OPENING, 'value': TEXT}
PART = {'filename': nullable(TEXT), 'index': whole, 'media_type': TEXT, **OPENING, 'size': whole}
OPENINGS = {
    'canonical_hash': HASH, 'content': 'complete|disclosed|erased', 'type': 'acuse/openings/v1',
    'envelope': ({}, {'mail_from': ADDRESS, 'rcpt_to': ADDRESS}),
    'mail': ({'parts': [PART, 128]}, {'body': OPENING, 'header': OPENING, 'raw': OPENING}),
}
OUTCOME = {
    'attempt': whole, 'dsn': nullable(HASH), 'etsi': nullable(TEXT), 'facts': HASH, 'kind': TEXT, 'log': TEXT,
    'message_canonical_hash': HASH, 'message_id': UUID, 'occurred_at': '.*', 'previous': HASH, 'source': TEXT,
    'transcript': nullable(HASH), 'trust': dict, 'type': 'acuse/delivery/v1',
}
REPLY = nullable({'code': nullable(whole), 'enhanced': nullable(TEXT), 'text': nullable(TEXT)})
RESULT = 'fail|neutral|none|not_checked|pass|permerror|softfail|temperror'
REPORT = {
    'claims': {
        'feedback_type': nullable(TEXT), 'final_recipient': nullable(TEXT),
        'original_recipient': nullable(TEXT), 'remote_mta': nullable(TEXT), 'reply': REPLY,
    },
    'dkim': {'domains': [TEXT, 8], 'result': RESULT},
    'mail_from': TEXT,
    'peer': {'helo': TEXT, 'ip': TEXT, 'tls': nullable({'cipher': TEXT, 'version': TEXT})},
    'sha256': HASH,
    'spf': {'domain': nullable(TEXT), 'result': RESULT},
    'vouched_by': nullable('dkim|helo|network|spf'),
}
PAGE_ACT = {
    'code_sent_at': lambda value: isinstance(value, str) and is_moment(value), 'ip': TEXT, 'language': 'en|es',
    'name': TEXT, 'reason': nullable(TEXT), 'sentence': TEXT,
}


def is_act(value):
    return fits(value, {'dkim': DKIM}) or fits(value, PAGE_ACT)


FACTS = {
    'ip': nullable(TEXT), 'mx': nullable(TEXT), 'reply': REPLY, 'reported_by_mail': nullable(REPORT),
    'tls': nullable({'cipher': TEXT, 'peer_certificate_sha256': nullable(TEXT), 'version': TEXT}),
}
OUTCOME_OPENINGS = {
    'canonical_hash': HASH, 'dsn': nullable(OPENING),
    'facts': {'salt': HASH, 'value': (FACTS, {'acknowledgement': is_act})},
    'transcript': nullable(OPENING), 'type': 'acuse/delivery-openings/v1',
}
KEY = {'key': is_key}
WINDOW = {'from': '.+', 'until': '.+'}
AUTHORITY = {'name': r'[^\x00-\x1f\x7f-\x9f]{1,200}', 'profile': 'rfc3161|nom151', 'roots': [PEM, 32]}
OPTIONAL = {
    'development': bool, 'hashAlgorithms': ['sha(256|384|512)', 32], 'leafEku': [OID, 32], 'nonce': bool,
    'policies': [OID, 32], 'revocation': 'required', **WINDOW,
}
POLICY = {
    'log_keys': [(KEY, WINDOW), 16], 'time_stamps': [(AUTHORITY, OPTIONAL), 16], 'type': 'acuse/policy/v1',
    'witness_keys': [(KEY, WINDOW), 16], 'witness_quorum': whole,
}


def fits(value, form):
    """
    `form`: a pattern, a type, a question, a list of one form and its length, an object, or one and what is
    optional.
    """
    if isinstance(form, str):
        return isinstance(value, str) and re.fullmatch(form, value) is not None
    if isinstance(form, type):
        return type(value) is form
    if callable(form):
        return form(value)
    if isinstance(form, list):
        item, most = form
        return isinstance(value, list) and len(value) <= most and all(fits(each, item) for each in value)
    required, optional = form if isinstance(form, tuple) else (form, {})
    if not isinstance(value, dict) or not set(required) <= set(value) <= {*required, *optional}:
        return False
    return all(fits(each, {**required, **optional}[name]) for name, each in value.items())


def check_manifest_shape(manifest):
    form = (MANIFEST, {'acknowledgement': {'until': '.*'}})
    need(fits(manifest, form), 'manifest', 'another shape')
    times = [manifest['accepted_at'], manifest.get('acknowledgement', {}).get('until', manifest['accepted_at'])]
    need(all(map(is_moment, times)), 'manifest', 'no such time')


def check_openings_shape(openings):
    form = (OPENINGS, {'submission': OPENING, 'withheld': [HASH, 32]})
    need(fits(openings, form), 'openings', 'another shape')


def check_outcome_shape(outcome, check):
    need(fits(outcome, OUTCOME) and is_moment(outcome['occurred_at']), check, 'another shape')


def check_outcome_openings_shape(openings, check):
    need(fits(openings, OUTCOME_OPENINGS), check, 'openings of another shape')


def check_policy_shape(policy):
    """`policy`: each of its keys is an object already."""
    need(fits(policy, (POLICY, {'witness_reached': whole})), 'trust', 'another shape')
    need(all(authority['roots'] for authority in policy['time_stamps']), 'trust', 'no root')

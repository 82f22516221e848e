"""Time-stamps and revocation, docs/evidence-format.md §7: each token under one authority of the policy."""
import base64
import hashlib
import re
from datetime import datetime

from check_der import (
    HASHES, ONLY, Refused, certificates_of, encoded, is_over_sha2, is_sound_key, need, only, openssl,
    openssl_time,
)

SIGNED_DATA = '1.2.840.113549.1.7.2'
TST_INFO = '1.2.840.113549.1.9.16.1.4'
CONTENT_TYPE = '1.2.840.113549.1.9.3'
MESSAGE_DIGEST = '1.2.840.113549.1.9.4'
TIME_STAMPING = '1.3.6.1.5.5.7.3.8'
SUBJECT_KEY_ID = '2.5.29.14'
EXTENDED_KEY_USAGE = '2.5.29.37'
# policyMappings, policyConstraints: critical or not.
POLICY_LIMITS = ('2.5.29.33', '2.5.29.36')
LIMITS_OF_A_LIST = '2.5.29.28'
CHANGES_ALONE = '2.5.29.27'
REASON, INVALID_SINCE = '2.5.29.21', '2.5.29.24'
# What an answer says of another day than today counts too (seconds).
CENTURY = str(100 * 366 * 24 * 3600)
# unspecified, affiliationChanged, superseded, cessationOfOperation: it was good until then.
GOOD_BEFORE = (0, 3, 4, 5)


class Token:
    """A TimeStampResp or a bare TimeStampToken. RFC 3161 §2.4.2, RFC 5652 §5"""

    def __init__(self, reply, check):
        outer = only(reply)
        parts = outer.children()
        if parts[0].tag == 6:
            self.der = outer.whole
        else:
            need(parts[0].children()[0].integer() in (0, 1), check, 'the authority did not grant it')
            self.der = parts[1].whole
        kind, wrapped = only(self.der).children()
        need(kind.oid() == SIGNED_DATA, check, 'no SignedData')
        fields = only(wrapped.content).children()
        version, _, content, *sets = fields
        need(version.integer() == 3, check, 'not SignedData version 3')
        inner, wrapped = content.children()
        need(inner.oid() == TST_INFO, check, 'not signed as a TSTInfo')
        self.content = only(wrapped.content).content
        self.carried = [each.whole for field in sets if field.tag == 0xa0 for each in field.children()]
        need(len(self.carried) <= 16, check, 'too many certificates')
        # Nobody signs what it carries: openssl is to look at the chain alone.
        bare = encoded(0x30, *(field.whole for field in fields if field.tag != 0xa0))
        self.bare = encoded(0x30, kind.whole, encoded(0xa0, bare))
        signers = sets[-1].children()
        need(len(signers) == 1, check, 'not one signer')
        self.signer = signers[0].children()
        version = 1 if self.signer[1].tag == 0x30 else 3
        need(self.signer[0].integer() == version, check, 'another version of SignerInfo')
        self.read_info(check)

    def read_info(self, check):
        version, policy, imprint, serial, time, *_ = only(self.content).children()
        need(version.integer() == 1, check, 'not TSTInfo version 1')
        need(0 <= serial.integer() < 1 << 160, check, 'a serial number that is negative or too long')
        algorithm, digest = imprint.children()
        self.policy = policy.oid()
        self.hash = HASHES.get(algorithm.children()[0].oid())
        self.imprint = digest.content
        self.time = time.time()

    def is_by(self, certificate):
        """Does the signer identifier name this certificate?"""
        identifier = self.signer[1]
        if identifier.tag == 0x30:
            issuer, serial = identifier.children()
            return (issuer.whole, serial.content) == (certificate.issuer, certificate.serial)
        own = certificate.extensions.get(SUBJECT_KEY_ID)
        return own is not None and own[1].content == identifier.content

    def check_attributes(self, check):
        """What openssl leaves to its caller: each attribute once, and SHA-2 all through."""
        digest = HASHES.get(self.signer[2].children()[0].oid())
        need(digest, check, 'a digest that is not SHA-2')
        need(self.signer[3].tag == 0xa0, check, 'no signed attributes')
        attributes = {}
        for attribute in self.signer[3].children():
            name, values = attribute.children()
            need(name.oid() not in attributes, check, 'a signed attribute twice')
            attributes[name.oid()] = values.children()
        kinds = [value.oid() for value in attributes.get(CONTENT_TYPE, [])]
        need(kinds == [TST_INFO], check, 'not signed as a TSTInfo')
        digests = [value.content for value in attributes.get(MESSAGE_DIGEST, [])]
        need(digests == [hashlib.new(digest, self.content).digest()], check, 'another message digest')
        need(is_over_sha2(self.signer[4], bare=True), check, 'a signature that is not over SHA-2')


def check_token(reply, pem, authorities, expected, check, also_at=None):
    """
    The token, its chain and the first of the authorities under which both hold, at the token's time
    and `also_at`. `expected`: the data that is stamped and the name of the hash.
    """
    token = Token(reply, check)
    chain = certificates_of(pem)
    plain = b''.join(each.pem for each in chain)
    need(chain and plain == pem, f'{check}_chain', 'no chain, or bytes beside it')
    moments = {token.time, also_at or token.time}
    reason = Refused(f'{check}: no authority is trusted')
    for authority in authorities:
        try:
            check_assertion(token, authority, expected, check)
            check_signer(token, chain[0], authority, check)
            check_chain(token, chain, authority, moments, check)
            return token, chain, authority
        except Refused as error:
            reason = error
    raise reason


def check_assertion(token, authority, expected, check):
    """What the token says, against what was stamped and what the authority may say."""
    data, algorithm = expected
    need(token.hash == algorithm, check, f'its imprint is {token.hash}, expected {algorithm}')
    need(algorithm in authority.get('hashAlgorithms', list(HASHES.values())), check, 'a hash that is not taken')
    need(token.imprint == hashlib.new(algorithm, data).digest(), check, 'another imprint')
    policies = authority.get('policies', [])
    any_policy = authority['profile'] == 'rfc3161' and not policies
    need(any_policy or token.policy in policies, check, f'the policy {token.policy}')


def check_signer(token, leaf, authority, check):
    """Did this certificate sign, and may it?"""
    token.check_attributes(check)
    need(token.is_by(leaf), check, 'the first certificate of the chain is not its signer')
    need(not token.carried or leaf.der in token.carried, f'{check}_chain', 'carries another signer')
    critical, usage = leaf.extensions.get(EXTENDED_KEY_USAGE, (False, None))
    purposes = [each.oid() for each in usage.children()] if usage else []
    if authority['profile'] == 'nom151' and authority.get('leafEku'):
        allowed = purposes and set(purposes) <= set(authority['leafEku'])
    else:
        allowed = purposes == [TIME_STAMPING] and critical
    need(allowed, check, 'the signer has other extended key usages')
    limited = not leaf.may(5) or '2.5.29.15' not in leaf.extensions
    need(limited and leaf.may(0, 1), check, 'the signer has another key usage')


def check_chain(token, chain, authority, moments, check):
    """Signer first, pinned root last, which alone is trusted. openssl looks at each certificate and link."""
    root = chain[-1]
    pinned = [each.der for text in authority['roots'] for each in certificates_of(text.encode())]
    need(root.der in pinned, check, 'under no trusted root')
    need(len(chain) <= 8, check, 'a chain that is too long')
    need(all(is_sound_key(each.key) for each in chain), check, 'a key that is too short, or of another kind')
    # openssl is asked about two at a time, and takes an authority that does not say that it is one.
    for below, each in enumerate(chain[1:]):
        own = sum(one.issuer == one.subject for one in chain[1:below + 1])
        limit = each.authorities_below()
        need(limit is not None and below - own <= limit, check, 'no authority, or too many below it')
    for each in chain:
        unread = [name for name in POLICY_LIMITS if name in each.extensions]
        need(not unread, check, f'{unread} limits policies, which is not looked at here')
    for each in chain[:-1]:
        need(is_over_sha2(each.algorithm), check, 'a certificate that is not signed over SHA-2')
    for moment in moments:
        at = ['-attime', str(int(moment.timestamp()))]
        for below, above in zip(chain, chain[1:]):
            options = [*ONLY, *at, '-CAfile', 'above', 'below']
            linked = openssl('verify', *options, above=above.pem, below=below.pem)
            need(linked, check, 'a certificate of the chain does not hold, or was not made by the next one')
        # The links above show the signer: cms looks for none that is not in the token.
        signed = openssl(
            'cms', '-verify', '-cades', '-nointern', '-certfile', 'signer', '-purpose', 'any',
            '-inform', 'DER', '-in', 'token', '-CAfile', 'signer', *ONLY, *at,
            token=token.bare, signer=chain[0].pem,
        )
        need(signed, check, 'openssl cms refuses it')


class Revocation:
    """
    `revocation/*` of a bundle: what was said of its certificates, and which pieces said something.
    `given`: more of them, by who verifies.
    """

    def __init__(self, files, given=None):
        self.own = {name: data for name, data in files.items() if name.startswith('revocation/')}
        self.pieces = {**self.own, **(given or {})}
        self.used, self.later = set(), []

    def check(self, chain, authority, moment, check, renewals):
        """`renewals`: times and chains of those after it that hold."""
        required = authority.get('revocation') == 'required'
        if not self.pieces and not required:
            return
        check = f'{check}_revocation'
        for certificate, issuer in zip(chain, chain[1:]):
            words = []
            for name, data in self.pieces.items():
                read = word_of_list if name.endswith('.crl') else word_of_answer
                word = read(data, certificate, issuer, moment)
                if word:
                    self.used.add(name)
                    words.append(word)
            need('revoked' not in words, check, 'a certificate was revoked when it stamped')
            doubts = [word for word in words if isinstance(word, datetime)]
            shown = 'good' in words or doubts or not required
            need(shown, check, 'nothing says that a certificate was good')
            if doubts:
                keys = [(time, [each.key for each in above]) for time, above in renewals]
                others = [time for time, above in keys if certificate.key not in above]
                before = min(others, default=min(doubts)) < min(doubts)
                need(before, check, 'a certificate was revoked later, and no renewal by others came before')
                self.later.append(f'Revoked at {min(doubts)}, after a renewal by others: a certificate here.')

    def check_used(self):
        idle = set(self.own) - self.used
        need(not idle, 'revocation', f'{min(idle, default="")} speaks of no certificate here')

    def not_used(self):
        """Sentences about what was given in vain."""
        idle = sorted(set(self.pieces) - set(self.own) - self.used)
        return [f'{name} speaks of no certificate here.' for name in idle]


def read_given(name, data):
    """Its name, with an ending that tells a list from an answer, and its DER. PEM is taken too."""
    found = re.search(rb'-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]*)-----END X509 CRL-----', data)
    try:
        der = base64.b64decode(found[1]) if found else data
        first = only(der).children()[0]
        if first.tag == 10:
            only(der).children()[1].children()
            return f'{name} (given).ocsp', der
        fields = [field for field in first.children() if field.tag != 2]
        fields[2].time()
        if is_whole(fields[3:]):
            return f'{name} (given).crl', der
    except (ValueError, IndexError, TypeError):
        pass
    raise Refused(f'revocation: {name} is neither a whole revocation list (CRL) nor an OCSP answer')


def word_at(moment, revoked, this_update, next_update, understood=True):
    """The time of a later revocation that leaves open since when the certificate was unsound is a word too."""
    second = moment.replace(microsecond=0)
    if revoked is not None and revoked[0] <= moment:
        return 'revoked'
    if revoked is not None and not (understood and revoked[1] in GOOD_BEFORE):
        return revoked[0]
    covers = this_update >= second or (next_update is not None and next_update >= second)
    return 'good' if covers and understood else 'nothing'


def extensions_of(element):
    """Name: critical or not, and the value."""
    found = {}
    for extension in element.children():
        name, *critical, value = extension.children()
        if name.oid() in found:
            raise ValueError('an extension twice')
        found[name.oid()] = (bool(critical), only(value.content))
    return found


def reason_of(element):
    if element.tag != 10:
        raise ValueError('no reason')
    return element.content[0] if len(element.content) == 1 else None


def read_revoked(time, extensions):
    """Since when, why, and whether a critical extension is unknown. RFC 5280 §5.3"""
    since, reason = time.time(), None
    if REASON in extensions:
        reason = reason_of(extensions[REASON][1])
    if INVALID_SINCE in extensions:
        since = min(since, extensions[INVALID_SINCE][1].time())
    known = (REASON, INVALID_SINCE)
    strange = any(critical for name, (critical, _) in extensions.items() if name not in known)
    return since, reason, strange


def word_of_list(data, certificate, issuer, moment):
    """None if the list is not about this certificate, not whole, or not signed by its issuer."""
    try:
        body, outer, _ = only(data).children()
        algorithm, name, this_update, *rest = [field for field in body.children() if field.tag != 2]
        if algorithm.whole != outer.whole:
            return None
        if name.whole != certificate.issuer or not is_over_sha2(algorithm) or not is_whole(rest):
            return None
        this_update = this_update.time()
        next_update = rest[0].time() if rest and rest[0].tag in (23, 24) else None
        revoked, understood = None, True
        for field in rest:
            for entry in field.children() if field.tag == 0x30 else []:
                serial, when, *more = entry.children()
                since, reason, strange = read_revoked(when, extensions_of(more[0]) if more else {})
                understood = understood and not strange
                if serial.content == certificate.serial:
                    earlier, other = revoked or (since, reason)
                    revoked = min(earlier, since), other if reason in GOOD_BEFORE else reason
    except (ValueError, IndexError, TypeError):
        return None
    options = ['-inform', 'DER', '-in', 'list', '-noout', '-CAfile', 'issuer', '-no-CApath', '-no-CAstore']
    if not issuer.may(6) or b'verify OK' not in openssl('crl', *options, list=data, issuer=issuer.pem):
        return None
    return word_at(moment, revoked, this_update, next_update, understood)


def is_whole(fields):
    """No extension that narrows a list, or that must be understood and is not."""
    for field in fields:
        extensions = extensions_of(only(field.content)) if field.tag == 0xa0 else {}
        for name, (critical, value) in extensions.items():
            if name == LIMITS_OF_A_LIST:
                if any(each.tag != 0xa0 for each in value.children()):
                    return False
            elif critical or name == CHANGES_ALONE:
                return False
    return True


def word_of_answer(data, certificate, issuer, moment):
    """None if the answer is not about this certificate, or not signed by its issuer or a responder of its."""
    files = {'answer': data, 'issuer': issuer.pem, 'certificate': certificate.pem}
    shown = openssl('ocsp', '-respin', 'answer', '-noverify', '-resp_text', **files)
    produced = re.search(rb'Produced At: (.*) GMT', shown)
    if not produced:
        return None
    at = str(int(openssl_time(produced[1]).timestamp()))
    said = openssl(
        'ocsp', '-respin', 'answer', '-issuer', 'issuer', '-cert', 'certificate', '-no_nonce',
        '-CAfile', 'issuer', '-attime', at, *ONLY, '-validity_period', CENTURY, **files,
    )
    status = re.search(rb'^certificate: (good|revoked|unknown)$', said, re.M)
    if b'Response verify OK' not in said or not status:
        return None
    if status[1] == b'unknown':
        return 'nothing'
    times = {name: openssl_time(value) for name, value in re.findall(rb'\t(\w+ \w+): (.*) GMT', said)}
    try:
        revoked, understood = revoked_in(data, certificate.serial)
    except (ValueError, IndexError, TypeError):
        return None
    return word_at(moment, revoked, times[b'This Update'], times.get(b'Next Update')) if understood else None


def revoked_in(answer, serial):
    """Since when and why, and whether all of the answer is understood. RFC 6960 §4.2.1"""
    octets = only(only(answer).children()[1].content).children()[1].content
    fields = [field for field in only(octets).children()[0].children() if field.tag != 0xa0]
    extensions = [extensions_of(only(field.content)) for field in fields[3:]]
    understood = not any(critical for each in extensions for critical, _ in each.values())
    for about, status, _, *more in (single.children() for single in fields[2].children()):
        if about.children()[3].content != serial:
            continue
        own = [extensions_of(only(field.content)) for field in more if field.tag == 0xa1]
        own = own[0] if own else {}
        time, *why = status.children() if status.tag == 0xa1 else [None]
        if time is None:
            return None, understood and not any(critical for critical, _ in own.values())
        since, _, strange = read_revoked(time, own)
        reason = reason_of(only(why[0].content)) if why else None
        return (since, reason), understood and not strange
    return None, False

#!/usr/bin/env python3
"""A second verifier of Acuse proof bundles, written from docs/evidence-format.md alone:
Python's standard library and openssl.

    check.py bundle [policy.json] [--now 2026-03-06T00:00:00.000Z] [--revocation FILE]...

FILE is today's revocation list (CRL) or OCSP answer of an authority, DER or PEM.

Prints "valid", or the first check that fails and exits with status 1. Beside it, on standard error: whom it
believed, and what it leaves out. Without a policy of your own it believes the one in the bundle, which whoever
made the bundle wrote: compare the fingerprints that it prints with the authority's own publication.

Besides: check_container.py reads bundles, check_document.py their documents, check_message.py messages,
check_log.py the log, check_mldsa44.py its second signature, check_line.py whether all of it is one story,
check_reply.py a recipient's mail, check_time.py time-stamps, check_der.py and check_shape.py forms."""
import hashlib
import json
import re
import sys
from datetime import datetime, timezone

from check_container import rank, read
from check_der import NOW, Refused, begin, need
from check_document import canonical, document, moment, opens, sha
from check_line import Line
from check_log import check_keys, check_leaf, is_trusted, kind_of
from check_message import leaves, relaxed_body, relaxed_header
from check_reply import check_mail
from check_shape import (
    check_manifest_shape, check_openings_shape, check_outcome_openings_shape, check_outcome_shape,
    check_policy_shape,
)
from check_time import Revocation, Token, check_token, read_given

EVENTS = {
    ('sent', 'session'): 'RelayToNonERDS',
    ('bounced', 'session'): 'RelayToNonERDSFailure',
    ('bounced', 'operator'): 'RelayToNonERDSFailure',
    ('bounced', 'reported_by_mail'): 'ReceivedFromNonERDS',
    ('cancelled', 'operator'): None,
    ('complained', 'reported_by_mail'): 'ReceivedFromNonERDS',
    ('acknowledged', 'recipient_page'): None,
    ('acknowledged', 'reported_by_mail'): 'ReceivedFromNonERDS',
    ('refused', 'recipient_page'): None,
    ('displayed', 'reported_by_mail'): 'ReceivedFromNonERDS',
    ('unanswered', 'operator'): None,
}
TRUST = {
    'operator_asserted': ['attempt', 'dsn', 'facts', 'kind', 'occurred_at', 'source', 'transcript'],
    'third_party_verifiable': ['message_canonical_hash', 'previous'],
}
LEFT_OUT = """Not checked here: a received copy (acuse verify --eml).
No part of the proof, whatever they say: VERIFY.md, report.pdf and issued/*."""


# --- section 4: openings

def check_content(files, manifest, canonical_hash):
    """The canonical hashes of the outcomes that are withheld."""
    fields = 'canonical_hash content envelope mail type'
    openings = document(files, 'openings.json', 'openings', fields, 'submission withheld')
    check_openings_shape(openings)
    need(openings['canonical_hash'] == canonical_hash, 'openings', 'of another message')
    withheld = openings.get('withheld')
    if withheld is not None:
        need(withheld and openings['content'] == 'disclosed', 'openings', 'what is withheld')
    mail, submission = openings['mail'], openings.get('submission')
    opened = check_openings(openings, manifest)
    facts = check_parts(mail['parts'], manifest['mail']['parts'])
    every = 6 + len(manifest['mail']['parts'])
    opened += len(facts)
    says = {'complete': opened == every, 'erased': opened == 0, 'disclosed': True}
    need(says[openings['content']], 'openings', 'not as much as it says')

    shown = {'message.eml'} if 'raw' in mail else {f'parts/{index:02}.bin' for index in facts}
    if submission:
        shown.add('submission.bin')
    whole = ('message.eml', 'submission.bin')
    content = {name for name in files if name in whole or name.startswith('parts/')}
    need(content <= shown, 'openings', 'content that is not opened')
    if submission:
        need(sha(files.get('submission.bin', b'')).hex() == submission['sha256'], 'submission')
    if 'raw' in mail:
        check_message(files.get('message.eml', b''), mail, facts)
        return withheld or []
    for index, fact in facts.items():
        data = files.get(f'parts/{index:02}.bin', b'')
        need((sha(data).hex(), len(data)) == (fact['sha256'], fact['size']), 'message_parts')
    return withheld or []


def check_openings(openings, manifest):
    """How many there are beside those of the parts."""
    mail, envelope = openings['mail'], openings['envelope']
    opened = [(mail[name], manifest['mail'][name]) for name in mail if name != 'parts']
    if 'submission' in openings:
        opened.append((openings['submission'], manifest['submission']))
    for opening, expected in opened:
        opens(opening, expected, 'openings')
    for name, opening in envelope.items():
        need(sha(opening['value'].encode()).hex() == opening['sha256'], 'openings', 'an address')
        opens(opening, manifest['envelope'][name], 'openings')
    return len(opened) + len(envelope)


def check_parts(parts, commitments):
    """The facts of each opened part by its index."""
    indexes = [part['index'] for part in parts]
    need(indexes == sorted(set(indexes)), 'openings', 'parts')
    facts = {}
    for part in parts:
        index = part['index']
        need(index < len(commitments), 'openings', 'parts')
        fact = {name: part[name] for name in ('filename', 'media_type', 'sha256', 'size')}
        opens({'salt': part['salt'], 'sha256': sha(canonical(fact)).hex()}, commitments[index], 'openings')
        facts[index] = fact
    return facts


def check_message(message, mail, facts):
    need(sha(message).hex() == mail['raw']['sha256'], 'message')
    for layer, relaxed in (('header', relaxed_header), ('body', relaxed_body)):
        if layer in mail:
            need(sha(relaxed(message)).hex() == mail[layer]['sha256'], 'message_relaxed', layer)
    found = list(leaves(message))
    need(all(found[index] == fact for index, fact in facts.items()), 'message_parts')


# --- section 7: time-stamps and their renewal

class Stamps:
    """The tokens of one bundle. `relied_on`: roots and their authorities."""

    def __init__(self, files, policy, line, given):
        self.files, self.policy, self.line = files, policy, line
        self.revocation, self.relied_on, self.renewals = Revocation(files, given), {}, []

    def check(self, token, name, data, check, algorithm='sha256', also_at=None):
        """Its genTime."""
        begin(check)
        reply, pem = self.files.get(token, b''), self.files.get(f'chain/{name}.pem', b'')
        expected, at = (data, algorithm), self.stated_time(token)
        trusted = [each for each in self.policy['time_stamps'] if is_trusted(each, at)]
        stamp, chain, authority = check_token(reply, pem, trusted, expected, check, also_at)
        covering = self.renewals if check == 'timestamp' or check.startswith('renewal.') else []
        self.revocation.check(chain, authority, stamp.time, check, covering)
        if check.startswith('renewal.'):
            self.renewals.append((stamp.time, chain))
        self.relied_on[hashlib.sha256(chain[-1].der).hexdigest()] = authority
        self.line.stamps[token] = stamp.time
        return stamp.time

    def stated_time(self, token):
        """
        When the keys under a checkpoint must have been trusted; checks of its own verify the token. None:
        whenever, because they refuse one that cannot be read.
        """
        if token not in self.files:
            return self.line.now
        try:
            return Token(self.files[token], 'timestamp').time
        except Exception:
            return None

    def check_constancia(self):
        """From the last renewal to the first, then the constancia: each holds when the next was made."""
        after, count = None, sum(bool(re.fullmatch(r'renewal/\d\d\.tsr', name)) for name in self.files)
        need(count <= 32, 'renewal', 'more than 32')
        for number in range(count, 0, -1):
            stamped = self.renewed_text(number)
            renewal = f'renewal-{number:02}'
            token, check = f'renewal/{number:02}.tsr', f'renewal.{number:02}'
            after = self.check(token, renewal, stamped, check, 'sha512', after)
        text = self.files['checkpoint.txt']
        return self.check('constancia.tsr', 'constancia', text, 'timestamp', also_at=after)

    def renewed_text(self, number):
        """What renewal `number` stamps: its sums, or a list that they are on."""
        files, check = self.files, f'renewal.{number:02}.covers'
        names = ['checkpoint.txt', 'constancia.tsr', 'chain/constancia.pem']
        for earlier in range(1, number):
            names += [name for name in files if name.startswith(f'renewal/{earlier:02}.')]
            names.append(f'chain/renewal-{earlier:02}.pem')
        sums = files.get(f'renewal/{number:02}.sums', b'')
        told = [name for name in files if name.startswith('revocation/')]
        listed = [name for name in told if f'  {name}\n'.encode() in sums]
        lines = []
        for name in sorted(names + listed):
            lines.append(f'{hashlib.sha512(files.get(name, b"")).hexdigest()}  {name}\n')
        need(''.join(lines).encode() == sums, check, 'not what was to be renewed')
        text = files.get(f'renewal/{number:02}.list')
        if text is None:
            return sums
        each = text.splitlines(True)
        need(re.fullmatch(rb'([0-9a-f]{128}\n){1,512}', text) and each == sorted(set(each)), check, 'its form')
        need(hashlib.sha512(sums).hexdigest().encode() + b'\n' in each, check, 'not on its list')
        return text


# --- section 5: outcomes

def check_delivery(stamps, base, number, message, canonical_hash, previous):
    """The canonical hash of the outcome."""
    files, check = stamps.files, f'delivery.{number:02}'
    fields = 'attempt dsn etsi facts kind log message_canonical_hash message_id occurred_at previous'
    fields += ' source transcript trust type'
    manifest = document(files, f'{base}.json', check, fields)
    check_outcome_shape(manifest, check)
    kind, source = manifest['kind'], manifest['source']
    need(manifest['trust'] == TRUST, check, 'trust')
    need(base == f'delivery/{number:02}-{kind}', check, 'kind or number')
    event = EVENTS.get((kind, source), 'none')
    uri = f'http://uri.etsi.org/19522/Event/{event}' if event else None
    need(manifest['etsi'] == uri, check, 'event or source')
    unreported = source == 'recipient_page' or kind in ('cancelled', 'unanswered')
    need(not unreported or manifest['dsn'] is None, check, 'a report about what nobody reports')
    replied = (kind, source) == ('acknowledged', 'reported_by_mail')
    need(not replied or manifest['dsn'] is not None, check, 'a reply that is not there')
    need(source == 'session' or manifest['transcript'] is None, check, 'a transcript without a session')
    same = all(manifest[name] == message[name] for name in ('log', 'message_id'))
    need(same, check, 'of another message or log')
    need(manifest['message_canonical_hash'] == canonical_hash, check, 'of another message')
    need(manifest['previous'] == previous, check, 'not chained to the one before')
    stamps.line.add_outcome(manifest, check)
    entry = sha(files[f'{base}.json'])
    check_delivery_openings(files, base, manifest, entry.hex(), check)
    check_mail(files, base, message['message_id'], f'{check}.reply')
    proof = files.get(f'{base}.tlog-proof', b'')
    line, at = stamps.line, stamps.stated_time(f'{base}.tsr')
    text = check_leaf(proof, message['log'], entry, line, at, f'{check}.')
    line.entries.append(entry)
    if f'{base}.tsr' in files:
        stamps.check(f'{base}.tsr', f'delivery-{number:02}', text, f'{check}.timestamp')
    return entry.hex()


def check_delivery_openings(files, base, manifest, canonical_hash, check):
    opened = {}
    if f'{base}.openings.json' in files:
        opened = document(files, f'{base}.openings.json', check, 'canonical_hash dsn facts transcript type')
        check_outcome_openings_shape(opened, check)
        need(opened['canonical_hash'] == canonical_hash, check, 'openings')
        facts = opened['facts']
        check_facts(facts['value'], manifest['kind'], manifest['source'], check)
        opening = {'salt': facts['salt'], 'sha256': sha(canonical(facts['value'])).hex()}
        opens(opening, manifest['facts'], check)
    for label, name in (('transcript', f'{base}.transcript.json'), ('dsn', f'{base}.dsn.eml')):
        opening = opened.get(label)
        need((opening is None) == (name not in files), check, label)
        if opened:
            need((opening is None) == (manifest[label] is None), check, label)
        if opening:
            need(sha(files[name]).hex() == opening['sha256'], check, label)
            opens(opening, manifest[label], check)


def check_facts(facts, kind, source, check):
    """What a mail reported never stands in the place of a server that was spoken to."""
    spoken_to = [facts['ip'], facts['mx'], facts['tls']]
    need(source == 'session' or spoken_to == [None] * 3, check, 'a server without a session')
    need((facts['reported_by_mail'] is not None) == (source == 'reported_by_mail'), check, 'source')
    answered = source in ('session', 'operator')
    need(answered or facts['reply'] is None, check, 'a reply without a session')
    act = facts.get('acknowledgement')
    acted = None if act is None else 'reply' if 'dkim' in act else 'page'
    due = 'page' if source == 'recipient_page' else None
    if (kind, source) == ('acknowledged', 'reported_by_mail'):
        due = 'reply'
    need(acted == due, check, 'an act of the recipient in another place')


# --- section 9: the bundle, verified

def check_entries(files):
    names = sorted(files.keys() - {'SHA256SUMS'}, key=lambda name: (rank(name), name))
    hashed = [f'{sha(files[name]).hex()}  {name}\n' for name in names]
    need(files['SHA256SUMS'] == ''.join(hashed).encode(), 'sums')
    tokens = [name for name in files if name.endswith('.tsr')]
    kinds = r'\.tsr|-(sent|bounced|cancelled|complained|acknowledged|refused|displayed|unanswered)'
    stamped = {re.sub(kinds, '', name).replace('/', '-') for name in tokens}
    for name in files:
        if name.startswith(('chain/', 'issued/')):
            need(name.split('/')[1][:-4] in stamped, 'entries', f'{name} without its time-stamp')
        if name.endswith(('.sums', '.list')):
            need(f'{name[:-5]}.tsr' in files, 'entries', 'a list without its time-stamp')


def trusted(files, pinned):
    """The bundle's own policy, or yours. Yours asks for its whole quorum, whatever the bundle had reached."""
    fields = 'log_keys time_stamps type witness_keys witness_quorum'
    policy = document(files, 'policy.json', 'trust', fields, 'witness_reached')
    if pinned is not None:
        policy = {name: value for name, value in json.loads(pinned).items() if name != 'witness_reached'}
    for kind in ('log_keys', 'witness_keys'):
        keys = policy[kind] if isinstance(policy[kind], list) else None
        policy[kind] = keys and [{'key': key} if isinstance(key, str) else key for key in keys]
    check_policy_shape(policy)
    reached = policy.get('witness_reached', -1)
    need(reached < policy['witness_quorum'], 'trust', 'a quorum that was reached')
    policy['mldsa44_keys'] = [key for key in policy['log_keys'] if kind_of(key) == 6]
    policy['log_keys'] = [key for key in policy['log_keys'] if kind_of(key) != 6]
    check_keys(policy)
    return policy


def verify(files, pinned=None, now=None, given=None):
    """Raises Refused for the first check that fails. Returns what was relied on, and what it does not show."""
    check_entries(files)
    policy = trusted(files, pinned)
    fields = 'accepted_at dkim envelope log mail message_id submission tenant_id tenant_sequence type'
    manifest = document(files, 'manifest.json', 'manifest', fields, 'acknowledgement')
    check_manifest_shape(manifest)
    entry = sha(files['manifest.json'])
    withheld = check_content(files, manifest, entry.hex())
    line = Line(policy, manifest, now or datetime.now(timezone.utc))
    stamps = Stamps(files, policy, line, given)
    at = stamps.stated_time('constancia.tsr')
    text = check_leaf(files['proof.tlog-proof'], manifest['log'], entry, line, at)
    line.entries.append(entry)
    need(text == files['checkpoint.txt'], 'stamped_checkpoint')
    stamps.check_constancia()
    own = 'message-constancia'
    if f'{own}.tsr' in files:
        stamps.check(f'{own}.tsr', own, files['manifest.json'], 'message_timestamp')
    previous = entry.hex()
    outcomes = sorted({name.split('.')[0] for name in files if name.startswith('delivery/')})
    for number, base in enumerate(outcomes, 1):
        previous = check_delivery(stamps, base, number, manifest, entry.hex(), previous)
    line.check_outcomes(files, withheld)
    line.check_history(files)
    line.check_order()
    line.check_times()
    line.check_log_end()
    stamps.revocation.check_used()
    missing = not_shown(files, line, withheld) + stamps.revocation.later + stamps.revocation.not_used()
    return policy, stamps.relied_on, missing


def not_shown(files, line, withheld):
    """What is missing of the whole, as sentences."""
    lines = []
    if line.second_left_out:
        lines.append('ML-DSA-44 signature not checked here: that takes the package cryptography, 48 or later.')
    if line.counted is None:
        lines.append('Not shown: how many outcomes there were. One may have been left out.')
    if withheld:
        lines.append(f'Withheld: {len(withheld)} of the outcomes that the log counted at {line.counted}.')
    if len({size for _, size, _ in line.leaves}) > 1 and 'history.txt' not in files:
        lines.append('Not shown: that the trees of the log in this bundle are one log.')
    return lines


def report(policy, relied_on, missing, pinned):
    """For people, on standard error: what the verdict rests on, and what it leaves out."""
    lines = list(missing)
    if pinned is None:
        lines.append('Trust was taken from the bundle itself (its policy.json), which proves nothing')
        lines.append('until you have compared these with what you got elsewhere:')
    for key in policy['log_keys'] + policy['mldsa44_keys']:
        lines.append(f'  log key       {key["key"]}')
    for fingerprint, authority in relied_on.items():
        lines.append(f'  trusted root  SHA-256 {fingerprint} ({authority["name"]!r})')
        if authority.get('development'):
            lines.append('                a development authority: not a NOM-151 constancia')
    if 'witness_reached' in policy:
        asked, reached = policy['witness_quorum'], policy['witness_reached']
        lines.append(f'Witnesses: {asked} were asked for; {reached} had cosigned when the bundle was made.')
    print('\n'.join(lines + [LEFT_OUT]), file=sys.stderr)


def main(bundle, *options):
    pinned, now, given, options = None, None, {}, list(options)
    try:
        while '--revocation' in options:
            at = options.index('--revocation')
            _, path = options.pop(at), options.pop(at)
            with open(path, 'rb') as file:
                name, data = read_given(path, file.read())
            given[name] = data
        if '--now' in options:
            at = options.index('--now')
            _, now = options.pop(at), moment(options.pop(at))
        policy = options[0] if options else None
        if policy is not None:
            with open(policy, 'rb') as file:
                pinned = file.read()
        said = verify(read(bundle), pinned, now, given)
    except Refused as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f'bundle: {error}')
    except Exception as error:  # bytes that made this program stumble are refused all the same
        sys.exit(f'{NOW[0]}: malformed: {type(error).__name__} {str(error)[:100]!r}')
    report(*said, pinned)
    print('valid')


if __name__ == '__main__':
    main(*sys.argv[1:])

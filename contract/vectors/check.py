#!/usr/bin/env python3
"""A second verifier of Acuse proof bundles, written from docs/evidence-format.md alone: Python's standard library and openssl.

    check.py bundle         prints "valid", or the first check that fails and exits with status 1

It follows that page section by section, trusts the bundle's own policy.json, and leaves the limits on size, and revocation data, to others."""
import base64, email.header, email.message, email.utils, hashlib, json, os, quopri, re, subprocess, sys, tempfile, zipfile
from datetime import datetime, timedelta, timezone
NAMES = re.compile(r'(VERIFY\.md|report\.pdf|manifest\.json|openings\.json|message\.eml|submission\.bin|parts/\d{2,3}\.bin'
    r'|proof\.tlog-proof|checkpoint\.txt|(message-)?constancia\.tsr|chain/((message-)?constancia|(delivery|renewal)-\d\d)\.pem'
    r'|revocation/[a-z0-9-]{1,64}\.(crl|ocsp)|renewal/\d\d\.(sums|list|tsr)|policy\.json|SHA256SUMS'
    r'|delivery/\d\d-(sent|bounced|complained)\.(json|openings\.json|tlog-proof|tsr|transcript\.json|dsn\.eml))\Z')
REQUIRED = set('VERIFY.md manifest.json openings.json proof.tlog-proof checkpoint.txt constancia.tsr policy.json SHA256SUMS'.split())
L1 = ('from to cc subject date message-id reply-to in-reply-to references mime-version content-type '
      'content-transfer-encoding service-evidence').split()
CONTENT_TYPE = bytes.fromhex('06092a864886f70d010903310d060b2a864886f70d0109100104')  # the attribute, of id-ct-TSTInfo
EVENTS = {('sent', 'session'): 'RelayToNonERDS', ('bounced', 'session'): 'RelayToNonERDSFailure', ('bounced', 'operator'): 'RelayToNonERDSFailure',
          ('bounced', 'reported_by_mail'): 'ReceivedFromNonERDS', ('complained', 'reported_by_mail'): 'ReceivedFromNonERDS'}
ASSERTED, VERIFIABLE = 'attempt dsn facts kind occurred_at source transcript'.split(), ['message_canonical_hash', 'previous']
AT = ['bundle']
def need(condition, check, why='does not hold'):
    AT[0] = check
    if not condition: sys.exit(f'{check}: {why}')
sha = lambda data: hashlib.sha256(data).digest()
def canonical(value):  # RFC 8785, for what these documents hold: text, whole numbers, booleans, null, and ASCII keys
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(',', ':')).encode()
def document(files, name, check, fields, optional=''):
    need(name in files, check, f'{name} is missing')
    value = json.loads(files[name])
    need(canonical(value) == files[name] and isinstance(value, dict), check, f'{name} is not canonical')
    need(set(fields.split()) <= set(value) <= set((fields + ' ' + optional).split()), check, f'{name} has other fields')
    return value
def b64(text, check):
    need(base64.b64encode(base64.b64decode(text, validate=True)).decode() == text, check, 'another spelling of base64')
    return base64.b64decode(text)
def opens(opening, expected, check):
    salted = opening['salt'] + opening['sha256']
    need(re.fullmatch('[0-9a-f]{128}', salted) and sha(bytes.fromhex(salted)).hex() == expected, check, 'an opening opens nothing')
# --- section 2: the layers of a message
def fields_of(message):  # header fields as (lower-case name, whole field), and the body
    head, _, body = (b'\r\n' + message).partition(b'\r\n\r\n')
    raws = re.split(rb'\r\n(?![ \t])', head)[1:]
    return [(raw.split(b':')[0].strip(b' \t').lower().decode('latin-1'), raw) for raw in raws if b':' in raw], body
def relaxed_header(message):
    lines = [(name, raw) for name in L1 for got, raw in fields_of(message)[0] if got == name]
    value = lambda raw: re.sub(rb'[ \t]+', b' ', raw.split(b':', 1)[1].replace(b'\r\n', b'')).strip(b' ')
    return b''.join(name.encode() + b':' + value(raw) + b'\r\n' for name, raw in lines)
def relaxed_body(message):
    body = re.sub(rb' (?=\r\n)', b'', re.sub(rb'[ \t]+', b' ', fields_of(message)[1]) + b'\r\n')
    return (body := re.sub(rb'(\r\n)+\Z', b'', body)) and body + b'\r\n'
def leaves(entity):  # the facts of each leaf part
    fields, body = fields_of(entity)
    head = email.message.Message()
    for name, raw in fields:
        if name.startswith('content-') and name not in head:
            head[name] = raw.split(b':', 1)[1].replace(b'\r\n', b'').strip().decode('utf-8', 'surrogateescape')
    boundary, charset = head.get_param('boundary'), (head.get_param('charset') or 'utf-8').lower()
    if head.get_content_maintype() == 'multipart' and boundary:
        marks = list(re.finditer(rb'(?:\A|\r\n)--' + re.escape(boundary.encode()) + rb'(--)?[ \t]*(?=\r\n|\Z)', body))
        for mark, following in zip(marks, marks[1:] + [None]):
            if mark[1]: return
            yield from leaves(body[mark.end() + 2:following.start() if following else len(body)])
        return
    name = head.get_param('filename', None, 'content-disposition') or head.get_param('name')
    if isinstance(name, tuple): name = email.utils.collapse_rfc2231_value(name)
    elif name is not None: name = str(email.header.make_header(email.header.decode_header(name)))
    encoding = (head['content-transfer-encoding'] or '').lower()
    body = base64.b64decode(body) if encoding == 'base64' else quopri.decodestring(body) if encoding == 'quoted-printable' else body
    if head.get_content_maintype() == 'text' and name is None:
        body = body if charset in ('utf-8', 'us-ascii') else body.decode(charset, 'replace').encode()
        body = re.sub(rb'[ \t]+(?=\n)', b'', re.sub(rb'\r\n?', b'\n', body)).rstrip(b' \t\n')
    yield {'filename': name, 'media_type': head.get_content_type(), 'sha256': sha(body).hex(), 'size': len(body)}
# --- section 4: openings
def check_content(files, manifest, canonical_hash):
    openings = document(files, 'openings.json', 'openings', 'canonical_hash content envelope mail type', 'submission')
    mail, envelope, submission = openings['mail'], openings['envelope'], openings.get('submission')
    need((openings['type'], openings['canonical_hash']) == ('acuse/openings/v1', canonical_hash), 'openings', 'of another')
    need(set(mail) <= {'body', 'header', 'parts', 'raw'} and set(envelope) <= {'mail_from', 'rcpt_to'}, 'openings', 'fields')
    whole = [(mail[k], manifest['mail'][k], {'salt', 'sha256'}) for k in mail if k != 'parts']
    whole += [(envelope[k], manifest['envelope'][k], {'salt', 'sha256', 'value'}) for k in envelope]
    whole += [(submission, manifest['submission'], {'salt', 'sha256'})] if submission else []
    for opening, expected, fields in whole:
        need(set(opening) == fields, 'openings', 'fields')
        opens(opening, expected, 'openings')
        need('value' not in opening or sha(opening['value'].encode()).hex() == opening['sha256'], 'openings', 'an address')
    indexes, commitments = [part['index'] for part in mail['parts']], manifest['mail']['parts']
    need(indexes == sorted(set(indexes)) and all(0 <= i < len(commitments) for i in indexes), 'openings', 'parts')
    facts = [{key: part[key] for key in ('filename', 'media_type', 'sha256', 'size')} for part in mail['parts']]
    for part, fact in zip(mail['parts'], facts):
        need(len(part) == 6, 'openings', 'fields')
        opens({'salt': part['salt'], 'sha256': sha(canonical(fact)).hex()}, commitments[part['index']], 'openings')
    opened, every = len(whole) + len(indexes), 6 + len(commitments)
    need({'complete': opened == every, 'erased': not opened, 'disclosed': True}[openings['content']], 'openings', 'not as it says')
    shown = {'message.eml'} if 'raw' in mail else {f'parts/{i:02}.bin' for i in indexes}
    content = {name for name in files if name in ('message.eml', 'submission.bin') or name.startswith('parts/')}
    need(content <= shown | ({'submission.bin'} if submission else set()), 'openings', 'content that is not opened')
    need(not submission or sha(files.get('submission.bin', b'')).hex() == submission['sha256'], 'submission')
    if 'raw' in mail:
        message = files.get('message.eml', b'')
        need(sha(message).hex() == mail['raw']['sha256'], 'message')
        for layer, relaxed in ('header', relaxed_header), ('body', relaxed_body):
            need(layer not in mail or sha(relaxed(message)).hex() == mail[layer]['sha256'], 'message_relaxed', layer)
        need(all(list(leaves(message))[index] == fact for index, fact in zip(indexes, facts)), 'message_parts')
    alone = [files.get(f'parts/{index:02}.bin', b'') for index in indexes if 'raw' not in mail]
    need(all((sha(data).hex(), len(data)) == (fact['sha256'], fact['size']) for data, fact in zip(alone, facts)), 'message_parts')
# --- section 6: the log
def openssl(*arguments, **inputs):
    with tempfile.TemporaryDirectory() as folder:
        for name, data in inputs.items():
            with open(os.path.join(folder, name), 'wb') as file: file.write(data)
        run = subprocess.run(['openssl', *arguments], cwd=folder, capture_output=True)
        return run.stdout + run.stderr if run.returncode == 0 else b''
def signed_by(keys, kind, text, signatures, check, names=()):  # who signed the note's text (kind 1) or cosigned it (kind 4)
    for key in keys:
        name, key_id, material = re.fullmatch(r'([^+]+)\+([0-9a-f]{8})\+(.+)', key).groups()
        material = b64(material, 'trust')
        need(material[0] == kind and sha(name.encode() + b'\n' + material)[:4].hex() == key_id, 'trust', 'a key')
        for line in signatures.split('\n')[:-1]:
            who, what = re.fullmatch('\u2014 ([^ +]+) ([^ ]+)', line).groups()
            message, what, der = text, b64(what, check), bytes.fromhex('302a300506032b6570032100') + material[1:]
            if who != name or what[:4].hex() != key_id: continue
            if kind == 4: message = b'cosignature/v1\ntime %d\n' % int.from_bytes(what[4:12], 'big') + text
            need(openssl('pkeyutl', '-verify', '-pubin', '-keyform', 'DER', '-inkey', 'key', '-rawin', '-in', 'message', '-sigfile',
                         'signature', key=der, message=message, signature=what[4 if kind == 1 else 12:]), check, 'a signature')
            names += (name,)
    need(len(names) == len(set(names)), check, 'signed twice')
    return names
def check_leaf(proof, origin, entry, policy, check):  # the text of the checkpoint that proves the entry to be in the log
    head, note = proof.decode().split('\n\n', 1)
    text, signatures = (note[:-1].rsplit('\n\n', 1) + [''])[:2]
    first, index, *path = head.split('\n')
    name, size, root = text.split('\n')
    need(first == 'c2sp.org/tlog-proof@v1' and re.fullmatch(r'index (0|[1-9]\d*)', index) and note.endswith('\n'), check, 'form')
    need(name == origin and str(int(size)) == size, check, 'another log, or no size')
    text = text.encode() + b'\n'
    need(origin in signed_by(policy['log_keys'], 1, text, signatures + '\n', check), check, 'not signed by its log')
    witnesses = signed_by(policy['witness_keys'], 4, text, signatures + '\n', check.replace('checkpoint', 'witness'))
    need(len(witnesses) >= policy['witness_quorum'], check.replace('checkpoint', 'witness'), f'{len(witnesses)} cosignatures')
    inclusion, position, last, node = check.replace('checkpoint', 'inclusion'), int(index[6:]), int(size) - 1, sha(b'\0' + entry)
    need(position <= last, inclusion, 'index')
    for line in path:
        sibling = b64(line, inclusion)
        need(last > 0 and len(sibling) == 32, inclusion, 'path')
        if position % 2 or position == last:
            node = sha(b'\1' + sibling + node)
            while position % 2 == 0 and position: position, last = position // 2, last // 2
        else: node = sha(b'\1' + node + sibling)
        position, last = position // 2, last // 2
    need(last == 0 and node == b64(root, check), inclusion, 'another root')
    return text
# --- section 7: time-stamps and their renewal
def check_token(files, policy, token, chain, data, check, also_at=None):  # its genTime; the chain must hold at also_at too
    reply, pem = files[token], files.get(chain, b'')
    bare = ['-token_in'] if reply[2 + (reply[1] & 127 if reply[1] > 127 else 0)] == 6 else []
    text = openssl('ts', '-reply', '-in', 'reply', *bare, '-text', reply=reply).decode('latin-1')
    stamp = re.search(r'Time stamp: (\w+ +\d+ [\d:]+)(?:\.\d+)? (\d+) GMT', text)
    blocks = re.findall(rb'-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n', pem, re.S)
    need(stamp and blocks and b''.join(blocks) == pem, check, 'no time-stamp, or no chain')
    gen_time = datetime.strptime(f'{stamp[1]} {stamp[2]}', '%b %d %H:%M:%S %Y').replace(tzinfo=timezone.utc)
    der = reply if bare else openssl('ts', '-reply', '-in', 'reply', '-token_out', reply=reply)
    need(CONTENT_TYPE in der, check, 'not signed as a TSTInfo')
    carried = openssl('pkcs7', '-inform', 'DER', '-in', 'der', '-print_certs', der=der)
    need(b'BEGIN' not in carried or blocks[0] in carried, f'{check}_chain', 'another signer')
    authority = [one for one in policy['time_stamps'] for root in one['roots'] if root.encode() == blocks[-1]]
    need(authority, check, 'under no trusted root')
    for at in {str(int(time.timestamp())) for time in (gen_time, also_at or gen_time)}:
        if authority[0]['profile'] == 'rfc3161':
            need(openssl('ts', '-verify', '-attime', at, '-data', 'data', '-in', 'reply', *bare, '-CAfile', 'pem',
                         reply=reply, data=data, pem=pem), check, 'openssl ts refuses it')
            continue
        need(openssl('cms', '-verify', '-cades', '-purpose', 'any', '-attime', at, '-inform', 'DER', '-in', 'der', '-CAfile',
                     'pem', der=der, pem=pem), check, 'openssl cms refuses it')
        imprint = re.sub('[ -]', '', ''.join(re.findall(r'^ +[0-9a-f]{4} - ((?:[0-9a-f]{2}[ -]){16})', text, re.M)))
        need(imprint.startswith(hashlib.new('sha512' if token[0] == 'r' else 'sha256', data).hexdigest()), check, 'another imprint')
    return gen_time
def check_constancia(files, policy):
    after, count = None, sum(bool(re.fullmatch(r'renewal/\d\d\.tsr', name)) for name in files)
    for number in range(count, 0, -1):
        names = ['checkpoint.txt', 'constancia.tsr', 'chain/constancia.pem']
        for i in range(1, number): names += [n for n in files if n.startswith(f'renewal/{i:02}.')] + [f'chain/renewal-{i:02}.pem']
        check, sums = f'renewal.{number:02}', files.get(f'renewal/{number:02}.sums', b'')
        names += [name for name in files if name.startswith('revocation/') and f'  {name}\n'.encode() in sums]
        lines = (f'{hashlib.sha512(files.get(name, b"")).hexdigest()}  {name}\n' for name in sorted(names))
        digest = hashlib.sha512(sums).hexdigest().encode() + b'\n'
        each = (text := files.get(f'renewal/{number:02}.list', digest)).splitlines(True)
        need(''.join(lines).encode() == sums and re.fullmatch(rb'([0-9a-f]{128}\n)+', text) and digest in each == sorted(set(each)), f'{check}.covers')
        stamped = text if f'renewal/{number:02}.list' in files else sums
        after = check_token(files, policy, f'renewal/{number:02}.tsr', f'chain/renewal-{number:02}.pem', stamped, check, after)
    return check_token(files, policy, 'constancia.tsr', 'chain/constancia.pem', files['checkpoint.txt'], 'timestamp', after)
# --- section 5: outcomes
def check_delivery(files, base, number, message, canonical_hash, previous, policy):
    check = f'delivery.{number:02}'
    manifest = document(files, f'{base}.json', check, 'attempt dsn etsi facts kind log message_canonical_hash message_id '
                                                      'occurred_at previous source transcript trust type')
    source = manifest['source']
    need(manifest['trust'] == {'operator_asserted': ASSERTED, 'third_party_verifiable': VERIFIABLE}, check, 'trust')
    event = EVENTS.get((manifest['kind'], source), 'none')
    need(manifest['etsi'] == 'http://uri.etsi.org/19522/Event/' + event, check, 'event or source')
    need(source == 'session' or manifest['transcript'] is None, check, 'a transcript without a session')
    need((manifest['type'], base) == ('acuse/delivery/v1', f'delivery/{number:02}-{manifest["kind"]}'), check, 'type, kind or number')
    need((manifest['log'], manifest['message_id']) == (message['log'], message['message_id']), check, 'of another message')
    need((manifest['message_canonical_hash'], manifest['previous']) == (canonical_hash, previous), check, 'not chained')
    entry, opened = sha(files[f'{base}.json']), {}
    if f'{base}.openings.json' in files:
        opened = document(files, f'{base}.openings.json', check, 'canonical_hash dsn facts transcript type')
        need((opened['type'], opened['canonical_hash']) == ('acuse/delivery-openings/v1', entry.hex()), check, 'openings')
        facts = opened['facts']['value']
        need(set(facts) == {'ip', 'mx', 'reply', 'reported_by_mail', 'tls'}, check, 'facts')
        need(source == 'session' or (facts['ip'], facts['mx'], facts['tls']) == (None,) * 3, check, 'a server without a session')
        need((facts['reported_by_mail'] is not None) == (source == 'reported_by_mail'), check, 'source')
        need(source != 'reported_by_mail' or facts['reply'] is None, check, 'a reply without a session')
        opens({**opened['facts'], 'sha256': sha(canonical(opened['facts']['value'])).hex()}, manifest['facts'], check)
    for label, name in ('transcript', f'{base}.transcript.json'), ('dsn', f'{base}.dsn.eml'):
        opening = opened.get(label)
        need((opening is None) == (name not in files) and (not opened or (opening is None) == (manifest[label] is None)), check, label)
        need(not opening or sha(files[name]).hex() == opening['sha256'], check, label)
        if opening: opens(opening, manifest[label], check)
    text = check_leaf(files.get(f'{base}.tlog-proof', b''), message['log'], entry, policy, f'{check}.checkpoint')
    if f'{base}.tsr' in files:
        check_token(files, policy, f'{base}.tsr', f'chain/delivery-{number:02}.pem', text, f'{check}.timestamp')
    return entry.hex()
# --- sections 8 and 9: the bundle, verified
def read(path):
    with open(path, 'rb') as file: data = file.read()
    if data[:1] == b'{':
        form = json.loads(data)
        need(form['type'] == 'acuse/bundle/v1' and all(len(one) == 2 for one in form['entries']), 'bundle', 'another form')
        entries = [(one['name'], one['text'].encode() if 'text' in one else b64(one['base64'], 'bundle')) for one in form['entries']]
    else:
        need(data[:4] == b'PK\3\4' and data[-22:-18] == b'PK\5\6', 'bundle', 'no ZIP, or bytes before or behind it')
        with zipfile.ZipFile(path) as archive:
            entries = [(info.filename, archive.read(info)) for info in archive.infolist() if not info.is_dir()]
    names = [name for name, _ in entries]
    need(len(set(names)) == len(names) <= 512 and all(map(NAMES.match, names)), 'bundle', 'an unknown or doubled name')
    return dict(entries)
def verify(files):
    need(REQUIRED | {'chain/constancia.pem'} <= set(files), 'bundle', 'an entry is missing')
    sums = {line[66:]: line[:64] for line in files['SHA256SUMS'].decode('latin-1').split('\n') if line}
    need(sums == {name: sha(data).hex() for name, data in files.items() if name != 'SHA256SUMS'}, 'sums')
    stamped = {re.sub(r'\.tsr|-(sent|bounced|complained)', '', name).replace('/', '-') for name in files if name.endswith('.tsr')}
    need({name[6:-4] for name in files if name.startswith('chain/')} <= stamped, 'entries', 'a chain without its time-stamp')
    need(all(name[:-4] + 'tsr' in files for name in files if name.endswith(('.sums', '.list'))), 'entries', 'a list without its time-stamp')
    policy = document(files, 'policy.json', 'trust', 'log_keys time_stamps type witness_keys witness_quorum')
    manifest = document(files, 'manifest.json', 'manifest',
                        'accepted_at dkim envelope log mail message_id submission tenant_id tenant_sequence type')
    need((manifest['type'], policy['type']) == ('acuse/message/v1', 'acuse/policy/v1'), 'manifest', 'type')
    entry = sha(files['manifest.json'])
    check_content(files, manifest, previous := entry.hex())
    text = check_leaf(files['proof.tlog-proof'], manifest['log'], entry, policy, 'checkpoint')
    need(text == files['checkpoint.txt'], 'stamped_checkpoint')
    sealed_at, own = check_constancia(files, policy), 'message-constancia'
    if f'{own}.tsr' in files: check_token(files, policy, f'{own}.tsr', f'chain/{own}.pem', files['manifest.json'], 'message_timestamp')
    need(datetime.fromisoformat(manifest['accepted_at'][:-1] + '+00:00') <= sealed_at + timedelta(minutes=5), 'time_order')
    for number, base in enumerate(sorted({name.split('.')[0] for name in files if name.startswith('delivery/')}), 1):
        previous = check_delivery(files, base, number, manifest, entry.hex(), previous, policy)
if __name__ == '__main__':
    try: verify(read(sys.argv[1]))
    except Exception as error: sys.exit(f'{AT[0]}: malformed: {error!r}')
    print('valid')

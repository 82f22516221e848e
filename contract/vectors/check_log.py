"""The log, docs/evidence-format.md §6: signed checkpoints, witnesses and inclusion."""
import re

from check_container import unbase64
from check_der import begin, need, openssl
from check_document import moment, sha, text_of
from check_mldsa44 import check_second
from check_shape import is_name

ED25519_KEY = bytes.fromhex('302a300506032b6570032100')
P = 2**255 - 19
# The y-coordinates of the points of small order: under such a key anybody signs, and openssl accepts it.
ORDER_8 = int.from_bytes(
    bytes.fromhex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'), 'little'
)
SMALL_ORDER = (0, 1, ORDER_8, P - ORDER_8, P - 1)


def operator_of(witness):
    """The host in a witness's name: what one operator runs counts once."""
    return witness.split('/')[0].lower()


def host_of(name):
    """Without a port, and without the dot that a full name may end in."""
    return re.sub(r'\.$', '', operator_of(name).split(':')[0])


def kind_of(key):
    """1: of a log, 4: of a witness, 6: the second key of a log."""
    return unbase64(key['key'].split('+', 2)[-1], 'trust')[0]


def read_key(key, kind):
    """Name, key id and the key's bytes."""
    name, key_id, material = re.fullmatch(r'([^+]+)\+([0-9a-f]{8})\+(.+)', key['key']).groups()
    material = unbase64(material, 'trust')
    made = sha(name.encode() + b'\n' + material)[:4].hex()
    length = 1 + (1312 if kind == 6 else 32)
    need(material[0] == kind and len(material) == length and made == key_id, 'trust', 'a key')
    return name, key_id, material[1:]


def check_keys(policy):
    """Each key is {key, from?, until?}."""
    for window in policy['log_keys'] + policy['mldsa44_keys'] + policy['witness_keys'] + policy['time_stamps']:
        bounds = [moment(window[name]) for name in ('from', 'until') if name in window]
        need(len(bounds) < 2 or bounds[0] < bounds[1], 'trust', 'trusted until before it is trusted')
    logs = [read_key(key, 1) for key in policy['log_keys']]
    [read_key(key, 6) for key in policy['mldsa44_keys']]
    witnesses = [read_key(key, 4) for key in policy['witness_keys']]
    names = {name for name, *_ in witnesses}
    materials = {material for *_, material in witnesses}
    need(len(materials) == len(witnesses), 'trust', 'one key under two names')
    need(len(names) == len(witnesses), 'trust', 'one witness with two keys')
    need(not materials & {material for *_, material in logs}, 'trust', "a log's own key as a witness")
    hosts = {host_of(name) for name, *_ in logs}
    need(not hosts & {host_of(name) for name in names}, 'trust', 'a witness on the host of a log')


def is_trusted(window, at):
    """from <= at < until; at None: whenever"""
    if at is None:
        return True
    begun = 'from' not in window or moment(window['from']) <= at
    return begun and ('until' not in window or at < moment(window['until']))


def read_note(data, check):
    """C2SP signed-note: the text with its newline, as bytes, and the signature lines."""
    begin(check)
    note = data.decode()
    text, _, signatures = note.rpartition('\n\n')
    need(len(data) <= 256 * 1024 and not re.search('[\x00-\x09\x0b-\x1f]', note), check, 'not a signed note')
    need(text and signatures.endswith('\n'), check, 'not a signed note')
    lines = signatures.split('\n')[:-1]
    need(len(lines) <= 100, check, 'too many signatures')
    for line in lines:
        parts = re.fullmatch('\u2014 ([^ ]+) ([^ ]+)', line)
        need(parts and is_name(parts[1]), check, 'another form of a signature line')
        need(len(unbase64(parts[2], check)) > 4, check, 'another form of a signature line')
    return text.encode() + b'\n', lines


def signed_by(keys, kind, text, signatures, check):
    """Of those who signed the note's text (kind 1) or cosigned it (kind 4), each once: name → time."""
    names = {}
    # A policy may list a key twice, for two times.
    for name, key_id, public in {read_key(key, kind) for key in keys}:
        material, seconds = bytes([kind]) + public, None
        for line in signatures:
            _, who, what = line.split(' ')
            signature, message = unbase64(what, check), text
            if who != name or signature[:4].hex() != key_id:
                continue
            signature = signature[4:]
            y = int.from_bytes(material[1:], 'little') % 2**255
            need(y < P and y not in SMALL_ORDER, check, 'a key of small order')
            if kind == 4:
                seconds, signature = int.from_bytes(signature[:8], 'big'), signature[8:]
                message = b'cosignature/v1\ntime %d\n' % seconds + text
            need(openssl(
                'pkeyutl', '-verify', '-pubin', '-keyform', 'DER', '-inkey', 'key', '-rawin', '-in', 'message',
                '-sigfile', 'signature', key=ED25519_KEY + material[1:], message=message, signature=signature,
            ), check, 'a signature')
            need(name not in names, check, 'signed twice')
            names[name] = seconds
    return names


def check_leaf(proof, origin, entry, line, at, prefix=''):
    """
    The text of the checkpoint that proves the entry to be in the log. `line`: where the tree, the index and the
    cosignatures are kept. `at`: when its keys must have been trusted.
    """
    check, policy = f'{prefix}checkpoint', line.policy
    head, _, note = text_of(proof, check).partition('\n\n')
    text, lines = read_note(note.encode(), check)
    first, index, *path = head.split('\n')
    need(first == 'c2sp.org/tlog-proof@v1', check, 'another form')
    need(re.fullmatch(r'index (0|[1-9]\d*)', index), check, 'another form')
    path = [unbase64(each, check) for each in path]
    # Lines after the third are extensions: signed with the rest, and nothing is read from them.
    name, size, root, *extensions = text.decode().split('\n')[:-1]
    need(name == origin, check, 'another log')
    need(re.fullmatch(r'0|[1-9]\d{0,15}', size) and int(size) < 1 << 53, check, 'another size')
    need('' not in extensions, check, 'another form')
    log_keys = [key for key in policy['log_keys'] if is_trusted(key, at)]
    need(origin in signed_by(log_keys, 1, text, lines, check), check, 'not signed by its log')
    check_seconds(line, origin, text, lines, at, check)
    root = unbase64(root, check)
    check_inclusion(entry, int(index[6:]), int(size), path, root, f'{prefix}inclusion')
    line.leaves.append((int(index[6:]), int(size), root))
    check = f'{prefix}witness'
    witness_keys = [key for key in policy['witness_keys'] if is_trusted(key, at)]
    witnesses = signed_by(witness_keys, 4, text, lines, check)
    counted = len({operator_of(witness) for witness, time in witnesses.items() if line.can_have_seen(time)})
    needed = policy.get('witness_reached', policy['witness_quorum'])
    need(counted >= needed, check, f'{counted} witnesses cosigned, {needed} are needed')
    return text


def check_seconds(line, name, text, lines, at, check):
    """
    Each ML-DSA-44 key of this name that was trusted then signed too. The times that they state; at None, none
    are looked at.
    """
    keys = [key for key in line.policy['mldsa44_keys'] if at is not None and is_trusted(key, at)]
    keys = [key for key in {read_key(key, 6) for key in keys} if key[0] == name]
    return check_each_second(line, keys, text, lines, check)


def check_each_second(line, keys, text, lines, check):
    signed = [check_second(key, text, lines, check) for key in keys]
    line.second_left_out |= any(not checked for _, checked in signed)
    return {seconds for seconds, _ in signed}


def check_inclusion(entry, position, size, path, root, check):
    """RFC 6962 §2.1.1, from the leaf upward."""
    need(position < size, check, 'index')
    node, last = sha(b'\0' + entry), size - 1
    for sibling in path:
        need(last > 0 and len(sibling) == 32, check, 'path')
        if position % 2 or position == last:
            node = sha(b'\1' + sibling + node)
            while position % 2 == 0 and position:
                position, last = position // 2, last // 2
        else:
            node = sha(b'\1' + node + sibling)
        position, last = position // 2, last // 2
    need(last == 0 and node == root, check, 'another root')


def check_consistency(old_size, old_root, size, root, path, check):
    """RFC 6962 §2.1.2: the smaller tree is the beginning of the larger one."""
    position, last = old_size - 1, size - 1
    while position % 2:
        position, last = position // 2, last // 2
    hashes = [old_root, *path] if old_size & (old_size - 1) == 0 else path
    need(hashes and all(len(each) == 32 for each in hashes), check, 'path')
    old = new = hashes[0]
    for sibling in hashes[1:]:
        need(last > 0, check, 'path')
        if position % 2 or position == last:
            old, new = sha(b'\1' + sibling + old), sha(b'\1' + sibling + new)
            while position % 2 == 0 and position:
                position, last = position // 2, last // 2
        else:
            new = sha(b'\1' + new + sibling)
        position, last = position // 2, last // 2
    need((last, old, new) == (0, old_root, root), check, 'not one log')


def tree_of(entries):
    """The root of a tree of these entries. RFC 6962 §2.1"""
    if len(entries) == 1:
        return sha(b'\0' + entries[0])
    split = 1 << (len(entries) - 1).bit_length() - 1
    return sha(b'\1' + tree_of(entries[:split]) + tree_of(entries[split:]))

"""The log, docs/evidence-format.md §6: signed checkpoints, witnesses and inclusion."""
import re

from check_container import unbase64
from check_der import need, openssl
from check_document import sha

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


def check_keys(policy):
    materials = [key.split('+', 2)[2] for key in policy['witness_keys']]
    names = [key.split('+')[0] for key in policy['witness_keys']]
    need(len(set(materials)) == len(materials), 'trust', 'one key under two names')
    need(len(set(names)) == len(names), 'trust', 'one witness with two keys')


def signed_by(keys, kind, text, signatures, check):
    """Names of those who signed the note's text (kind 1) or cosigned it (kind 4), each once and truly."""
    names = []
    for key in keys:
        name, key_id, material = re.fullmatch(r'([^+]+)\+([0-9a-f]{8})\+(.+)', key).groups()
        material = unbase64(material, 'trust')
        made = sha(name.encode() + b'\n' + material)[:4].hex()
        need(material[0] == kind and len(material) == 33 and made == key_id, 'trust', 'a key')
        for line in signatures:
            who, what = re.fullmatch('\u2014 ([^ +]+) ([^ ]+)', line).groups()
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
            names.append(name)
    return names


def check_leaf(proof, origin, entry, policy, prefix=''):
    """The text of the checkpoint that proves the entry to be in the log."""
    check = f'{prefix}checkpoint'
    head, _, note = proof.decode().partition('\n\n')
    text, _, signatures = note.rpartition('\n\n')
    need(note.endswith('\n') and text, check, 'not a signed note')
    first, index, *path = head.split('\n')
    need(first == 'c2sp.org/tlog-proof@v1', check, 'another form')
    need(re.fullmatch(r'index (0|[1-9]\d*)', index), check, 'another form')
    # Lines after the third are extensions: signed with the rest, and nothing is read from them.
    name, size, root, *extensions = text.split('\n')
    need(name == origin, check, 'another log')
    need(re.fullmatch(r'0|[1-9]\d{0,15}', size) and int(size) < 1 << 53, check, 'another size')
    need('' not in extensions, check, 'another form')
    text, lines = text.encode() + b'\n', signatures.split('\n')[:-1]
    need(origin in signed_by(policy['log_keys'], 1, text, lines, check), check, 'not signed by its log')
    witnesses = signed_by(policy['witness_keys'], 4, text, lines, f'{prefix}witness')
    counted = len({operator_of(witness) for witness in witnesses})
    needed = policy.get('witness_reached', policy['witness_quorum'])
    need(counted >= needed, f'{prefix}witness', f'{counted} witnesses cosigned, {needed} are needed')
    check = f'{prefix}inclusion'
    path = [unbase64(line, check) for line in path]
    check_inclusion(entry, int(index[6:]), int(size), path, unbase64(root, check), check)
    return text


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

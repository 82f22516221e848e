"""Whether a bundle is one story, docs/evidence-format.md §9: the count of outcomes, one log, one time line."""
import base64
import re
from datetime import datetime, timedelta, timezone

from check_container import unbase64
from check_der import need
from check_document import moment, sha, text_of
from check_log import check_consistency, check_each_second, check_seconds, is_trusted, read_key, read_note
from check_log import signed_by, tree_of

TOLERANCE = timedelta(minutes=5)
DAY = timedelta(days=1)
MAX_OUTCOMES = 32


def from_unix(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc)


def was_trusted(key, seconds):
    # Of the year 9999: no date of the format is later.
    return seconds <= 253_402_300_799 and is_trusted(key, from_unix(seconds))


class Line:
    """Of one bundle. `leaves`: index, tree size and root of the message and then of each outcome."""

    def __init__(self, policy, manifest, now):
        self.policy, self.manifest, self.now = policy, manifest, now
        self.accepted = moment(manifest['accepted_at'])
        self.leaves, self.occurred, self.entries = [], [], []
        self.stamps, self.counted, self.warnings = {}, None, []
        self.ended, self.ended_at, self.second_left_out = None, None, False

    def can_have_seen(self, seconds):
        """Whether a witness can have cosigned the message then: others do not count."""
        if seconds == 0 or seconds > 1 << 34:
            return False
        return self.accepted - TOLERANCE <= from_unix(seconds) <= self.now + DAY

    def add_outcome(self, outcome, check):
        self.occurred.append(moment(outcome['occurred_at']))
        if outcome['kind'] == 'unanswered':
            asked = self.manifest.get('acknowledgement')
            need(asked, check, 'unanswered, and nothing was asked')
            need(moment(asked['until']) <= self.occurred[-1], check, 'unanswered before the time was over')

    def check_outcomes(self, files, withheld):
        check, origin = 'outcomes', self.manifest['log']
        if 'outcomes.note' not in files:
            need(not withheld and 'log-end.note' not in files, check, 'outcomes.note is missing')
            return
        keys = [key for key in self.policy['log_keys'] if read_key(key, 1)[0] == origin]
        if 'log-end.note' in files:
            successor, self.ended, self.ended_at = end_of(files['log-end.note'], keys, origin, check)
            keys = [*keys, successor]
        text, lines = read_note(files['outcomes.note'], check)
        need(text.count(b'\n') == 3, check, 'not three lines')
        name, size, root, _ = text.decode().split('\n')
        need(name == f'{origin}/m/{self.entries[0].hex()}', check, 'of another message')
        signed = [(key, signed_by([cosigner(key)], 4, text, lines, check)) for key in keys]
        signed = [each for each in signed if each[1]]
        need(signed, check, 'not signed by a trusted key')
        trusted = [each for each in signed if was_trusted(each[0], *each[1].values())]
        need(trusted, check, 'signed when its key was not trusted')
        # A key may stand twice, for two times.
        _, times = trusted[0]
        self.counted = from_unix(*times.values())
        seconds = check_counter(self, origin, *times, text, lines, check)
        need(seconds <= set(times.values()), check, 'signatures of two times')
        entries = [*self.entries, *map(bytes.fromhex, withheld)]
        need(len(entries) <= MAX_OUTCOMES + 1, check, 'too many outcomes')
        need(size == str(len(entries)), check, f'{int(size) - 1} were counted, {len(entries) - 1} are here')
        need(unbase64(root, check) == tree_of(entries), check, 'others were counted')

    def check_history(self, files):
        check, trees = 'history', {}
        for _, size, root in self.leaves:
            need(trees.setdefault(size, root) == root, check, f'two trees of {size} leaves')
        sizes = sorted(trees)
        if 'history.txt' not in files:
            return
        need(len(sizes) > 1, check, 'a history of one tree')
        blocks = text_of(files['history.txt'], check).split('\n\n')
        need(len(blocks) == len(sizes) and blocks[-1] == '', check, 'not a proof for each')
        for old, new, block in zip(sizes, sizes[1:], blocks):
            head, *path = block.split('\n')
            need(head == f'consistency {old} {new}', check, f'no proof from {old} to {new}')
            path = [unbase64(each, check) for each in path]
            check_consistency(old, trees[old], new, trees[new], path, check)

    def check_order(self):
        indexes = [index for index, *_ in self.leaves]
        need(indexes == sorted(set(indexes)), 'order', 'an outcome before what it follows')

    def check_log_end(self):
        """`ended`: size and root of what the log still shows, and of the newest that it had published."""
        for _, size, root in self.leaves if self.ended else ():
            need(size <= max(known for known, _ in self.ended), 'log_end', 'a tree that was never published')
            same = [known == (size, root) for known in self.ended if known[0] == size]
            need(not same or any(same), 'log_end', 'another tree than the log had at its end')
        if self.ended:
            before = max([self.accepted, *self.occurred]) <= self.ended_at + TOLERANCE
            need(before, 'log_end', 'accepted, or occurred, after the log had ended')
            need(self.ended_at <= self.now + DAY, 'log_end', 'more than a day from now')

    def check_times(self):
        """`stamps`: genTimes by entry; those over a checkpoint have the number of their leaf."""
        check = 'times'
        renewals = [time for name, time in sorted(self.stamps.items()) if name.startswith('renewal/')]
        over = {name: time for name, time in self.stamps.items() if not name.startswith('renewal/')}
        sealed, counted = self.stamps['constancia.tsr'], [self.counted] if self.counted else []
        for name, time in over.items():
            need(self.accepted <= time + TOLERANCE, check, f'accepted after {name}')
        for number, occurred in enumerate(self.occurred, 1):
            need(self.accepted <= occurred + TOLERANCE, check, f'outcome {number} before the acceptance')
            for name, time in over.items():
                holds = self.size_under(name) > self.leaves[number][0]
                need(not holds or occurred <= time + TOLERANCE, check, f'outcome {number} after {name}')
            for count in counted:
                need(occurred <= count + TOLERANCE, check, f'outcome {number} after it was counted')
        for count in counted:
            need(sealed <= count + TOLERANCE, check, 'sealed after the outcomes were counted')
        for before, after in zip([sealed, *renewals], renewals):
            need(before <= after + TOLERANCE, check, 'renewed before what is renewed')
        every = [self.accepted, *self.occurred, *self.stamps.values(), *counted]
        need(all(time <= self.now + DAY for time in every), check, 'more than a day from now')

    def size_under(self, name):
        """Of the tree that a token stamps; the message's own stamps none."""
        number = re.match(r'delivery/(\d\d)', name)
        if number:
            return self.leaves[int(number[1])][1]
        return self.leaves[0][1] if name == 'constancia.tsr' else 0


def check_counter(line, log, name, text, lines, check):
    """
    The times that second keys of whoever counted state. Where the log had one, so has the log that goes on: its
    end has no second signature, and so neither spares the count one nor moves it to another time.
    """
    seconds = line.policy['mldsa44_keys']
    known = [key for key in seconds if read_key(key, 6)[0] == log and is_trusted(key, line.counted)]
    if name == log or not known:
        return check_seconds(line, name, text, lines, line.counted, check)
    listed = [key for key in {read_key(key, 6) for key in seconds} if key[0] == name]
    need(listed, check, 'counted by a log without a second key')
    return check_each_second(line, listed, text, lines, check)


def cosigner(key):
    """The same key as one of a witness, which is how a log counts outcomes."""
    name, _, public = read_key(key, 1)
    material = b'\4' + public
    key_id = sha(name.encode() + b'\n' + material)[:4].hex()
    return {'key': f'{name}+{key_id}+{base64.b64encode(material).decode()}'}


def end_of(end, keys, origin, check):
    """The key of the log that goes on, named by a key of this one that was trusted at its end; its trees."""
    text, lines = read_note(end, check)
    head, name, *trees, ended, successor, reason, _ = text.decode().split('\n')
    need(len(trees) == 2, check, 'not the end of this log')
    need((head, name) == ('acuse/log-end/v1', origin), check, 'not the end of this log')
    need(1 <= len(reason) <= 1000, check, 'no reason, or too long')
    keys, successor = [key for key in keys if is_trusted(key, moment(ended))], {'key': successor}
    need(signed_by(keys, 1, text, lines, check), check, 'its end is not signed by a trusted key')
    need(signed_by([successor], 1, text, lines, check), check, 'its end is not signed by what goes on')
    sizes, roots = zip(*(tree.split(' ') for tree in trees))
    trees = [(int(size), unbase64(root, check)) for size, root in zip(sizes, roots)]
    return successor, trees, moment(ended)

"""Is what a bundle says one story? docs/evidence-format.md, section 9, from ``outcomes`` on."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .._merkle import is_consistent, leaf_hash, root_of
from .._notes import (
    LOG_KEY,
    WITNESS_KEY,
    Note,
    NoteProblem,
    TreeHead,
    VerifierKey,
    cosigners,
    parse_key,
    parse_note,
    parse_tree_head,
    signers,
    unbase64,
)
from ._base import TIME, Refused, need
from ._documents import PinnedKey
from ._times import DAY, TOLERANCE, ms_of_text, told

MAX_OUTCOMES = 32
_OLD = 30 * DAY
_LAST_SECOND = 253_402_300_799
"""The last second of the year 9999: no date of the format is later."""
_LOG_END = "acuse/log-end/v1"
_MAX_REASON = 1000


@dataclass(frozen=True)
class Remark:
    """A code, and a sentence."""

    name: str
    detail: str


Stated = tuple[str, int]
"""The subject of the time, and when."""


SecondTimes = Callable[[Note, str, int, str], set[int]]
"""The times, in Unix seconds, that the second keys of a log state which were trusted then."""


@dataclass(frozen=True)
class Leaf:
    """Where the log has an entry, in a checkpoint of the bundle."""

    entry: bytes
    """The canonical hash."""
    index: int
    tree: TreeHead


@dataclass(frozen=True)
class Outcome:
    """The outcome of the message. Times in milliseconds."""

    leaf: Leaf
    occurred: int
    stamped: int | None


@dataclass
class Line:
    """What is compared. Times in milliseconds; ``own_stamp``: of the message's own constancia."""

    log: str
    now: int
    accepted: int
    message: Leaf
    sealed: int
    own_stamp: int | None = None
    renewals: list[int] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    withheld: list[str] = field(default_factory=list)
    cosigned: list[int] = field(default_factory=list)
    """When witnesses say that they cosigned, of those that counted."""
    counted: int | None = None
    """When the outcomes were counted, if that is said and holds."""

    @property
    def leaves(self) -> list[Leaf]:
        """The leaf of the message, then those of its outcomes."""
        return [self.message, *(each.leaf for each in self.outcomes)]

    @property
    def sizes(self) -> list[int]:
        """Of the trees, ascending."""
        return sorted({each.tree.size for each in self.leaves})

    def check_outcomes(
        self, data: bytes | None, end: bytes | None, keys: list[PinnedKey], second: SecondTimes
    ) -> None:
        """
        As many, and those, as the log counted. ``keys``: of the manifest's log. ``second``: when its second
        keys signed. Raises Refused.
        """
        check = "outcomes"
        need(data is not None, check, "outcomes.note is missing, and something here rests on it")
        if end is not None:
            keys = [*keys, PinnedKey(_successor(end, keys))]
        note = parse_note(data or b"")
        head = parse_tree_head(note.text)
        entries = [each.entry for each in self.leaves] + [bytes.fromhex(each) for each in self.withheld]
        need(head.origin == f"{self.log}/m/{entries[0].hex()}", check, "it is of another message")
        need(note.text.count("\n") == 3, check, "it has more than three lines")
        # All that one of the keys signed must verify; a key may stand twice, for two times.
        signed = [
            (each.window, key.name, seconds)
            for each in keys
            for key, seconds in cosigners(note, [_cosigner(each.key)])
        ]
        need(signed, check, "it is not signed by a trusted key of the log")
        trusted = (
            (name, seconds)
            for window, name, seconds in signed
            if seconds <= _LAST_SECOND and window.holds(seconds * 1000)
        )
        by, seconds = next(trusted, ("", 0))
        need(by, check, "it was signed when its key was not trusted")
        counted = seconds * 1000
        also = second(note, by, counted, self.log)
        need(also <= {seconds}, check, "its signatures are of two times")
        need(len(entries) <= MAX_OUTCOMES + 1, check, f"more than {MAX_OUTCOMES} outcomes")
        says = f"on {told(counted)} the log counted {head.size - 1}"
        need(head.size == len(entries), check, f"{says}, and {len(entries) - 1} are here")
        same = head.root == root_of([leaf_hash(each) for each in entries])
        need(same, check, f"{says}, and those here are others")
        self.counted = counted

    def check_history(self, data: bytes | None) -> None:
        """The trees are one log, if that is shown. Raises Refused."""
        check = "history"
        trees: dict[int, bytes] = {}
        for leaf in self.leaves:
            known = trees.setdefault(leaf.tree.size, leaf.tree.root)
            need(known == leaf.tree.root, check, f"the log signed two trees of {leaf.tree.size} leaves")
        sizes = self.sizes
        if data is None:
            return
        need(len(sizes) > 1, check, "history.txt is there, and every proof is of one tree")
        *blocks, last = data.decode("utf-8").split("\n\n")
        need(last == "" and len(blocks) == len(sizes) - 1, check, "history.txt is not a proof for each")
        for (old, new), block in zip(pairwise(sizes), blocks, strict=True):
            head, *lines = block.split("\n")
            need(head == f"consistency {old} {new}", check, f"no proof from {old} leaves to {new}")
            path = [unbase64(each) for each in lines]
            grown = is_consistent(old, trees[old], new, trees[new], path)
            need(grown, check, f"the tree of {old} leaves is not shown to be the beginning of that of {new}")

    def check_order(self) -> None:
        """The next entry comes later in the log. Raises Refused."""
        for before, after in pairwise(self.leaves):
            detail = f"leaf {after.index} follows leaf {before.index} by what it says"
            need(before.index < after.index, "order", detail)

    def check_times(self) -> None:
        """No time contradicts another. Raises Refused."""
        stamps = self._stamps()
        accepted = ("accepted", self.accepted)
        for _, stamp in stamps:
            _not_after(accepted, stamp)
        counted = [("outcomes counted", self.counted)] if self.counted is not None else []
        for number, outcome in enumerate(self.outcomes, 1):
            occurred = (f"outcome {number}", outcome.occurred)
            _not_after(accepted, occurred)
            for size, stamp in stamps:
                if size > outcome.leaf.index:
                    _not_after(occurred, stamp)
            for count in counted:
                _not_after(occurred, count)
        sealed = ("sealed", self.sealed)
        for count in counted:
            _not_after(sealed, count)
        renewals = [(f"renewal {number:02}", time) for number, time in enumerate(self.renewals, 1)]
        for link, renewal in pairwise([sealed, *renewals]):
            _not_after(link, renewal)
        for what, time in self._stated():
            need(time <= self.now + DAY, "times", f"{what} at {told(time)}, and it is {told(self.now)} here")

    def warnings(self) -> list[Remark]:
        """Oddities that break nothing, once all of it holds."""
        found = []
        stated = self._stated() + [("cosigned", time) for time in self.cosigned]
        ahead = [f"{what} at {told(time)}" for what, time in stated if time > self.now + TOLERANCE]
        if ahead:
            detail = f"{ahead[0]}, and it is {told(self.now)} here: your clock or theirs is wrong"
            found.append(Remark("clock", detail))
        if self.sealed > self.accepted + DAY:
            detail = "that it was accepted more than a day before it was sealed is the operator's word"
            found.append(Remark("sealed_late", detail))
        times = [each.occurred for each in self.outcomes]
        if any(time > min(times[at:]) + TOLERANCE for at, time in enumerate(times)):
            found.append(Remark("occurred_order", "an outcome is after another that was recorded later"))
        if any(each.stamped is None for each in self.outcomes):
            detail = "an outcome has no time-stamp here: when it was recorded is the operator's word"
            found.append(Remark("outcome_unstamped", detail))
        if self.counted is not None and self.counted < self.now - _OLD:
            detail = f"outcomes counted at {told(self.counted)}: later outcomes are not in this file"
            found.append(Remark("outcomes_old", detail))
        return found

    def _stamps(self) -> list[tuple[int, Stated]]:
        """With the size of the tree that is stamped; 0: the message alone."""
        found = [(self.message.tree.size, ("sealed", self.sealed))]
        if self.own_stamp is not None:
            found.append((0, ("the message's own time-stamp", self.own_stamp)))
        for number, each in enumerate(self.outcomes, 1):
            if each.stamped is not None:
                found.append((each.leaf.tree.size, (f"outcome {number} sealed", each.stamped)))
        return found

    def _stated(self) -> list[Stated]:
        """All times that the bundle states, but those of witnesses."""
        found = [("accepted", self.accepted)]
        found += [(f"outcome {number}", each.occurred) for number, each in enumerate(self.outcomes, 1)]
        found += [stamp for _, stamp in self._stamps()]
        found += [(f"renewal {number:02}", time) for number, time in enumerate(self.renewals, 1)]
        return found if self.counted is None else [*found, ("outcomes counted", self.counted)]


def _not_after(earlier: Stated, later: Stated) -> None:
    detail = f"{earlier[0]} at {told(earlier[1])}, yet {later[0]} at {told(later[1])}"
    need(earlier[1] <= later[1] + TOLERANCE, "times", detail)


def _cosigner(key: VerifierKey) -> VerifierKey:
    """The same key as a witness has it, which is how a log counts outcomes."""
    material = bytes([WITNESS_KEY]) + key.key
    key_id = hashlib.sha256(key.name.encode() + b"\n" + material).digest()[:4]
    return VerifierKey(key.name, key_id, WITNESS_KEY, key.key)


@dataclass(frozen=True)
class LogEnd:
    """The end of a log: what it still shows, the most that it had published, and who goes on."""

    trees: tuple[tuple[int, bytes], tuple[int, bytes]]
    ended: int
    successor: VerifierKey


def _open_end(data: bytes, log: VerifierKey) -> LogEnd:
    """Raises NoteProblem."""
    note = parse_note(data)
    lines = note.text[:-1].split("\n")
    if len(lines) != 7 or lines[0] != _LOG_END or lines[1] != log.name:
        raise NoteProblem("not the end of this log")
    _, origin, kept, published, time, key, reason = lines
    if not reason or len(reason) > _MAX_REASON or not TIME.fullmatch(time):
        raise NoteProblem("no time, or no reason")
    successor = parse_key(key)
    for signer in (log, successor):
        if not signers(note, [signer], LOG_KEY):
            raise NoteProblem(f"not signed by {signer.name}")
    if successor.name == origin:
        raise NoteProblem("a log does not follow itself")
    try:
        ended = ms_of_text(time)
    except ValueError as error:
        raise NoteProblem("no time") from error
    return LogEnd((_tree(kept), _tree(published)), ended, successor)


def _tree(line: str) -> tuple[int, bytes]:
    match = re.fullmatch(r"(0|[1-9][0-9]{0,15}) (\S+)", line)
    root = unbase64(match[2]) if match else b""
    if not match or int(match[1]) >= 2**53 or len(root) != 32:
        raise NoteProblem("not a size and its root")
    return int(match[1]), root


def _successor(end: bytes, keys: Sequence[PinnedKey]) -> VerifierKey:
    """The key of the log that goes on, named by a key that was trusted when the log ended. Raises Refused."""
    for pinned in keys:
        try:
            found = _open_end(end, pinned.key)
        except NoteProblem:
            continue
        if pinned.window.holds(found.ended):
            return found.successor
    raise Refused("outcomes", "log-end.note is not the end of this log, signed by a trusted key")


def ends_of(end: bytes, keys: Sequence[PinnedKey]) -> list[LogEnd]:
    """The statement, as each of the keys signed it; none says nothing of this bundle."""
    found = []
    for pinned in keys:
        try:
            found.append(_open_end(end, pinned.key))
        except NoteProblem:
            continue
    return found


def check_log_end(ends: Sequence[LogEnd], line: Line) -> None:
    """All that the bundle shows came to the log, and was published, before it ended. Raises Refused."""
    check = "log_end"
    for end in ends:
        most = max(size for size, _ in end.trees)
        for leaf in line.leaves:
            size, root = leaf.tree.size, leaf.tree.root
            need(size <= most, check, f"a tree of {size} leaves, and {most} were published")
            same = [known for known_size, known in end.trees if known_size == size]
            need(not same or root in same, check, f"another tree of {size} leaves than the log had")
        for time in [line.accepted, *(each.occurred for each in line.outcomes)]:
            detail = f"at {told(time)}, yet the log ended at {told(end.ended)}"
            need(time <= end.ended + TOLERANCE, check, detail)
        detail = f"ended at {told(end.ended)}, and it is {told(line.now)} here"
        need(end.ended <= line.now + DAY, check, detail)

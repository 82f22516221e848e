"""Verification of a bundle: docs/evidence-format.md, section 9, check by check, in its order."""

from __future__ import annotations

import enum
import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from .._ed25519 import is_signature
from .._merkle import is_included, leaf_hash
from .._notes import (
    LOG_KEY,
    MLDSA44_KEY,
    Note,
    NoteProblem,
    cosigners,
    parse_proof,
    parse_tree_head,
    second_signature,
    signers,
)
from ..errors import ConfigurationError
from ._base import NotChecked, Refused, need, read_canonical, sha256
from ._container import Files, rank, read_container
from ._content import (
    check_found,
    check_openings,
    check_outcome,
    check_relaxed,
    check_shown,
    check_whole,
    part_facts,
)
from ._documents import Policy, read_manifest, read_openings, read_policy, trusted_at
from ._line import Leaf, Line, Outcome, Remark, check_log_end, ends_of
from ._message import parts_of
from ._received import NOT_COMPARABLE, Copy, compare
from ._reply import check_reply
from ._revocation import Link, Revocation
from ._stamps import check_token, stated_time
from ._times import DAY, TOLERANCE, ms_of, ms_of_text

MAX_RENEWALS, MAX_LISTED = 32, 512


class TrustBundle(enum.Enum):
    """The type of TRUST_BUNDLE."""

    TRUST_BUNDLE = "TRUST_BUNDLE"


TRUST_BUNDLE: Final = TrustBundle.TRUST_BUNDLE
"""Believe the policy in the bundle, which whoever made the bundle wrote: it proves nothing by itself."""

Verdict = Literal["verified", "unproven", "incomplete", "rejected"]


@dataclass(frozen=True)
class Check:
    """One step."""

    name: str
    ok: bool | None
    """None: not checked."""
    detail: str


@dataclass(frozen=True)
class Report:
    """The outcome of a verification."""

    valid: bool
    """Everything was checked and holds, whoever vouches and whatever is left out."""
    verdict: Verdict
    """
    ``verified``: all holds and is whole, under keys of yours. ``unproven``: it holds together, and nobody
    whom you trust vouches for it. ``incomplete``: genuine, and not the whole, or not checked in whole.
    ``rejected``: a check failed.
    """
    reasons: tuple[Remark, ...]
    """Why it is not ``verified``; of ``rejected``, the check that failed."""
    warnings: tuple[Remark, ...]
    """Oddities that break nothing."""
    trust: Literal["pinned", "bundle"]
    sealed_at: str | None
    """The constancia's time."""
    development: bool
    """Stamped by a development authority: it is not a NOM-151 constancia."""
    checks: tuple[Check, ...]
    copy: Copy | None = None
    """How the received copy compares, if one was given."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        lists = {
            name: [dict(vars(each)) for each in getattr(self, name)]
            for name in ("reasons", "warnings", "checks")
        }
        copy = None if self.copy is None else vars(self.copy)
        return {**vars(self), **lists, "copy": copy}


def verify_bundle(
    file: str | os.PathLike[str] | bytes,
    policy: Policy | TrustBundle,
    at: datetime | str | None = None,
    eml: str | os.PathLike[str] | bytes | None = None,
    now: datetime | str | None = None,
) -> Report:
    """
    Verifies a proof bundle, of a path or its bytes.

    ``policy`` says whom to trust: your own, or TRUST_BUNDLE, written out. ``at``: when the newest
    time-stamp's chain must still be valid, usually now. ``eml``: the message as somebody received it, a path
    or its bytes, which is compared: ``Report.copy``; whether the bundle is valid does not depend on it.
    ``now``: your clock, by default the system's; what lies more than a day ahead of it is refused.

    Raises NotABundleError for a file that is none, OSError when it cannot be read, ConfigurationError
    without the package cryptography.
    """
    if not isinstance(policy, (Policy, TrustBundle)):
        raise ConfigurationError("policy is a Policy, or TRUST_BUNDLE.")
    # Without the package cryptography nothing is judged.
    is_signature(b"", b"", b"")
    data = bytes(file) if isinstance(file, (bytes, bytearray)) else Path(file).read_bytes()
    clock = datetime.now(timezone.utc) if now is None else _moment(now)
    pinned = None if isinstance(policy, TrustBundle) else policy
    work = _Verification(pinned, None if at is None else _moment(at), ms_of(clock))
    received = Path(eml).read_bytes() if isinstance(eml, (str, os.PathLike)) else eml
    return work.report(data, received)


def _moment(time: datetime | str) -> datetime:
    moment = datetime.fromisoformat(time.replace("Z", "+00:00")) if isinstance(time, str) else time
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


class _Verification:
    """One run: the checks so far, and what they gave."""

    def __init__(self, pinned: Policy | None, at: datetime | None, now: int) -> None:
        self.pinned, self.at, self.now = pinned, at, now
        self.checks: list[Check] = []
        self.files: Files = {}
        self.revocation = Revocation({})
        self.policy: Policy
        self.openings: dict[str, Any]
        self.accepted = 0
        self.cosigned: list[int] = []
        self.second_left_out = False
        self.renewals: list[Link] = []
        self.line: Line | None = None
        self.warnings: list[Remark] = []
        self.sealed_at: datetime | None = None
        self.development = False

    def report(self, data: bytes, received: bytes | None) -> Report:
        """All checks up to the first that fails."""
        try:
            self.files = self.run("bundle", lambda: read_container(data))
            self.revocation = Revocation(self.files)
            self.verify()
            copy = None if received is None else self.compare(received)
        except Refused as error:
            self.checks.append(Check(error.check, False, error.detail))
            copy = None if received is None else NOT_COMPARABLE
        verdict, reasons = self.judge()
        time = (
            self.sealed_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            if self.sealed_at
            else None
        )
        trust: Literal["pinned", "bundle"] = "bundle" if self.pinned is None else "pinned"
        return Report(
            valid=all(each.ok for each in self.checks),
            verdict=verdict,
            reasons=tuple(reasons),
            warnings=tuple(self.warnings),
            trust=trust,
            sealed_at=time,
            development=self.development,
            checks=tuple(self.checks),
            copy=copy,
        )

    def has_closed_outcome(self) -> bool:
        opened = [name for name in self.files if re.fullmatch(r"delivery/.*\.openings\.json", name)]
        return self.line is not None and len(opened) < len(self.line.outcomes)

    def judge(self) -> tuple[Verdict, list[Remark]]:
        """The verdict, and why. The worst wins."""
        failed = [Remark(each.name, each.detail) for each in self.checks if each.ok is False]
        if failed:
            return "rejected", failed
        line, content = self.line, self.openings["content"]
        many = line is not None and len(line.sizes) > 1
        unproven = [
            (self.pinned is None, "bundle_keys", "the keys are those that the file itself names"),
            (self.development, "development", "a time-stamp in it is by a development authority"),
        ]
        incomplete = [
            (
                any(each.ok is None for each in self.checks),
                "not_checked",
                "something in it is not checked here",
            ),
            (
                line is None or line.counted is None,
                "outcomes_not_counted",
                "it does not say how many outcomes there were",
            ),
            (bool(line and line.withheld), "outcomes_withheld", "it leaves out outcomes that were counted"),
            (
                many and "history.txt" not in self.files,
                "history_not_shown",
                "it does not show that its trees are one log",
            ),
            (
                content == "disclosed" or (content == "complete" and self.has_closed_outcome()),
                "content_disclosed",
                "it shows a part of the content",
            ),
            (content == "erased", "content_erased", "the message's content was erased"),
        ]
        reasons = [Remark(name, detail) for applies, name, detail in unproven + incomplete if applies]
        if any(applies for applies, *_ in unproven):
            return "unproven", reasons
        return ("incomplete", reasons) if reasons else ("verified", [])

    def compare(self, received: bytes) -> Copy | None:
        """None, and a check that is not made, where its verdict hangs on a charset that is not read here."""
        try:
            return compare(received, self.openings, self.files.get("message.eml"))
        except NotChecked as error:
            self.leave_out("received_copy", f"not checked here: {error}. acuse verify checks it")
            return None

    def run(self, name: str, step: Callable[[], Any], detail: str = "holds") -> Any:
        """A check. Raises Refused; bytes that make the library stumble are refused too."""
        try:
            value = step()
        except (Refused, ConfigurationError):
            raise
        except NotChecked as error:
            self.leave_out(name, f"not checked here: {error}. acuse verify checks it")
            return None
        except NoteProblem as error:
            raise Refused(name, str(error)) from error
        except (ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError) as error:
            raise Refused(name, f"it cannot be read: {error}") from error
        self.checks.append(Check(name, True, detail))
        return value

    def leave_out(self, name: str, detail: str) -> None:
        """A check that is not made."""
        self.checks.append(Check(name, None, detail))

    def verify(self) -> None:
        """Section 9."""
        files = self.files
        self.run("sums", self.check_sums)
        self.run("entries", self.check_entries)
        self.policy = self.run("trust", self.trusted)
        manifest = self.run("manifest", self.read_message)
        entry = sha256(files["manifest.json"])
        self.check_content(manifest, entry.hex())
        text, leaf = self.check_leaf("proof", manifest["log"], entry, "", "constancia.tsr")
        self.run("stamped_checkpoint", lambda: self.check_stamped(text))
        sealed = self.check_constancia()
        line = Line(manifest["log"], self.now, self.accepted, leaf, ms_of(sealed))
        line.renewals, line.cosigned = [ms_of(time) for time, _ in self.renewals], self.cosigned
        line.withheld = self.openings.get("withheld", [])
        token, name = "message-constancia.tsr", "message-constancia"
        if token in files:
            line.own_stamp = ms_of(self.stamp(token, name, files["manifest.json"], "message_timestamp"))
        line.outcomes = self.check_deliveries(manifest, entry.hex())
        self.check_line(line)
        if self.revocation:
            self.run("revocation", self.revocation.check_nothing_idle)
        self.sealed_at = sealed

    def read_message(self) -> dict[str, Any]:
        """Section 3."""
        manifest = read_manifest(self.files["manifest.json"])
        self.accepted = ms_of_text(manifest["accepted_at"])
        return manifest

    def check_line(self, line: Line) -> None:
        """Is all of it one story?"""
        note, end = self.files.get("outcomes.note"), self.files.get("log-end.note")
        keys = [
            each for each in self.policy.log_keys if each.key.name == line.log and each.key.kind == LOG_KEY
        ]
        if note is not None or end is not None or line.withheld:
            self.run("outcomes", lambda: line.check_outcomes(note, end, keys, self.check_second))
        self.run("history", lambda: line.check_history(self.files.get("history.txt")))
        self.run("order", line.check_order)
        self.run("times", line.check_times)
        self.line, self.warnings = line, line.warnings()
        if self.revocation.revoked_later:
            detail = "a certificate was revoked later, after a renewal by others"
            self.warnings.append(Remark("revoked_later", detail))
        if self.second_left_out:
            self.warnings.append(Remark("mldsa44_not_checked", "ML-DSA-44 signature not checked here"))
        ends = [] if end is None else ends_of(end, keys)
        if ends:
            self.run("log_end", lambda: check_log_end(ends, line))

    def check_sums(self) -> None:
        """SHA256SUMS is exactly that of the entries, in the order of the table."""
        names = sorted(
            (name for name in self.files if name != "SHA256SUMS"), key=lambda name: (rank(name), name)
        )
        lines = "".join(f"{sha256(self.files[name]).hex()}  {name}\n" for name in names)
        need(self.files["SHA256SUMS"] == lines.encode(), "sums", "SHA256SUMS is not that of the entries")

    def check_entries(self) -> None:
        """Each chain, document and list belongs to a time-stamp."""
        kinds = r"\.tsr|-(?:sent|bounced|cancelled|complained|acknowledged|refused|displayed|unanswered)"
        stamped = {re.sub(kinds, "", name).replace("/", "-") for name in self.files if name.endswith(".tsr")}
        for name in self.files:
            if name.startswith(("chain/", "issued/")):
                need(name.split("/")[1][:-4] in stamped, "entries", f"{name} belongs to no time-stamp")
            if name.endswith((".sums", ".list")):
                need(f"{name[:-5]}.tsr" in self.files, "entries", f"{name} belongs to no time-stamp")

    def trusted(self) -> Policy:
        """Yours, or the bundle's own, which must be well-formed in either case."""
        own = read_policy(read_canonical(self.files["policy.json"], "trust"))
        return own if self.pinned is None else self.pinned

    # --- what was accepted

    def check_content(self, manifest: dict[str, Any], canonical_hash: str) -> None:
        """Section 4."""
        files = self.files
        openings = self.run("openings", lambda: check_openings(files, manifest, canonical_hash))
        self.openings = openings
        mail, submission = openings["mail"], openings.get("submission")
        if submission is not None:
            self.run("submission", lambda: check_whole(files, "submission.bin", submission, "submission"))
        facts = {part["index"]: part_facts(part) for part in mail["parts"]}
        if "raw" in mail:
            message = files.get("message.eml", b"")
            self.run("message", lambda: check_whole(files, "message.eml", mail["raw"], "message"))
            self.run("message_relaxed", lambda: check_relaxed(message, mail))
            self.run("message_parts", lambda: check_found(parts_of(message), facts))
        elif facts:
            self.run("message_parts", lambda: check_shown(files, facts))

    # --- that the log has it

    def check_leaf(self, base: str, origin: str, entry: bytes, prefix: str, token: str) -> tuple[str, Leaf]:
        """
        The text of the checkpoint that holds the entry, and where. Its keys must have been trusted when
        ``token`` stamps it, or now while there is none.
        """
        policy, proof = self.policy, self.files.get(f"{base}.tlog-proof", b"")
        # None for one that cannot be read, which a check of its own refuses.
        at = stated_time(self.files[token]) if token in self.files else self.now

        def checkpoint() -> Any:
            parsed = parse_proof(proof)
            head = parse_tree_head(parsed.note.text)
            need(head.origin == origin, f"{prefix}checkpoint", "a checkpoint of another log")
            names = [key.name for key in signers(parsed.note, trusted_at(policy.log_keys, at), LOG_KEY)]
            need(origin in names, f"{prefix}checkpoint", "not signed by a trusted key of its log")
            self.check_second(parsed.note, origin, at)
            return parsed, head

        parsed, head = self.run(f"{prefix}checkpoint", checkpoint)
        check = f"{prefix}inclusion"
        held = is_included(leaf_hash(entry), parsed.index, head.size, parsed.path, head.root)
        self.run(check, lambda: need(held, check, "the path does not lead to the root"))
        self.run(f"{prefix}witness", lambda: self.check_witnesses(parsed.note, at, f"{prefix}witness"))
        text: str = parsed.note.text
        return text, Leaf(entry, parsed.index, head)

    def check_second(self, note: Note, name: str, at: int | None, log: str | None = None) -> set[int]:
        """
        Each ML-DSA-44 key of this name that was trusted then signed the note too. The times that they state;
        none are looked at where the time cannot be read, which is refused anyway. ``log``: of which another
        one signed as the log that goes on. Its end has no second signature: it must not spare the count one.
        Raises NoteProblem or Refused.
        """
        trusted = [] if at is None else trusted_at(self.policy.log_keys, at)
        keys = [each for each in trusted if each.kind == MLDSA44_KEY and each.name == name]
        if log not in (None, name) and any(each.kind == MLDSA44_KEY and each.name == log for each in trusted):
            listed = [each.key for each in self.policy.log_keys]
            keys = [each for each in listed if each.kind == MLDSA44_KEY and each.name == name]
            need(keys, "outcomes", "it is counted by a log without a second key")
        signed = [second_signature(note, each) for each in keys]
        self.second_left_out |= any(not checked for _, checked in signed)
        return {time for time, _ in signed}

    def check_witnesses(self, note: Note, at: int | None, check: str) -> None:
        """
        Every cosignature of a trusted witness verifies, and enough operators cosigned when they can have
        seen the message.
        """
        first, last = self.accepted - TOLERANCE, self.now + DAY
        signed = [
            (key, seconds * 1000)
            for key, seconds in cosigners(note, trusted_at(self.policy.witness_keys, at))
        ]
        counting = [(key, time) for key, time in signed if time > 0 and first <= time <= last]
        self.cosigned += [time for _, time in counting]
        operators = {key.operator for key, _ in counting}
        wanted = self.policy.quorum if self.policy.reached is None else self.policy.reached
        need(len(operators) >= wanted, check, f"{len(operators)} witnesses cosigned, {wanted} are required")

    def check_stamped(self, text: str) -> None:
        """checkpoint.txt is the text of the proof's note."""
        same = self.files["checkpoint.txt"] == text.encode()
        need(same, "stamped_checkpoint", "checkpoint.txt is another checkpoint")

    # --- when that was

    def stamp(
        self,
        token: str,
        name: str,
        data: bytes,
        check: str,
        algorithm: str = "sha256",
        at: datetime | None = None,
    ) -> datetime:
        """Its time."""
        files = self.files
        reply, pem = files[token], files.get(f"chain/{name}.pem", b"")
        authorities = list(self.policy.authorities)
        stamp, chain, authority = self.run(
            check, lambda: check_token(reply, pem, authorities, (data, algorithm), check, at)
        )
        self.development = self.development or authority.get("development") is True
        link: Link = (stamp.time, chain)
        required = authority.get("revocation") == "required"
        if self.revocation or required:
            step = f"{check}_revocation"
            renewals = self.renewals if algorithm == "sha512" or check == "timestamp" else []
            self.run(step, lambda: self.revocation.check(link, required, step, renewals))
        if algorithm == "sha512":
            self.renewals.insert(0, link)
        return link[0]

    def check_constancia(self) -> datetime:
        """From the last renewal to the first, then the constancia: each held when the next was made."""
        tokens = [name for name in self.files if re.fullmatch(r"renewal/[0-9]{2}\.tsr", name)]
        count, after = len(tokens), self.at
        self.run("renewal", lambda: need(count <= MAX_RENEWALS, "renewal", "too many renewals"))
        for number in range(count, 0, -1):
            covers = f"renewal.{number:02}.covers"
            stamped = self.run(covers, partial(self.renewed_text, number, covers))
            token, check = f"renewal/{number:02}.tsr", f"renewal.{number:02}"
            need(token in self.files, "renewal", "the renewals have a gap")
            after = self.stamp(token, f"renewal-{number:02}", stamped, check, "sha512", after)
        text = self.files["checkpoint.txt"]
        return self.stamp("constancia.tsr", "constancia", text, "timestamp", at=after)

    def renewed_text(self, number: int, check: str) -> bytes:
        """The bytes that a renewal stamps: its sums, or a list that they are on."""
        files = self.files
        sums = files.get(f"renewal/{number:02}.sums", b"")
        names = ["checkpoint.txt", "constancia.tsr", "chain/constancia.pem"]
        for earlier in range(1, number):
            base = f"renewal/{earlier:02}"
            names += [f"{base}.sums", f"{base}.tsr", f"chain/renewal-{earlier:02}.pem"]
            names += [f"{base}.list"] if f"{base}.list" in files else []
        listed = {line[130:] for line in sums.decode("utf-8").split("\n")}
        names += [name for name in files if name.startswith("revocation/") and name in listed]
        for name in names:
            need(name in files, check, f"{name} is missing")
        lines = [f"{hashlib.sha512(files[name]).hexdigest()}  {name}\n" for name in sorted(names)]
        need("".join(lines).encode() == sums, check, "not what was to be renewed")
        found = files.get(f"renewal/{number:02}.list")
        if found is None:
            return sums
        each = found.splitlines(keepends=True)
        form = re.fullmatch(rb"(?:[0-9a-f]{128}\n)+", found)
        need(form and len(each) <= MAX_LISTED and each == sorted(set(each)), check, "a list of another form")
        need(hashlib.sha512(sums).hexdigest().encode() + b"\n" in each, check, "not on its list")
        return found

    # --- the outcome

    def check_mail(self, base: str, opened: dict[str, Any], outcome: dict[str, Any], check: str) -> None:
        """Section 5: the recipient acknowledged by mail."""
        envelope = read_openings(self.files["openings.json"])["envelope"]
        recipient = envelope.get("rcpt_to", {}).get("value")
        check_reply(self.files[f"{base}.dsn.eml"], opened, outcome["message_id"], recipient, check)

    def check_deliveries(self, manifest: dict[str, Any], canonical_hash: str) -> list[Outcome]:
        """Section 5: each chained to the one before."""
        previous, found = canonical_hash, []
        bases = sorted({name.split(".")[0] for name in self.files if name.startswith("delivery/")})
        for number, base in enumerate(bases, 1):
            check = f"delivery.{number:02}"
            need(base.startswith(f"delivery/{number:02}-"), "delivery", "the outcomes have a gap")
            after = (manifest, canonical_hash, previous)
            outcome, opened = self.run(check, partial(check_outcome, self.files, base, number, after, check))
            if opened and "dkim" in opened["facts"]["value"].get("acknowledgement", {}):
                self.run(f"{check}.reply", partial(self.check_mail, base, opened, outcome, f"{check}.reply"))
            entry = sha256(self.files[f"{base}.json"])
            token, stamped = f"{base}.tsr", None
            text, leaf = self.check_leaf(base, outcome["log"], entry, f"{check}.", token)
            if token in self.files:
                name = f"delivery-{number:02}"
                stamped = ms_of(self.stamp(token, name, text.encode(), f"{check}.timestamp"))
            found.append(Outcome(leaf, ms_of_text(outcome["occurred_at"]), stamped))
            previous = entry.hex()
        return found

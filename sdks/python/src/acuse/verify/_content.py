"""The checks of a bundle's content and outcomes: docs/evidence-format.md, sections 4 and 5."""

from __future__ import annotations

from typing import Any

from ._base import canonical, is_opened, need, sha256
from ._container import Files
from ._documents import read_openings, read_outcome, read_outcome_openings
from ._message import relaxed_body, relaxed_header
from ._times import ms_of_text


def part_facts(part: dict[str, Any]) -> dict[str, Any]:
    """The commitment of a part."""
    return {name: part[name] for name in ("filename", "media_type", "sha256", "size")}


def check_openings(files: Files, manifest: dict[str, Any], canonical_hash: str) -> dict[str, Any]:
    """Section 4: each opens its commitment, and nothing is there unopened. Raises Refused."""
    check = "openings"
    openings = read_openings(files["openings.json"])
    mail, envelope, sealed = openings["mail"], openings["envelope"], manifest["mail"]
    need(openings["canonical_hash"] == canonical_hash, check, "they are another message's")
    pairs = [(mail[name], sealed[name]) for name in ("body", "header", "raw") if name in mail]
    pairs += [(value, manifest["envelope"][name]) for name, value in envelope.items()]
    if "submission" in openings:
        pairs.append((openings["submission"], manifest["submission"]))
    need(all(is_opened(*pair) for pair in pairs), check, "an opening does not open its commitment")
    for value in envelope.values():
        need(sha256(value["value"].encode()).hex() == value["sha256"], check, "another address")
    last = -1
    for part in mail["parts"]:
        index = part["index"]
        need(last < index < len(sealed["parts"]), check, "the parts are not in order, or one too many")
        whole = {"salt": part["salt"], "sha256": sha256(canonical(part_facts(part))).hex()}
        need(is_opened(whole, sealed["parts"][index]), check, "a part does not open its commitment")
        last = index
    opened, every = len(pairs) + len(mail["parts"]), 6 + len(sealed["parts"])
    need(openings["content"] != "complete" or opened == every, check, "not everything is opened")
    need(openings["content"] != "erased" or opened == 0, check, "something is opened that was erased")
    check_present(files, openings)
    return openings


def check_present(files: Files, openings: dict[str, Any]) -> None:
    """No content is there that is not opened. Raises Refused."""
    """Content is there exactly where it is opened."""
    mail = openings["mail"]
    shown = {"submission.bin"} if "submission" in openings else set()
    if "raw" in mail:
        shown.add("message.eml")
    else:
        shown |= {f"parts/{part['index']:02}.bin" for part in mail["parts"]}
    whole = ("message.eml", "submission.bin")
    there = {name for name in files if name in whole or name.startswith("parts/")}
    need(there <= shown, "openings", "content that is not opened")


def check_whole(files: Files, name: str, opening: dict[str, Any], check: str) -> None:
    """A file has the hash that was opened. Raises Refused."""
    need(name in files, check, f"{name} is opened and not there")
    need(sha256(files[name]).hex() == opening["sha256"], check, f"{name} is another than was opened")


def check_relaxed(message: bytes, mail: dict[str, Any]) -> None:
    """L1 of the message. Raises Refused."""
    for layer, relaxed in (("header", relaxed_header), ("body", relaxed_body)):
        if layer in mail:
            same = sha256(relaxed(message)).hex() == mail[layer]["sha256"]
            need(same, "message_relaxed", f"another {layer} than was opened")


def check_found(found: list[dict[str, Any]], facts: dict[int, dict[str, Any]]) -> None:
    """L2 of the message. Raises Refused."""
    for index, fact in facts.items():
        same = index < len(found) and found[index] == fact
        need(same, "message_parts", f"part {index} is another than was opened")


def check_shown(files: Files, facts: dict[int, dict[str, Any]]) -> None:
    """L2 of parts that stand alone. Raises Refused."""
    for index, fact in facts.items():
        need(f"parts/{index:02}.bin" in files, "message_parts", f"part {index} is not there")
        data = files[f"parts/{index:02}.bin"]
        same = (sha256(data).hex(), len(data)) == (fact["sha256"], fact["size"])
        need(same, "message_parts", f"part {index} is another than was opened")


def check_outcome(
    files: Files, base: str, number: int, leaf: tuple[dict[str, Any], str, str], check: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """One outcome, and its openings, empty where there are none. Raises Refused."""
    manifest, canonical_hash, previous = leaf
    need(f"{base}.json" in files, check, "the outcome is missing")
    outcome = read_outcome(files[f"{base}.json"], check)
    need(base == f"delivery/{number:02}-{outcome['kind']}", check, "another kind or number than its name's")
    same = all(outcome[name] == manifest[name] for name in ("log", "message_id"))
    need(same and outcome["message_canonical_hash"] == canonical_hash, check, "another message's")
    need(outcome["previous"] == previous, check, "not chained to the one before")
    if outcome["kind"] == "unanswered":
        need("acknowledgement" in manifest, check, "it answers what the message did not ask for")
        over = ms_of_text(manifest["acknowledgement"]["until"]) <= ms_of_text(outcome["occurred_at"])
        need(over, check, "unanswered while the recipient still had time to answer")
    opened: dict[str, Any] = {}
    if f"{base}.openings.json" in files:
        opened = read_outcome_openings(
            files[f"{base}.openings.json"], outcome["kind"], outcome["source"], check
        )
        own = sha256(files[f"{base}.json"]).hex()
        need(opened["canonical_hash"] == own, check, "openings of another outcome")
        facts = opened["facts"]
        found = {"salt": facts["salt"], "sha256": sha256(canonical(facts["value"])).hex()}
        need(is_opened(found, outcome["facts"]), check, "the facts do not open their commitment")
    for label, name in (("transcript", f"{base}.transcript.json"), ("dsn", f"{base}.dsn.eml")):
        value = opened.get(label)
        need((value is None) == (name not in files), check, f"{label} is not there exactly if opened")
        need(not opened or (value is None) == (outcome[label] is None), check, f"{label} is not opened")
        if value is not None:
            same = sha256(files[name]).hex() == value["sha256"] and is_opened(value, outcome[label])
            need(same, check, f"another {label} than was opened")
    return outcome, opened

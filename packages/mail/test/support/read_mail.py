"""Reads messages (one base64 line each); writes what Python's email package makes of each, as a JSON line."""

import base64
import email
import email.policy
import json
import sys

POLICY = email.policy.default.clone(utf8=True)


def part_of(part):
    content = part.get_payload(decode=True) or b""
    return {
        "type": part.get_content_type(),
        "disposition": part.get_content_disposition(),
        "filename": part.get_filename(),
        "contentId": part.get("Content-ID"),
        "content": base64.b64encode(content).decode("ascii"),
    }


def mailboxes_of(message, name):
    header = message[name]
    if header is None:
        return []
    return [{"name": a.display_name, "address": a.addr_spec} for a in header.addresses]


def read(raw):
    message = email.message_from_bytes(raw, policy=POLICY)
    leaves = [part for part in message.walk() if not part.is_multipart()]
    return {
        "names": message.keys(),
        "subject": str(message["Subject"]),
        "from": mailboxes_of(message, "From"),
        "to": mailboxes_of(message, "To"),
        "types": [part.get_content_type() for part in message.walk()],
        "defects": [str(d) for part in message.walk() for d in part.defects],
        "parts": [part_of(part) for part in leaves],
    }


for line in sys.stdin:
    print(json.dumps(read(base64.b64decode(line))))

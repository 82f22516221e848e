"""The operations of the shim. Each op is written once, and awaits what is a task in AsyncAcuse."""

from __future__ import annotations

import asyncio
import base64
import contextvars
import inspect
import json
import logging
import os
import threading
import time
import traceback
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from clients import Call, Record, camel, client_of, current, each_of, error_answer, now, snake

import acuse
from acuse import Acuse, Checkpoint, Model
from acuse._codec import Ref, decode, encode
from acuse._engine import user_agent

LEVEL = 3


async def info(call: Call) -> Any:
    client = client_of(call) if call.request.get("options") else Acuse("acuse_a_b", "http://localhost")
    found = []
    for resource, value in vars(client).items():
        for name in dir(type(value)):
            if hasattr(getattr(type(value), name), "operation_id"):
                found.append(f"{camel(resource)}.{camel(name)}")
    return {
        "language": "python",
        "version": acuse.__version__,
        "user_agent": user_agent(client.core.settings),
        "level": LEVEL,
        "operations": sorted(found),
    }


def sent(result: acuse.SendResult) -> dict[str, Any]:
    """A SendResult as the suite has it."""
    return {
        "message": result.message.to_dict(),
        "replayed": result.replayed,
        "idempotency_key": result.idempotency_key,
        "attempts": result.attempts,
        "request_id": result.response.request_id,
    }


async def send(call: Call) -> Any:
    message = decode(Ref("Send"), call.args["message"], "message")
    return sent(await now(client_of(call).messages.send(message, call.args.get("idempotency_key"))))


async def send_raw(call: Call) -> Any:
    content = base64.b64decode(call.args["content"])
    return sent(await now(client_of(call).messages.send_raw(content, call.args.get("idempotency_key"))))


async def send_file(call: Call) -> Any:
    message = dict(call.args["message"])
    attachment = acuse.Attachment.from_file(call.args["path"])
    message["attachments"] = [*message.get("attachments", []), attachment]
    return sent(await now(client_of(call).messages.send(message, call.args.get("idempotency_key"))))


async def send_many(call: Call) -> Any:
    args, client = call.args, client_of(call)
    keys, message = args.get("keys"), args["message"]

    def one(number: int) -> Any:
        numbered = {**message, "subject": f"{message.get('subject', '')} {number}"}
        return client.messages.send(numbered, None if keys is None else f"{keys}{number}")

    def caught(number: int) -> Any:
        try:
            return one(number)
        except acuse.AcuseError as error:
            return error

    async def task(number: int, gate: asyncio.Semaphore) -> Any:
        async with gate:
            try:
                return await one(number)
            except acuse.AcuseError as error:
                return error

    threads = args.get("threads") or 1
    if call.tasks:
        gate = asyncio.Semaphore(threads)
        results = await asyncio.gather(*[task(number, gate) for number in range(args["count"])])
    else:
        with ThreadPoolExecutor(threads) as pool:
            context = contextvars.copy_context
            waiting = [pool.submit(context().run, caught, number) for number in range(args["count"])]
            results = [each.result() for each in waiting]
    return {"results": [one_of_many(each) for each in results]}


def one_of_many(result: Any) -> dict[str, Any]:
    """A result of send_many."""
    if isinstance(result, BaseException):
        return {"error": error_answer(result, Record())}
    return {"id": result.message.id, "replayed": result.replayed}


async def send_batch(call: Call) -> Any:
    entries = await now(client_of(call).messages.send_batch(call.args["items"]))
    return {
        "results": [
            {
                "status": each.status,
                "idempotency_key": each.idempotency_key,
                "message": each.message.to_dict() if each.message else None,
                "error": error_answer(each.error, Record()) if each.error else None,
            }
            for each in entries
        ]
    }


def method_of(call: Call) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The method of an operation, and its arguments."""
    resource, name = call.args["operation"].split(".")
    method = getattr(getattr(client_of(call), snake(resource)), snake(name))
    arguments = {}
    for given, value in (call.args.get("params") or {}).items():
        plain = snake(given)
        arguments[plain if plain in inspect.signature(method).parameters else f"{plain}_"] = value
    return method, arguments


async def do_call(call: Call) -> Any:
    method, arguments = method_of(call)
    if call.args.get("body") is not None:
        body = call.args["body"]
        raw = isinstance(body, dict) and set(body) == {"base64"}
        arguments["body"] = base64.b64decode(body["base64"]) if raw else body
    if call.args.get("idempotency_key") is not None:
        arguments["idempotency_key"] = call.args["idempotency_key"]
    result = method(**arguments)
    if hasattr(result, "pages"):
        async for page in each_of(result.pages()):
            return {"data": [encode(each) for each in page.items], "next_cursor": page.next_cursor}
    return plain_result(await now(result))


def plain_result(result: Any) -> Any:
    """The answer of an operation, as the suite has it."""
    if isinstance(result, acuse.SendResult):
        return result.message.to_dict()
    if isinstance(result, Model):
        return result.to_dict()
    if isinstance(result, bytes):
        return {"base64": base64.b64encode(result).decode()}
    return {"text": str(result)} if isinstance(result, str) else None


async def do_list(call: Call) -> Any:
    method, arguments = method_of(call)
    take = call.args.get("take")
    items: list[Any] = []
    async for item in each_of(method(**arguments)):
        items.append(encode(item))
        if take is not None and len(items) >= take:
            return {"items": items, "more": True}
    return {"items": items, "more": False}


async def pages(call: Call) -> Any:
    method, arguments = method_of(call)
    take = call.args.get("take")
    found: list[Any] = []
    async for page in each_of(method(**arguments).pages()):
        found.append([encode(each) for each in page.items])
        if take is not None and len(found) >= take:
            break
    return {"pages": found}


def resident() -> int:
    """Bytes in memory now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def download_bundle(call: Call) -> Any:
    peak, ended = [0], threading.Event()
    before = resident()

    def watch() -> None:
        while not ended.wait(0.005):
            peak[0] = max(peak[0], resident() - before)

    threading.Thread(target=watch, daemon=True).start()
    try:
        evidence = client_of(call).evidence
        path: Path = await now(evidence.download_bundle(call.args["message_id"], call.args["path"]))
    finally:
        ended.set()
    return {"bytes": path.stat().st_size, "peak_bytes": peak[0]}


async def wait_until_sealed(call: Call) -> Any:
    evidence = client_of(call).evidence
    within = call.args["within_ms"] / 1000
    return (await now(evidence.wait_until_sealed(call.args["message_id"], within))).to_dict()


def event_of(args: dict[str, Any]) -> acuse.WebhookEvent:
    """Of verify_webhook's arguments."""
    body: Any = args.get("parsed")
    if args.get("body") is not None:
        body = args["body"].encode()
    elif args.get("body_base64") is not None:
        body = base64.b64decode(args["body_base64"])
    tolerance = args.get("tolerance")
    return acuse.verify_webhook(
        body,
        args["headers"],
        args["secrets"],
        300 if tolerance is None else tolerance,
        accept_unstamped=bool(args.get("accept_unstamped")),
        now=args.get("now"),
    )


async def verify_webhook(call: Call) -> Any:
    event = event_of(call.args)
    return {
        "type": event.type,
        "created_at": event.created_at,
        "data": encode(event.data),
        "event_id": event.event_id,
        "replay_protected": event.replay_protected,
    }


async def verify_bundle(call: Call) -> Any:
    from acuse.verify import TRUST_BUNDLE, Policy
    from acuse.verify import verify_bundle as verify

    args = call.args
    policy: Any = TRUST_BUNDLE if args["policy"] == "TRUST_BUNDLE" else Policy.load(args["policy"])
    report = verify(args["path"], policy=policy, at=args.get("at"), eml=args.get("eml"), now=args.get("now"))
    return {
        **report.to_dict(),
        "reasons": [each.name for each in report.reasons],
        "warnings": [each.name for each in report.warnings],
        "copy": report.copy and report.copy.verdict,
    }


def point(checkpoint: Checkpoint) -> dict[str, Any]:
    """A checkpoint as the suite has it."""
    return {
        "origin": checkpoint.origin,
        "tree_size": checkpoint.size,
        "root_hash": base64.b64encode(checkpoint.root).decode(),
        "saved": checkpoint.note,
    }


async def log_checkpoint(call: Call) -> Any:
    return point(await now(client_of(call).log.checkpoint(call.args["pinned_key"])))


async def log_follow(call: Call) -> Any:
    saved = Checkpoint.load(call.args["saved"], call.args["pinned_key"])
    return point(await now(client_of(call).log.follow(saved)))


async def check_promise(call: Call) -> Any:
    log = client_of(call).log
    checkpoint = await now(log.checkpoint(call.args["pinned_key"]))
    message = decode(Ref("Message"), call.args["message"], "message")
    return {"state": (await now(log.check_promise(message, checkpoint))).state}


async def roundtrip(call: Call) -> Any:
    return encode(decode(Ref(call.args["schema"]), call.args["value"], call.args["schema"]))


class Lines(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


async def do_print(call: Call) -> Any:
    handler, root = Lines(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        texts = await what_is_printed(call)
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    return {"texts": texts + handler.lines}


async def what_is_printed(call: Call) -> list[str]:
    """Without what is logged."""
    what = call.args["what"]
    if what == "client":
        return printed(client_of(call))
    if what == "event":
        return printed(event_of(call.args))
    texts = []
    try:
        result = await now(client_of(call).messages.send(call.args["message"]))
        texts += printed(result.response)
    except acuse.AcuseError as error:
        texts += printed(error) + traceback.format_exception(error)
    return texts + [json.dumps(each) for each in call.record.attempts]


def printed(value: Any) -> list[str]:
    """Every way in which Python prints a value."""
    return [str(value), repr(value), f"{value}", f"{value!r:>10}", json.dumps(value, default=repr)]


OPS: dict[str, Callable[[Call], Coroutine[Any, Any, Any]]] = {
    "info": info,
    "send": send,
    "send_raw": send_raw,
    "send_file": send_file,
    "send_many": send_many,
    "send_batch": send_batch,
    "call": do_call,
    "list": do_list,
    "pages": pages,
    "download_bundle": download_bundle,
    "wait_until_sealed": wait_until_sealed,
    "verify_webhook": verify_webhook,
    "verify_bundle": verify_bundle,
    "log_checkpoint": log_checkpoint,
    "log_follow": log_follow,
    "check_promise": check_promise,
    "roundtrip": roundtrip,
    "print": do_print,
}


async def perform(call: Call) -> Any:
    """One op; ``cancel_after_ms`` cancels it as Python cancels tasks."""
    current.set(call.record)
    if call.request.get("op") not in OPS:
        raise LookupError(f"unknown op {call.request.get('op')}")
    steps = OPS[call.request["op"]](call)
    after = call.args.get("cancel_after_ms")
    if after is None:
        return await steps
    task = asyncio.ensure_future(steps)
    done, _ = await asyncio.wait([task], timeout=after / 1000)
    if not done:
        call.record.cancelled_at = time.monotonic()
        task.cancel()
    return await task

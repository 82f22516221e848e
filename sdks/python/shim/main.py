"""The shim of sdks/conformance: requests on stdin, answers on stdout. ``main.py async`` drives AsyncAcuse."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from typing import Any

from clients import Call, Record, error_answer, run_now
from ops import perform


class Shim:
    """Takes requests and answers them, side by side."""

    def __init__(self, tasks: bool) -> None:
        self._tasks = tasks
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._running: list[Any] = []

    def _answer(self, request: dict[str, Any], found: dict[str, Any], record: Record) -> None:
        told = {"attempts": record.attempts, "sleeps": record.sleeps}
        line = json.dumps({"id": request.get("id"), **found, **told})
        with self._lock:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    async def _task(self, request: dict[str, Any]) -> None:
        record = Record()
        try:
            found = {"result": await perform(Call(request, record, tasks=True))}
        except BaseException as error:
            found = {"error": error_answer(error, record)}
        self._answer(request, found, record)

    def _thread(self, request: dict[str, Any]) -> None:
        record = Record()
        try:
            found = {"result": run_now(perform(Call(request, record, tasks=False)))}
        except BaseException as error:
            found = {"error": error_answer(error, record)}
        self._answer(request, found, record)

    def take(self, request: dict[str, Any]) -> None:
        """Begins one request. What is to be cancelled runs as a task: threads cannot be."""
        if self._tasks or "cancel_after_ms" in (request.get("args") or {}):
            self._running.append(asyncio.run_coroutine_threadsafe(self._task(request), self._loop))
        else:
            thread = threading.Thread(target=self._thread, args=(request,), daemon=True)
            thread.start()
            self._running.append(thread)

    def serve(self) -> None:
        """Until stdin ends."""
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        for line in sys.stdin:
            if line.strip():
                self.take(json.loads(line))
        for each in self._running:
            if isinstance(each, threading.Thread):
                each.join()
            else:
                each.result()


if __name__ == "__main__":
    Shim("async" in sys.argv[1:]).serve()

"""What the generated resources do not have: batches, files, waiting, the log that is followed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from . import _models_generated as models
from ._batch import BatchEntry, batch_steps
from ._files import download_steps
from ._inputs_generated import SendDict
from ._log import Checkpoint, Promise, check_promise_steps, checkpoint_steps, follow_steps
from ._resource import operation, request_of
from ._resources_async_generated import AsyncEvidenceBase, AsyncLogBase, AsyncMessagesBase
from ._resources_generated import EvidenceBase, LogBase, MessagesBase
from ._waiting import sealed_steps

SEALED_WITHIN = 120.0
"""Seconds: sealing takes some, unless the authority cannot be reached."""
Item = SendDict | models.Send | models.BatchItem | dict[str, object]


class MessagesResource(MessagesBase):
    """``acuse.messages``"""

    @operation("sendBatch")
    def send_batch(self, items: Iterable[Item]) -> list[BatchEntry]:
        """
        Any number of messages, in requests of at most 100 items, 1 000 recipients and 60 MiB. One entry for
        each item, in order; it never raises for single items. An item without ``idempotency_key`` gets one.
        """
        return self._client.run(batch_steps(self._client.core, items))


class AsyncMessagesResource(AsyncMessagesBase):
    """``acuse.messages``"""

    @operation("sendBatch")
    async def send_batch(self, items: Iterable[Item]) -> list[BatchEntry]:
        """
        Any number of messages, in requests of at most 100 items, 1 000 recipients and 60 MiB. One entry for
        each item, in order; it never raises for single items. An item without ``idempotency_key`` gets one.
        """
        return await self._client.run(batch_steps(self._client.core, items))


class EvidenceResource(EvidenceBase):
    """``acuse.evidence``"""

    def download_bundle(self, id: str, path: str | os.PathLike[str]) -> Path:
        """The message's proof bundle as a file, which is there whole or not at all."""
        request = request_of("getProofBundle", {"id": id}, None, None, None)
        return self._client.run(download_steps(self._client.core, request, path))

    def wait_until_sealed(self, id: str, within: float = SEALED_WITHIN) -> models.Message:
        """
        The message, once it is sealed. Raises RefusedError at once for a plain one,
        APITimeoutError after ``within`` seconds.
        """
        return self._client.run(sealed_steps(self._client.core, id, within))


class AsyncEvidenceResource(AsyncEvidenceBase):
    """``acuse.evidence``"""

    async def download_bundle(self, id: str, path: str | os.PathLike[str]) -> Path:
        """The message's proof bundle as a file, which is there whole or not at all."""
        request = request_of("getProofBundle", {"id": id}, None, None, None)
        return await self._client.run(download_steps(self._client.core, request, path))

    async def wait_until_sealed(self, id: str, within: float = SEALED_WITHIN) -> models.Message:
        """
        The message, once it is sealed. Raises RefusedError at once for a plain one,
        APITimeoutError after ``within`` seconds.
        """
        return await self._client.run(sealed_steps(self._client.core, id, within))


class LogResource(LogBase):
    """``acuse.log``"""

    @operation("getLogCheckpoint")
    def checkpoint(self, pinned_key: str) -> Checkpoint:
        """The newest, signed by the key that you know. Raises LogError ``bad_signature``."""
        return self._client.run(checkpoint_steps(self._client.core, pinned_key))

    def follow(self, saved: Checkpoint) -> Checkpoint:
        """
        The newest, after proving from the log's tiles that it continues the saved one. Raises LogError:
        ``went_back``, ``forked``, ``bad_signature``.
        """
        return self._client.run(follow_steps(self._client.core, saved))

    def check_promise(self, message: models.Message, checkpoint: Checkpoint) -> Promise:
        """Was the promise kept that the log made when it accepted the message?"""
        return self._client.run(check_promise_steps(self._client.core, message, checkpoint))


class AsyncLogResource(AsyncLogBase):
    """``acuse.log``"""

    @operation("getLogCheckpoint")
    async def checkpoint(self, pinned_key: str) -> Checkpoint:
        """The newest, signed by the key that you know. Raises LogError ``bad_signature``."""
        return await self._client.run(checkpoint_steps(self._client.core, pinned_key))

    async def follow(self, saved: Checkpoint) -> Checkpoint:
        """
        The newest, after proving from the log's tiles that it continues the saved one. Raises LogError:
        ``went_back``, ``forked``, ``bad_signature``.
        """
        return await self._client.run(follow_steps(self._client.core, saved))

    async def check_promise(self, message: models.Message, checkpoint: Checkpoint) -> Promise:
        """Was the promise kept that the log made when it accepted the message?"""
        return await self._client.run(check_promise_steps(self._client.core, message, checkpoint))

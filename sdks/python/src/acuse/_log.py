"""Following the public log: its checkpoints, and what it promised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ._effects import Steps
from ._engine import Core
from ._merkle import Tile, TileTree, is_consistent, is_included, leaf_hash, tile_path, tiles_of
from ._models_generated import Evidence, Message
from ._notes import (
    LOG_KEY,
    NoteProblem,
    VerifierKey,
    open_promise,
    parse_key,
    parse_note,
    parse_tree_head,
    signers,
)
from ._resource import Content, Text, bytes_steps, json_steps, request_of, text_steps
from .errors import AcuseError, ConfigurationError, NotFoundError, RefusedError


class LogError(AcuseError):
    """The log is not what it said before. Keep both checkpoints: they are the proof."""

    def __init__(self, reason: Literal["went_back", "forked", "bad_signature"], message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """``went_back``: smaller than before; ``forked``: another history; ``bad_signature``: not its key."""


@dataclass(frozen=True)
class Checkpoint:
    """The log at some size. Keep ``note`` and ``key``: ``Checkpoint.load`` makes it again."""

    origin: str
    size: int
    root: bytes
    note: str
    """The signed text as the log gave it."""
    key: str
    """The verifier key that signed it."""

    @classmethod
    def load(cls, note: str, pinned_key: str) -> Checkpoint:
        """Raises LogError ``bad_signature``."""
        return read_checkpoint(note, pinned_key)


@dataclass(frozen=True)
class Promise:
    """The outcome of the log's promise to include a message."""

    state: Literal["kept", "pending", "broken"]
    deadline: int
    """Unix seconds."""


_AROUND = " \t\r\n"
"""Around a pinned key these are no part of it: files and answers end in a line end."""


def _pinned(text: str) -> VerifierKey:
    try:
        key = parse_key(text.strip(_AROUND))
        if key.kind != LOG_KEY:
            raise NoteProblem("a key of another kind")
    except NoteProblem as error:
        raise ConfigurationError(f"The pinned key must be the log's, name+id+base64: {error}.") from error
    return key


def read_checkpoint(text: str, pinned_key: str) -> Checkpoint:
    """Raises LogError ``bad_signature``, ConfigurationError for a key that cannot be one."""
    key = _pinned(pinned_key)
    try:
        note = parse_note(text.encode("utf-8", "surrogateescape"))
        head = parse_tree_head(note.text)
        if head.origin != key.name or not signers(note, [key], LOG_KEY):
            raise NoteProblem("not signed by the pinned key")
    except NoteProblem as error:
        raise LogError("bad_signature", f"The checkpoint is not signed by {key.name}: {error}.") from error
    return Checkpoint(head.origin, head.size, head.root, text, pinned_key.strip(_AROUND))


def checkpoint_steps(core: Core, pinned_key: str) -> Steps[Checkpoint]:
    """The newest."""
    _pinned(pinned_key)
    text: Text = yield from text_steps(core, request_of("getLogCheckpoint", None, None, None, None))
    return read_checkpoint(str(text), pinned_key)


def _tiles(core: Core, size: int, walk: Callable[[TileTree], list[bytes]]) -> Steps[list[bytes]]:
    """The result of a walk through the tree, with the tiles that it needs."""
    read: dict[Tile, bytes] = {}
    for tile in tiles_of(size, walk):
        path = tile_path(*tile)
        content: Content = yield from bytes_steps(
            core, request_of("getLogTile", {"path": path}, None, None, None)
        )
        if len(content) != tile[2] * 32:
            raise LogError("forked", f"The tile {path} of the log has another length.")
        read[tile] = bytes(content)
    return walk(TileTree(size, read.__getitem__))


def follow_steps(core: Core, saved: Checkpoint) -> Steps[Checkpoint]:
    """Raises LogError."""
    new = yield from checkpoint_steps(core, saved.key)
    if new.size < saved.size:
        raise LogError("went_back", f"The log has {new.size} entries, and had {saved.size}.")
    if new.size == saved.size:
        if new.root != saved.root:
            raise LogError("forked", f"The log has another root at {new.size} entries than before.")
        return new
    path: list[bytes] = []
    if saved.size > 0:
        path = yield from _tiles(core, new.size, lambda tree: tree.consistency(saved.size))
    if not is_consistent(saved.size, saved.root, new.size, new.root, path):
        raise LogError("forked", f"The log at {new.size} entries does not continue that of {saved.size}.")
    return new


def check_promise_steps(core: Core, message: Message, checkpoint: Checkpoint) -> Steps[Promise]:
    """Raises LogError ``bad_signature``, ConfigurationError for a message without a promise."""
    if message.promise is None:
        raise ConfigurationError("The message has no promise: only certified ones do.")
    key = _pinned(checkpoint.key)
    try:
        canonical_hash, deadline = open_promise(message.promise.encode(), key)
    except NoteProblem as error:
        raise LogError("bad_signature", f"The promise is not signed by {key.name}: {error}.") from error
    late = core.settings.wall_clock() > deadline
    missing = Promise("broken" if late else "pending", deadline)
    try:
        evidence: Evidence = yield from json_steps(
            core, request_of("getEvidence", {"id": message.id}, None, None, None)
        )
    except (RefusedError, NotFoundError):
        return missing
    if evidence.canonical_hash != canonical_hash.hex():
        return missing
    index = evidence.leaf_index
    if not 0 <= index < checkpoint.size:
        return missing
    path = yield from _tiles(core, checkpoint.size, lambda tree: tree.inclusion(index))
    kept = is_included(leaf_hash(canonical_hash), index, checkpoint.size, path, checkpoint.root)
    return Promise("kept", deadline) if kept else missing

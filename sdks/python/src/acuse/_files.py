"""Files: attachments that are read, bundles that are written."""

from __future__ import annotations

import base64
import os
import uuid
from pathlib import Path
from typing import IO

from ._effects import Steps, Work
from ._engine import Core, Request, call
from ._models_generated import Attachment
from .errors import ConfigurationError

MEDIA_TYPES = {
    ".csv": "text/csv",
    ".doc": "application/msword",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".eml": "message/rfc822",
    ".gif": "image/gif",
    ".gz": "application/gzip",
    ".htm": "text/html",
    ".html": "text/html",
    ".ics": "text/calendar",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".webp": "image/webp",
    ".xls": "application/vnd.ms-excel",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xml": "application/xml",
    ".zip": "application/zip",
}
"""The same on every machine, whatever its own tables say."""
OTHER_MEDIA_TYPE = "application/octet-stream"


def attachment_from_file(
    path: str | os.PathLike[str], content_type: str | None, content_id: str | None
) -> Attachment:
    """Raises ConfigurationError when the file cannot be read."""
    file = Path(path)
    try:
        content = base64.b64encode(file.read_bytes()).decode("ascii")
    except OSError as error:
        raise ConfigurationError(f"The attachment {file} cannot be read: {error.strerror}") from error
    kind = content_type or MEDIA_TYPES.get(file.suffix.lower(), OTHER_MEDIA_TYPE)
    if content_id is None:
        return Attachment(filename=file.name, content_type=kind, content=content)
    return Attachment(filename=file.name, content_type=kind, content=content, content_id=content_id)


class _Arriving:
    """A file beside the target that takes its place when it is whole, and else leaves nothing."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._path = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        self._file: IO[bytes] = os.fdopen(os.open(self._path, flags, 0o666), "wb")

    def write(self, chunk: bytes) -> None:
        """Takes content as it arrives."""
        self._file.write(chunk)

    def rewind(self) -> None:
        """Begins from the start."""
        self._file.seek(0)
        self._file.truncate()

    def finish(self) -> None:
        """Synced and renamed."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        os.replace(self._path, self._target)
        if hasattr(os, "O_DIRECTORY"):
            folder = os.open(self._target.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def discard(self) -> None:
        """Leaves nothing, unless it was finished."""
        if not self._file.closed:
            self._file.close()
            self._path.unlink(missing_ok=True)


def download_steps(core: Core, request: Request, path: str | os.PathLike[str]) -> Steps[Path]:
    """Streams the answer into a file. Raises OSError when it cannot be written."""
    target = Path(path).absolute()
    file: _Arriving = yield Work(lambda: _Arriving(target))
    try:
        streamed = Request(
            request.operation,
            request.path,
            request.query,
            request.headers,
            sink=file.write,
            rewind=file.rewind,
        )
        yield from call(core, streamed)
        yield Work(file.finish)
    finally:
        file.discard()
    return target

"""The client library of Acuse: transactional email whose proof holds without Acuse."""

from __future__ import annotations

from . import _events_generated, _inputs_generated, _models_generated, errors
from ._batch import BatchEntry, BatchFailed, BatchSent
from ._client import Acuse, AsyncAcuse
from ._codec import UNSET, Model, ResponseInfo, Unset
from ._events_generated import *  # noqa: F403
from ._inputs_generated import *  # noqa: F403
from ._log import Checkpoint, LogError, Promise
from ._models_generated import *  # noqa: F403
from ._operations_generated import OPERATIONS
from ._resource import AsyncPager, Content, Page, Pager, SendResult, Text
from ._settings import AttemptEvent
from ._version import __version__
from .errors import *  # noqa: F403
from .webhooks import EventTypes, WebhookEvent, verify_webhook

__all__ = [
    "OPERATIONS",
    "UNSET",
    "Acuse",
    "AsyncAcuse",
    "AsyncPager",
    "AttemptEvent",
    "BatchEntry",
    "BatchFailed",
    "BatchSent",
    "Checkpoint",
    "Content",
    "EventTypes",
    "LogError",
    "Model",
    "Page",
    "Pager",
    "Promise",
    "ResponseInfo",
    "SendResult",
    "Text",
    "Unset",
    "WebhookEvent",
    "__version__",
    "verify_webhook",
]
__all__ += _events_generated.__all__
__all__ += _inputs_generated.__all__
__all__ += _models_generated.__all__
__all__ += errors.__all__

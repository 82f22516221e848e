"""The same with the client that openapi-python-client makes."""

import os
import time

from acuse.api.messages import list_messages, send_message
from acuse.client import AuthenticatedClient
from acuse.models import ErrorAnswer, ErrorCode, Message, MessagePage, Send

client = AuthenticatedClient(base_url=os.environ["ACUSE_URL"], token=os.environ["ACUSE_API_KEY"])
send = Send(
    from_="Billing <billing@sandbox.test>",
    to="delivered@sandbox.test",
    subject="From Python",
    text="Hello.",
)
sent = send_message.sync(client=client, body=send, idempotency_key=f"python-{time.time_ns()}")
assert isinstance(sent, Message), sent

listed = list_messages.sync(client=client, limit=10)
assert isinstance(listed, MessagePage), listed
assert listed.data[0].id == sent.id, listed

send.to = "nobody"
refused = send_message.sync(client=client, body=send, idempotency_key="refused")
assert isinstance(refused, ErrorAnswer), refused
assert refused.error.code == ErrorCode.INVALID_ADDRESS, refused
print(f"Python: {sent.status}, listed, {refused.error.code}")

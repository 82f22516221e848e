"""Send a message, and send it again under its key: only one goes out."""

from acuse import Acuse, SendDict

with Acuse() as acuse:  # ACUSE_API_KEY and ACUSE_URL
    draft: SendDict = {
        "from": "billing@sandbox.test",
        "to": "delivered@sandbox.test",
        "subject": "Invoice 1",
        "text": "Hello.",
    }
    first = acuse.messages.send(draft, "python-example-1")
    again = acuse.messages.send(draft, "python-example-1")
    assert again.message.id == first.message.id
    print(first.message.id, first.message.status, again.replayed)

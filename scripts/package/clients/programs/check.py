from pathlib import Path

from acuse import verify_webhook
from acuse.verify import TRUST_BUNDLE, verify_bundle

headers = dict(line.split(": ") for line in Path("headers.txt").read_text().splitlines())
event = verify_webhook(Path("body.json").read_bytes(), headers, Path("secret.txt").read_text())
print(verify_bundle("proof.zip", policy=TRUST_BUNDLE).verdict, event.type)

import { randomBytes } from 'node:crypto';
import { hmacSha256 } from '@acuse/mail/hmac';

/** Signatures by the specification, and by Standard Webhooks, whose timestamp prevents replays. */

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export interface Signing {
  readonly webhookId: string;
  readonly eventId: string;
  readonly type: string;
  readonly body: Uint8Array;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly at: Date;
}

export function plainHeaders(attempt: Pick<Signing, 'webhookId' | 'eventId' | 'type' | 'at'>) {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'service-webhooks/1.0',
    'Service-Event': attempt.type,
    'Service-Webhook-Id': attempt.webhookId,
    'webhook-id': attempt.eventId,
    'webhook-timestamp': String(Math.floor(attempt.at.getTime() / 1_000)),
  };
}

export function webhookHeaders(signing: Signing): Record<string, string> {
  const { body, secret, previousSecret, eventId } = signing;
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  const headers: Record<string, string> = plainHeaders(signing);
  const timestamp = headers['webhook-timestamp']!;
  headers['Service-Signature'] = serviceSignature(body, secret);
  headers['webhook-signature'] = secrets
    .map((each) => standardSignature(eventId, timestamp, body, each))
    .join(' ');
  // The specified header holds one signature: the old secret's goes into another.
  if (previousSecret !== null) headers['Service-Signature-Previous'] = serviceSignature(body, previousSecret);
  return headers;
}

/** `sha256=<hex>`, keyed with the secret's characters. */
function serviceSignature(body: Uint8Array, secret: string): string {
  return `sha256=${hmacSha256(keysOf(secret).service, body).toString('hex')}`;
}

/** `v1,<base64>` over `id.timestamp.body`, keyed with the decoded bytes. */
function standardSignature(id: string, timestamp: string, body: Uint8Array, secret: string): string {
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return `v1,${hmacSha256(keysOf(secret).standard, signed).toString('base64')}`;
}

interface Keys {
  readonly service: Uint8Array;
  readonly standard: Uint8Array;
}

/** Cached HMAC keys with their pads. */
const KEPT_MAX = 1_000;
const kept = new Map<string, Keys>();

function keysOf(secret: string): Keys {
  const known = kept.get(secret);
  if (known !== undefined) return known;
  const keys = {
    service: Buffer.from(secret),
    standard: Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'),
  };
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value!);
  kept.set(secret, keys);
  return keys;
}

/** Deliveries of webhooks: are they genuine, are they new, and what do they say. */
import { WebhookError } from './errors.ts';
import { INSPECT } from './secrets.ts';
import type { EventOfType } from './types-generated.ts';

/** Why a delivery is refused. */
export type WebhookReason =
  | 'parsed_body'
  | 'bad_secret'
  | 'missing_header'
  | 'unstamped'
  | 'malformed_header'
  | 'too_old'
  | 'too_new'
  | 'no_match'
  | 'malformed_body';

/** Header names in any case: Node's `request.headers`, a `Headers`, a Map or pairs. */
export type WebhookHeaders =
  | Headers
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** How far the time of a delivery may be from now. Default: 300 s. */
  readonly toleranceMs?: number | undefined;
  /** Accepts `Service-Signature` alone too. It has no time, so a recorded delivery can always be replayed. */
  readonly acceptUnstamped?: boolean | undefined;
  /** Unix time in milliseconds: for tests. */
  readonly clock?: (() => number) | undefined;
}

interface EventFrame {
  readonly created_at: string;
  /** The same in every delivery of the event: remember it. Undefined only with `acceptUnstamped`. */
  readonly event_id: string | undefined;
  /** The delivery was signed with its time, and the time is near. */
  readonly replay_protected: boolean;
}

/**
 * An event that this version knows: `type` tells what `data` holds. The mapped type is what lets any of them
 * be taken for an OtherWebhookEvent, to which a program's `default` may leave those of a later version.
 */
export type KnownWebhookEvent = EventFrame &
  {
    [Type in EventOfType['type']]: {
      readonly type: Type;
      readonly data: Plain<Extract<EventOfType, { readonly type: Type }>['data']>;
    };
  }[EventOfType['type']];

type Plain<Fields> = { readonly [Name in keyof Fields]: Fields[Name] };

/** An event of a newer server, which `default` in a `switch` over `type` gets: name this type there. */
export interface OtherWebhookEvent extends EventFrame {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Comparing `type` tells what `data` holds; a type of a newer server comes as it is. */
export type WebhookEvent = KnownWebhookEvent;

const TOLERANCE_MS = 300_000;
const SIGNATURES_MAX = 10;
const SECRET_PREFIX = 'whsec_';

/**
 * The event of a genuine delivery. `body` is the bytes of the request as they came; `secrets` one secret, or
 * both while a rotated one is still valid. Throws WebhookError, whose `reason` says why.
 */
export async function verifyWebhook(
  body: Uint8Array | ArrayBuffer | string,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: WebhookOptions = {},
): Promise<WebhookEvent> {
  const bytes = readBytes(body);
  const keys = readSecrets(secrets);
  const header = readHeaders(headers);
  const stamped = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => header.get(name));
  const [id, timestamp, signatures] = stamped;
  if (id === undefined || timestamp === undefined || signatures === undefined) {
    await checkUnstamped(bytes, { header, keys, stamped, accepted: options.acceptUnstamped ?? false });
    return readEvent(bytes, undefined, false);
  }
  const nowMs = (options.clock ?? Date.now)();
  checkTime(timestamp, nowMs, options.toleranceMs ?? TOLERANCE_MS);
  const signed = concat(utf8(`${id}.${timestamp}.`), bytes);
  if (!(await isSigned(signed, signatures, keys)))
    throw new WebhookError(
      'no_match',
      'No webhook-signature matches: check the secret, and that the body is passed as it came.',
    );
  return readEvent(bytes, id, true);
}

function readBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return utf8(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new WebhookError(
    'parsed_body',
    'The body was parsed already, but the signature covers its bytes: use express.raw({ type: "application/json" }) ' +
      'for this route, rawBody: true with request.rawBody in NestJS, a content type parser with parseAs: "buffer" ' +
      'in Fastify, await request.text() in Next.js.',
  );
}

function readSecrets(
  secrets: string | readonly string[],
): readonly { text: Uint8Array; bytes: Uint8Array }[] {
  const list = typeof secrets === 'string' ? [secrets] : [...secrets];
  if (list.length === 0)
    throw new WebhookError('bad_secret', 'No webhook secret: pass the one that the endpoint has.');
  return list.map((secret) => {
    const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : undefined;
    const bytes = encoded === undefined ? undefined : fromBase64(encoded);
    if (bytes === undefined || bytes.length === 0)
      throw new WebhookError('bad_secret', 'A webhook secret is whsec_ and base64: pass it as it was shown.');
    return { text: utf8(secret), bytes };
  });
}

function readHeaders(headers: WebhookHeaders): ReadonlyMap<string, string> {
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers);
  const read = new Map<string, string>();
  for (const [name, value] of pairs as Iterable<readonly [string, string | readonly string[] | undefined]>) {
    const text = [value ?? ''].flat().join(' ');
    if (text !== '') read.set(name.toLowerCase(), text);
  }
  return read;
}

function checkTime(timestamp: string, nowMs: number, toleranceMs: number): void {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('malformed_header', 'webhook-timestamp is not a time in Unix seconds.');
  // The server gives whole seconds: the part of this one that has passed does not count.
  const ageMs = Math.floor(nowMs / 1_000) * 1_000 - Number(timestamp) * 1_000;
  if (ageMs > toleranceMs)
    throw new WebhookError(
      'too_old',
      `The delivery is ${ageMs / 1_000} s old: a replay, or this clock is fast.`,
    );
  if (-ageMs > toleranceMs)
    throw new WebhookError('too_new', `The delivery is ${-ageMs / 1_000} s in the future: check this clock.`);
}

async function isSigned(
  signed: Uint8Array,
  signatures: string,
  keys: readonly { bytes: Uint8Array }[],
): Promise<boolean> {
  const given = signatures
    .split(' ')
    .filter((each) => each !== '')
    .slice(0, SIGNATURES_MAX)
    .filter((each) => each.startsWith('v1,'))
    .flatMap((each) => fromBase64(each.slice('v1,'.length)) ?? []);
  let matches = false;
  for (const { bytes } of keys)
    for (const signature of given) if (await isHmac(signature, signed, bytes)) matches = true;
  return matches;
}

interface Unstamped {
  readonly header: ReadonlyMap<string, string>;
  readonly keys: readonly { text: Uint8Array }[];
  readonly stamped: readonly (string | undefined)[];
  readonly accepted: boolean;
}

async function checkUnstamped(
  bytes: Uint8Array,
  { header, keys, stamped, accepted }: Unstamped,
): Promise<void> {
  const given = [header.get('service-signature'), header.get('service-signature-previous')].filter(
    (each) => each !== undefined,
  );
  if (given.length === 0 || stamped.some((each) => each !== undefined))
    throw new WebhookError(
      'missing_header',
      'webhook-id, webhook-timestamp and webhook-signature are required: pass all headers of the request.',
    );
  if (!accepted)
    throw new WebhookError(
      'unstamped',
      'The delivery has Service-Signature alone, without a time, so that it could be a replay: acceptUnstamped lets it pass.',
    );
  let matches = false;
  for (const { text } of keys)
    for (const each of given) {
      const signature = /^sha256=[0-9a-f]{64}$/.test(each)
        ? fromHex(each.slice('sha256='.length))
        : undefined;
      if (signature !== undefined && (await isHmac(signature, bytes, text))) matches = true;
    }
  if (!matches)
    throw new WebhookError(
      'no_match',
      'Service-Signature does not match: check the secret, and that the body is passed as it came.',
    );
}

/** In constant time: the platform compares. */
async function isHmac(signature: Uint8Array, data: Uint8Array, key: Uint8Array): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await subtle.importKey('raw', plain(key), algorithm, false, ['verify']);
  return subtle.verify('HMAC', imported, plain(signature), plain(data));
}

function readEvent(bytes: Uint8Array, id: string | undefined, replayProtected: boolean): WebhookEvent {
  const value = parse(bytes);
  const { type, created_at, data } = value;
  if (typeof type !== 'string' || typeof created_at !== 'string' || !isObject(data))
    throw new WebhookError('malformed_body', 'The body has no type, created_at and data.');
  const eventId = id ?? (typeof data['event_id'] === 'string' ? data['event_id'] : undefined);
  const event = { type, created_at, data, event_id: eventId, replay_protected: replayProtected };
  // Printing an event says what it is, not who writes to whom.
  Object.defineProperty(event, INSPECT, { value: () => `WebhookEvent(${type}, ${eventId ?? 'no id'})` });
  return event as unknown as WebhookEvent;
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new WebhookError('malformed_body', 'The body is not JSON.');
  }
  if (!isObject(value)) throw new WebhookError('malformed_body', 'The body is not a JSON object.');
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

/** Over memory of its own, as WebCrypto asks. */
function plain(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(at * 2, at * 2 + 2), 16),
  );
}

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** `@acuse/client/testing`: what tests of programs that send need. Nothing here is for production. */

import { Acuse } from '../acuse.ts';
import { type AcuseOptions, readKey, readSettings } from '../options.ts';
import type { BatchItem, Message } from '../types-generated.ts';
import { type FakeState, fakeTransport } from './fake-transport.ts';

/** The next answer of a FakeAcuse. */
export interface ScriptedRefusal {
  /** A code of the API, such as `recipient_suppressed`. */
  readonly code: string;
  readonly message?: string | undefined;
  /** How many requests are refused so. Default: 1. */
  readonly times?: number | undefined;
}

/** A message that was sent to a FakeAcuse. */
export interface FakeSend {
  readonly idempotencyKey: string;
  readonly message: Message;
  /** As the program gave it; the text of a raw message. */
  readonly given: Omit<BatchItem, 'idempotency_key'> | string;
}

/**
 * A client whose server is in memory: it knows keys, replays and scripted refusals, and opens no
 * connection. It answers sends, batches and reading messages back; anything else is 404.
 */
export class FakeAcuse extends Acuse {
  readonly #state: FakeState;

  constructor(options: Omit<AcuseOptions, 'transport' | 'fetch' | 'caFile' | 'proxy'> = {}) {
    const state: FakeState = { sent: [], refusals: [], seen: new Map() };
    const transport = fakeTransport(state);
    super({
      apiKey: 'acuse_fake_key',
      baseUrl: 'http://localhost',
      sleep: async () => {},
      ...options,
      transport,
    });
    this.#state = state;
  }

  /** The messages sent, oldest first; replays are not there twice. */
  get sent(): readonly FakeSend[] {
    return this.#state.sent;
  }

  /** Refuses what is requested next. */
  refuse(refusal: ScriptedRefusal): void {
    for (let times = refusal.times ?? 1; times > 0; times--) this.#state.refusals.push(refusal);
  }
}

/** Names in front of the @ of sandbox addresses, each with an outcome of its own. */
export type SandboxOutcome = 'delivered' | 'bounced' | 'deferred' | 'complained' | (string & {});

export const sandbox = {
  /** `bounced+tag@sandbox.test`: an address whose mail comes out as its name says. */
  address(outcome: SandboxOutcome, tag?: string): string {
    return `${outcome}${tag === undefined ? '' : `+${tag}`}@sandbox.test`;
  },

  /**
   * The test mailbox of a service in sandbox mode: that of ACUSE_URL with ACUSE_API_KEY, unless others are
   * given, as for a client. Throws ConfigurationError.
   */
  mailbox(options: Pick<AcuseOptions, 'baseUrl' | 'apiKey' | 'allowInsecure'> = {}): Mailbox {
    const { baseUrl } = readSettings(options);
    const apiKey = readKey(options.apiKey);
    const request = async (path: string, method = 'GET') => {
      const headers = { Authorization: `Bearer ${apiKey}`, Accept: 'application/json' };
      const response = await fetch(`${baseUrl}/sandbox/mailbox${path}`, { method, headers });
      if (!response.ok) throw new Error(`The mailbox answered ${response.status}: is this a sandbox?`);
      return response.status === 204 ? undefined : response.json();
    };
    return {
      list: async (limit = 100) => ((await request(`?limit=${limit}`)) as { data: MailboxMail[] }).data,
      get: async (id) =>
        (await request(`/${encodeURIComponent(id)}`)) as MailboxMail & { text: string | null },
    };
  },
};

/** A mail that arrived in the test mailbox. */
export interface MailboxMail {
  readonly id: string;
  readonly rcpt_to: string;
  readonly message_id: string | null;
  readonly subject: string | null;
  readonly received_at: string;
}

export interface Mailbox {
  /** Newest first. */
  list(limit?: number): Promise<MailboxMail[]>;
  get(id: string): Promise<MailboxMail & { readonly text: string | null }>;
}

/**
 * A delivery as the service would sign it: pass both to the program's own endpoint. Its id is
 * `data.event_id`, or a new one; without `created_at` it is of the time of the delivery.
 */
export async function signWebhook(
  event: { readonly type: string; readonly created_at?: string; readonly data: object },
  secret: string,
  at: Date = new Date(),
): Promise<{ body: string; headers: Record<string, string> }> {
  const { type, data } = event;
  if (typeof type !== 'string')
    throw new TypeError('The event has no type: give a text, such as email.sent.');
  if (typeof data !== 'object' || data === null)
    throw new TypeError('The event has no data: give an object, such as {}.');
  const body = JSON.stringify({ type, created_at: event.created_at ?? at.toISOString(), data });
  const id = String((data as { event_id?: unknown }).event_id ?? globalThis.crypto.randomUUID());
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const key = keyOf(secret);
  const signed = await hmac(key, `${id}.${timestamp}.${body}`);
  const whole = await hmac(new TextEncoder().encode(secret), body);
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'Service-Event': event.type,
      'Service-Signature': `sha256=${[...whole].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${btoa(String.fromCharCode(...signed))}`,
    },
  };
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  if (text === undefined || text.length % 4 !== 0)
    throw new TypeError('A webhook secret is whsec_ and base64, such as whsec_c2VjcmV0IG9mIGEgdGVzdA==.');
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto;
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await subtle.sign('HMAC', imported, new TextEncoder().encode(text)));
}

import { isIP } from 'node:net';
import { apiError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { Counts } from '../platform/counts.ts';
import type { Db, DbAndClock } from '../platform/database/db.ts';
import { requireById } from '../platform/http/own-rows.ts';
import { newId } from '../platform/ids.ts';
import type { OutboundHttp, PostResult } from '../platform/network/outbound-http.ts';
import { isPublicAddress } from '../platform/network/public-address.ts';
import type { SecretBox } from '../platform/secrets.ts';
import {
  countAndLockEndpoints,
  deleteEndpoint,
  type EndpointRow,
  findEndpoint,
  findSigning,
  insertEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from './endpoint-store.ts';
import { type EventType, eventBody, NAMED_TYPES } from './event.ts';
import { openSecrets, sealSecret } from './secrets.ts';
import { newWebhookSecret, webhookHeaders } from './sign.ts';

/** Names for private use. RFC 6761 §6 */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|test|home\.arpa)\.?$/;

interface EndpointsDeps extends DbAndClock {
  secrets: SecretBox;
  http: OutboundHttp;
}

export const WEBHOOKS_MAX = 20;
/** Overlap of a rotation: both secrets sign (ms). */
export const SECRET_OVERLAP_MS = 24 * 60 * 60 * 1_000;

interface EndpointFields {
  url: string;
  events: readonly string[];
  description?: string | undefined;
}

interface EndpointPatch {
  url?: string | undefined;
  events?: readonly string[] | undefined;
  description?: string | null | undefined;
  enabled?: boolean | undefined;
}

export interface EndpointWithSecret {
  row: EndpointRow;
  secret: string;
}

/** Each throws not_found for an unknown id. */
export interface Endpoints {
  /** Throws invalid_body for a refused URL, conflict over WEBHOOKS_MAX. */
  create(tenantId: string, fields: EndpointFields): Promise<EndpointWithSecret>;
  get(tenantId: string, webhookId: string): Promise<EndpointRow>;
  list(tenantId: string, after: string | null, limit: number): Promise<EndpointRow[]>;
  /** Throws invalid_body as create. Disabling fails the waiting deliveries. */
  update(tenantId: string, webhookId: string, patch: EndpointPatch): Promise<EndpointRow>;
  remove(tenantId: string, webhookId: string): Promise<void>;
  /** The new secret, shown once; the old one also signs for SECRET_OVERLAP_MS. */
  rotate(tenantId: string, webhookId: string): Promise<EndpointWithSecret>;
  ping: Ping;
}

export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { db, clock, secrets, http } = deps;

  async function requireAllowedUrl(url: string): Promise<void> {
    const refusal = await http.refusal(url);
    if (refusal !== null) throw apiError('invalid_body', `${refusal}${localAdvice(url)}`);
  }

  const get = (tenantId: string, webhookId: string): Promise<EndpointRow> =>
    requireById(db, tenantId, webhookId, findEndpoint);

  return {
    get,
    ping: createPing(deps),

    async create(tenantId, fields) {
      await requireAllowedUrl(fields.url);
      const webhookId = newId();
      const secret = newWebhookSecret();
      const row = await db.transact(async (tx) => {
        if ((await countAndLockEndpoints(tx, tenantId)) >= WEBHOOKS_MAX)
          throw apiError(
            'conflict',
            `Limit of ${WEBHOOKS_MAX} webhooks per account reached: delete one first.`,
          );
        return insertEndpoint(tx, {
          tenantId,
          webhookId,
          url: fields.url,
          events: normalEvents(fields.events),
          description: fields.description ?? null,
          secretSealed: sealSecret(secrets, tenantId, webhookId, secret),
          at: clock.now(),
        });
      });
      return { row, secret };
    },

    list: (tenantId, after, limit) =>
      db.asTenant(tenantId, (tx) => listEndpoints(tx, tenantId, after, limit)),

    async update(tenantId, webhookId, patch) {
      await get(tenantId, webhookId);
      if (patch.url !== undefined) await requireAllowedUrl(patch.url);
      const change = {
        url: patch.url ?? null,
        events: patch.events === undefined ? null : normalEvents(patch.events),
        description: patch.description,
        enabled: patch.enabled ?? null,
      };
      return requireById(db, tenantId, webhookId, (tx) =>
        updateEndpoint(tx, tenantId, webhookId, change, clock.now()),
      );
    },

    async remove(tenantId, webhookId) {
      await requireById(db, tenantId, webhookId, deleteEndpoint);
    },

    async rotate(tenantId, webhookId) {
      const secret = newWebhookSecret();
      const sealed = sealSecret(secrets, tenantId, webhookId, secret);
      const at = clock.now();
      const until = new Date(at.getTime() + SECRET_OVERLAP_MS);
      const row = await requireById(db, tenantId, webhookId, (tx) =>
        rotateSecret(tx, tenantId, webhookId, { secretSealed: sealed, until, at }),
      );
      return { row, secret };
    },
  };
}

/** Types that `*` includes are not listed as well. */
function normalEvents(events: readonly string[]): string[] {
  const each = [...new Set(events)];
  if (!each.includes('*')) return each;
  return ['*', ...each.filter((type) => (NAMED_TYPES as readonly string[]).includes(type))];
}

/** True if the URL looks like a development receiver; nothing is resolved. */
function isLocal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !isPublicAddress(host);
  // A name without a dot is a container's or a private network's.
  return LOCAL_NAME.test(host) || !host.includes('.');
}

/** Advice for developers after a refused URL. */
function localAdvice(url: string): string {
  if (!isLocal(url)) return '';
  return ` To receive events during development, run acuse webhooks listen --forward ${forTerminal(url)}: it needs no endpoint. Or start a sandbox with ACUSE_WEBHOOK_ALLOW_PRIVATE=true: it then also calls loopback addresses.`;
}

/** Meant to be pasted: no shell metacharacters. */
function forTerminal(url: string): string {
  return /^[\w:/.[\]-]{1,100}$/.test(url) ? url : 'http://localhost:3000/hook';
}

interface PingAnswer {
  result: PostResult;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends one synthetic event at once, even to a disabled endpoint; nothing is kept. Throws not_found, and
 * rate_limited beyond PINGS_AT_ONCE.
 */
type Ping = (tenantId: string, webhookId: string) => Promise<PingAnswer>;

/** Each ping may hold a connection for a whole time-out. */
const PINGS_AT_ONCE = 4;
const RETRY_SECONDS = 5;

function createPing(deps: { db: Db; clock: Clock; secrets: SecretBox; http: OutboundHttp }): Ping {
  const { db, clock, secrets, http } = deps;
  const underWay = new Counts();

  async function ping(tenantId: string, webhookId: string): Promise<PingAnswer> {
    const row = await requireById(db, tenantId, webhookId, findSigning);
    const at = clock.now();
    const eventId = newId(at.getTime());
    const type = (row.events[0] === '*' ? 'email.queued' : row.events[0]) as EventType;
    const messageId = newId(at.getTime());
    const body = eventBody({ type, eventId, messageId, occurredAt: at, data: { synthetic: true } });
    const bytes = Buffer.from(body);
    const headers = webhookHeaders({
      webhookId,
      eventId,
      type,
      body: bytes,
      at,
      ...openSecrets(secrets, tenantId, row, at),
    });
    return { result: await http.post(row.url, headers, bytes), headers, body };
  }

  return async (tenantId, webhookId) => {
    if (underWay.of(tenantId) >= PINGS_AT_ONCE)
      throw apiError('rate_limited', `${PINGS_AT_ONCE} pings are in progress: wait for one to end.`, {
        retryAfterSeconds: RETRY_SECONDS,
      });
    underWay.add(tenantId, 1);
    try {
      return await ping(tenantId, webhookId);
    } finally {
      underWay.add(tenantId, -1);
    }
  };
}

import { apiError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { Counts } from '../platform/counts.ts';
import type { Db } from '../platform/database/db.ts';
import { requireById } from '../platform/http/own-rows.ts';
import { newId } from '../platform/ids.ts';
import type { OutboundHttp, PostResult } from '../platform/network/outbound-http.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { findSigning } from './endpoint-store.ts';
import { type EventType, eventBody } from './event.ts';
import { openSecrets } from './secrets.ts';
import { webhookHeaders } from './sign.ts';

interface PingAnswer {
  result: PostResult;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends one synthetic event at once, even to a disabled endpoint; nothing is kept. Throws not_found, and
 * rate_limited beyond PINGS_AT_ONCE.
 */
export type Ping = (tenantId: string, webhookId: string) => Promise<PingAnswer>;

/** Each ping may hold a connection for a whole time-out. */
const PINGS_AT_ONCE = 4;
const RETRY_SECONDS = 5;

export function createPing(deps: { db: Db; clock: Clock; secrets: SecretBox; http: OutboundHttp }): Ping {
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

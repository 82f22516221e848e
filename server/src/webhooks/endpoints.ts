import { apiError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db.ts';
import { isId, newId } from '../platform/ids.ts';
import type { OutboundHttp, PostResult } from '../platform/outbound-http.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { type EventType, eventBody } from './append.ts';
import { failQueued } from './delivery-store.ts';
import {
  deleteEndpoint,
  type EndpointRow,
  findEndpoint,
  findSigning,
  insertEndpoint,
  listEndpoints,
  lockTenantEndpoints,
  rotateSecret,
  type SigningRow,
  updateEndpoint,
} from './endpoint-store.ts';
import { newWebhookSecret, webhookHeaders } from './sign.ts';

export interface EndpointsDeps {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  http: OutboundHttp;
}

/** Endpoints a tenant may have (contract.md "Limits"). */
export const WEBHOOKS_MAX = 20;
/** How long the secret before a rotation goes on signing beside the new one. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60 * 1_000;

export interface EndpointFields {
  url: string;
  events: readonly string[];
  description?: string | undefined;
}

export interface PingAnswer {
  result: PostResult;
  headers: Record<string, string>;
  body: string;
}

/** What a secret is sealed for. */
export function secretContext(tenantId: string, webhookId: string): string {
  return `webhook:${tenantId}:${webhookId}`;
}

export interface Endpoints {
  create(tenantId: string, fields: EndpointFields): Promise<{ row: EndpointRow; secret: string }>;
  get(tenantId: string, webhookId: string): Promise<EndpointRow>;
  list(tenantId: string, after: string | null, limit: number): Promise<EndpointRow[]>;
  update(
    tenantId: string,
    webhookId: string,
    change: Partial<Omit<EndpointFields, 'description'>> & {
      description?: string | null | undefined;
      enabled?: boolean | undefined;
    },
  ): Promise<EndpointRow>;
  remove(tenantId: string, webhookId: string): Promise<void>;
  /** A new secret, shown this once; the old one signs beside it for SECRET_OVERLAP_MS. */
  rotate(tenantId: string, webhookId: string): Promise<{ row: EndpointRow; secret: string }>;
  /** Delivers one synthetic event at once, whether the endpoint is enabled or not. */
  ping(tenantId: string, webhookId: string): Promise<PingAnswer>;
}

export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { db, clock, secrets, http } = deps;

  async function requireAllowedUrl(url: string): Promise<void> {
    const refusal = await http.refusal(url);
    if (refusal !== null) throw apiError('invalid_body', refusal);
  }

  return {
    async create(tenantId, fields) {
      await requireAllowedUrl(fields.url);
      const webhookId = newId();
      const secret = newWebhookSecret();
      const row = await db.transact(async (tx) => {
        if ((await lockTenantEndpoints(tx, tenantId)) >= WEBHOOKS_MAX) {
          throw apiError('conflict', `An account has at most ${WEBHOOKS_MAX} webhooks: delete one first.`);
        }
        return insertEndpoint(tx, {
          tenantId,
          webhookId,
          url: fields.url,
          events: normalEvents(fields.events),
          description: fields.description ?? null,
          secretSealed: secrets.seal(Buffer.from(secret), secretContext(tenantId, webhookId)),
          at: clock.now(),
        });
      });
      return { row, secret };
    },

    async get(tenantId, webhookId) {
      return found(
        isId(webhookId) ? await db.asTenant(tenantId, (tx) => findEndpoint(tx, tenantId, webhookId)) : null,
      );
    },

    list: (tenantId, after, limit) =>
      db.asTenant(tenantId, (tx) => listEndpoints(tx, tenantId, after, limit)),

    async update(tenantId, webhookId, change) {
      if (!isId(webhookId)) throw apiError('not_found');
      if (change.url !== undefined) {
        found(await db.asTenant(tenantId, (tx) => findEndpoint(tx, tenantId, webhookId)));
        await requireAllowedUrl(change.url);
      }
      const row = await db.asTenant(tenantId, async (tx) => {
        const updated = await updateEndpoint(
          tx,
          tenantId,
          webhookId,
          {
            url: change.url ?? null,
            events: change.events === undefined ? null : normalEvents(change.events),
            description: change.description,
            enabled: change.enabled ?? null,
          },
          clock.now(),
        );
        if (change.enabled === false)
          await failQueued(tx, tenantId, webhookId, 'the endpoint was disabled (manual)');
        return updated;
      });
      return found(row);
    },

    async remove(tenantId, webhookId) {
      const gone = isId(webhookId)
        ? await db.asTenant(tenantId, (tx) => deleteEndpoint(tx, tenantId, webhookId))
        : 0;
      if (gone === 0) throw apiError('not_found');
    },

    async rotate(tenantId, webhookId) {
      if (!isId(webhookId)) throw apiError('not_found');
      const secret = newWebhookSecret();
      const sealed = secrets.seal(Buffer.from(secret), secretContext(tenantId, webhookId));
      const at = clock.now();
      const until = new Date(at.getTime() + SECRET_OVERLAP_MS);
      const row = found(
        await db.asTenant(tenantId, (tx) => rotateSecret(tx, tenantId, webhookId, sealed, until, at)),
      );
      return { row, secret };
    },

    async ping(tenantId, webhookId) {
      const row = found(
        isId(webhookId) ? await db.asTenant(tenantId, (tx) => findSigning(tx, tenantId, webhookId)) : null,
      );
      const at = clock.now();
      const eventId = newId(at.getTime());
      const type = (row.events[0] === '*' ? 'email.queued' : row.events[0]) as EventType;
      const body = eventBody({
        type,
        eventId,
        messageId: newId(at.getTime()),
        occurredAt: at,
        data: { synthetic: true },
      });
      const headers = webhookHeaders({
        webhookId,
        eventId,
        type,
        body: Buffer.from(body),
        at,
        ...openSecrets(secrets, tenantId, row, at),
      });
      return { result: await http.post(row.url, headers, Buffer.from(body)), headers, body };
    },
  };
}

function found<T>(row: T | null): T {
  if (row === null) throw apiError('not_found');
  return row;
}

/** `*` says it all. */
function normalEvents(events: readonly string[]): string[] {
  return events.includes('*') ? ['*'] : [...new Set(events)];
}

/** The secrets that sign now. Throws when the master key does not open them. */
export function openSecrets(
  box: SecretBox,
  tenantId: string,
  row: SigningRow,
  at: Date,
): { secret: string; previousSecret: string | null } {
  const context = secretContext(tenantId, row.webhook_id);
  const overlaps =
    row.previous_secret_sealed !== null &&
    row.previous_secret_until !== null &&
    row.previous_secret_until > at;
  return {
    secret: box.open(row.secret_sealed, context).toString(),
    previousSecret: overlaps ? box.open(row.previous_secret_sealed!, context).toString() : null,
  };
}

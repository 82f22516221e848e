import { createHmac, timingSafeEqual } from 'node:crypto';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import {
  type HttpsReceiver,
  type ReceivedRequest,
  type ReceiverOptions,
  receiverAuthority,
  startHttpsReceiver,
} from '@acuse/testkit/https-receiver';
import { expect } from 'vitest';
import { createAuthenticate } from '../../src/accounts/api-keys/authenticate.ts';
import { createKeyCheck } from '../../src/accounts/api-keys/key-check.ts';
import { createApiKey } from '../../src/accounts/api-keys/operations.ts';
import { createTenant } from '../../src/accounts/tenants/operations.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { createChanges } from '../../src/platform/database/changes.ts';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { behind, MACHINE_DOOR } from '../../src/platform/http/door.ts';
import { type App, SCOPES, type Scope } from '../../src/platform/http/http.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/logger.ts';
import { createOutboundHttp, type OutboundHttp } from '../../src/platform/network/outbound-http.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { appendEvents } from '../../src/webhooks/append.ts';
import { createWebhookDelivery, type WebhookDelivery } from '../../src/webhooks/deliver.ts';
import { createEndpoints, type Endpoints, type EndpointWithSecret } from '../../src/webhooks/endpoints.ts';
import type { NewEvent, RecordedType } from '../../src/webhooks/event.ts';
import { webhookRoutes } from '../../src/webhooks/routes.ts';

/** Webhooks on a real database, with real receivers; only the clock and the DNS are the test's. */
export interface Webhooks {
  readonly database: TestDatabase;
  readonly db: Db;
  readonly app: App;
  readonly clock: TestClock;
  readonly http: OutboundHttp;
  readonly endpoints: Endpoints;
  readonly deps: Parameters<typeof createWebhookDelivery>[0];
  /** Addresses of the names in tests; `*.test` is loopback. */
  readonly names: Map<string, string[]>;
  receiver(options?: ReceiverOptions): Promise<HttpsReceiver>;
  /** A worker of its own; stopped at the end. `pollMs`: between two looks for work by itself. */
  worker(http?: OutboundHttp, pollMs?: number): WebhookDelivery;
  /** A client with another time limit; closed at the end. */
  outbound(timeoutMs: number): OutboundHttp;
  tenant(name?: string, scopes?: readonly Scope[]): Promise<{ tenantId: string; key: string }>;
  endpoint(tenantId: string, url: string, events?: readonly string[]): Promise<EndpointWithSecret>;
  /** Appends events of new messages in one transaction; returns them. */
  emit(tenantId: string, count?: number, type?: RecordedType, data?: object): Promise<NewEvent[]>;
  /** The log of one endpoint, oldest first. */
  deliveries(webhookId: string): Promise<LoggedDelivery[]>;
  /** The log once nothing in it is pending any more. */
  settled(webhookId: string): Promise<LoggedDelivery[]>;
  /** The log once one of its deliveries has had so many attempts. */
  attempted(webhookId: string, attempts: number): Promise<LoggedDelivery[]>;
  /** What waits for its next attempt waits an hour more: on a busy machine five seconds are soon over. */
  putOff(webhookId: string): Promise<void>;
  call(method: string, url: string, key: string | null, body?: unknown): Promise<Answer>;
  close(): Promise<void>;
}

export interface TestClock extends Clock {
  advance(ms: number): void;
}

export interface LoggedDelivery {
  delivery_id: string;
  event_id: string;
  status: string;
  attempts: number;
  last_status_code: number | null;
  last_error: string | null;
  due_at: Date | null;
  lease_id: string | null;
  log: { attempt: number; status_code: number | null; error: string | null }[];
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  body: any;
  text: string;
  headers: Record<string, unknown>;
}

/** For what comes soon, on a machine that does other things too. */
export const DAY_MS = 24 * 60 * 60 * 1_000;
export const HOUR_MS = 60 * 60 * 1_000;

/** Runs with the real time, ahead of it by what was advanced. */
function createTestClock(): TestClock {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    monotonicMs: () => performance.now(),
    advance(ms) {
      aheadMs += ms;
    },
  };
}

export async function startWebhooks(): Promise<Webhooks> {
  const database = await testDatabase();
  const db = openDb({ connectionString: database.url, poolSize: 6, applicationName: 'test' });
  const clock = createTestClock();
  const authority = receiverAuthority();
  const names = new Map<string, string[]>();
  const closing: (() => Promise<unknown>)[] = [];

  function outbound(timeoutMs: number): OutboundHttp {
    const made = createOutboundHttp({
      allowLoopback: true,
      ca: [authority.certPem],
      timeoutMs,
      async resolve(name) {
        if (name.endsWith('.test')) return names.get(name) ?? ['127.0.0.1'];
        throw new Error(`${name} is unknown here`);
      },
    });
    closing.push(() => made.close());
    return made;
  }

  const http = outbound(PATIENCE_MS);
  const secrets = createSecretBox([new Uint8Array(32).fill(9)]);
  const log = createLog('silent');
  const changes = createChanges(db);
  const endpoints = createEndpoints({ db, clock, secrets, http });
  const deps = { db, clock, log, secrets, http, sandbox: false, random: () => 0.5, pollMs: 20 };
  const keyCheck = createKeyCheck({
    db,
    clock,
    changes,
    sandbox: false,
    keyRate: { perSecond: 0, burst: 0 },
  });
  const authenticate = createAuthenticate({ keyCheck, burst: 0 });
  const app = createHttpServer({ log, authenticate, trustProxy: null });
  webhookRoutes(behind(app, MACHINE_DOOR)('Webhooks'), { db, clock, endpoints, wake: () => {} });
  await app.ready();

  const deliveries = (webhookId: string) =>
    db.query<LoggedDelivery>(
      `select d.delivery_id, d.event_id, q.due_at, q.lease_id,
                case when q.delivery_id is not null then 'pending' when d.failed then 'failed'
                  else 'delivered' end as status,
                coalesce(l.attempt, 0) as attempts, l.status_code as last_status_code,
                case when d.disabled_after >= coalesce(l.attempt, 0) then 'the endpoint was disabled'
                  else l.error end as last_error,
                (select coalesce(json_agg(json_build_object('attempt', a.attempt, 'status_code',
                  a.status_code, 'error', a.error) order by a.attempt), '[]')
                   from webhook_attempts a where a.tenant_id = d.tenant_id and a.delivery_id = d.delivery_id)
                     as log
           from webhook_deliveries d left join webhook_queue q on q.tenant_id = d.tenant_id and q.delivery_id
             = d.delivery_id
           left join lateral (select * from webhook_attempts t where t.tenant_id = d.tenant_id
             and t.delivery_id = d.delivery_id order by t.attempt desc limit 1) l on true
          where d.webhook_id = $1 order by d.delivery_id`,
      [webhookId],
    );

  return {
    database,
    db,
    app,
    clock,
    http,
    endpoints,
    deps,
    names,
    outbound,
    async receiver(options = {}) {
      const made = await startHttpsReceiver({ authority, names: ['hooks.test', 'other.test'], ...options });
      closing.unshift(() => made.close());
      return made;
    },
    worker(client = http, pollMs) {
      const made = createWebhookDelivery({
        ...{ ...deps, http: client },
        ...(pollMs !== undefined && { pollMs }),
      });
      made.start();
      closing.unshift(() => made.stop(100));
      return made;
    },
    async tenant(name = 'Tester', scopes = SCOPES) {
      const { tenantId } = await createTenant({ db, clock, changes }, { name });
      const { key } = await createApiKey({ db, clock, changes }, tenantId, { name: 'test', scopes }, null);
      return { tenantId, key };
    },
    endpoint: (tenantId, url, events = ['*']) => endpoints.create(tenantId, { url, events }),
    async emit(tenantId, count = 1, type = 'email.sent', data = { to: 'ana@example.com' }) {
      const events = Array.from({ length: count }, () => ({
        tenantId,
        eventId: newId(clock.now().getTime()),
        messageId: newId(),
        type,
        occurredAt: clock.now(),
        data,
      }));
      await db.transact((tx) => appendEvents(tx, events));
      return events;
    },
    deliveries,
    async settled(webhookId) {
      await expect
        .poll(async () => (await deliveries(webhookId)).map((row) => row.status))
        .not.toContain('pending');
      return deliveries(webhookId);
    },
    async attempted(webhookId, attempts) {
      await expect
        .poll(async () => (await deliveries(webhookId)).map((row) => row.attempts))
        .toEqual(expect.arrayContaining([attempts]));
      return deliveries(webhookId);
    },
    async putOff(webhookId) {
      await db.execute(
        "update webhook_queue set due_at = due_at + interval '1 hour' where webhook_id = $1 and lease_id is null",
        [webhookId],
      );
    },
    async call(method, url, key, body) {
      const answer = await app.inject({
        method: method as 'GET',
        url,
        headers: key === null ? {} : { authorization: `Bearer ${key}` },
        ...(body !== undefined && { payload: body as object }),
      });
      return {
        status: answer.statusCode,
        body: /json/.test(String(answer.headers['content-type'])) ? answer.json() : null,
        text: answer.body,
        headers: answer.headers,
      };
    },
    async close() {
      for (const close of closing) await close();
      await app.close();
      await keyCheck.close();
      await db.close();
      await database.drop();
    },
  };
}

/** The specification's steps for a receiver, and nothing else. */
export function acceptsBySpecification(request: ReceivedRequest, secret: string): boolean {
  const given = Buffer.from(request.headers['service-signature'] ?? '');
  const wanted = Buffer.from(`sha256=${createHmac('sha256', secret).update(request.body).digest('hex')}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Requests that carry one of these events, in the order in which they came. */
export function received(
  receiver: HttpsReceiver,
  events: readonly { eventId: string }[],
): readonly ReceivedRequest[] {
  const ids = new Set(events.map(({ eventId }) => eventId));
  return receiver.requests.filter((request) => ids.has(request.headers['webhook-id'] ?? ''));
}

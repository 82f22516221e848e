import type { Db } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { createLoop } from '../platform/loop.ts';
import { OUTBOUND_TIMEOUT_MS } from '../platform/outbound-http.ts';
import { type AttemptDeps, type Attempted, attemptDelivery, type Job } from './attempt.ts';
import { findSigning, type SigningRow } from './endpoint-store.ts';
import { createPlaces } from './places.ts';
import { createPurge } from './purge.ts';
import { claimDeliveries, endpointsWithWork, failWaiting } from './queue-store.ts';
import { recordAttempts } from './record.ts';

export interface WebhookDeliveryDeps extends AttemptDeps {
  readonly db: Db;
  readonly log: Log;
  readonly pollMs?: number;
}

export interface WebhookDelivery {
  start(): void;
  /** A hint that deliveries came due. */
  wake(): void;
  stop(graceMs?: number): Promise<void>;
}

/** Attempts under way at once in this process, for one tenant and for one endpoint. */
const CONCURRENCY = 256;
const PER_TENANT = 32;
const PER_ENDPOINT = 8;
/** An endpoint that has only failed for this long (ms) gets one place: enough to find out that it is back. */
const SUSPECT_AFTER_MS = 60_000;
const PER_SUSPECT = 1;
/** Longer than an attempt can last, so that no second one begins while the first may still arrive. */
export const LEASE_MS = 4 * OUTBOUND_TIMEOUT_MS;
const POLL_MS = 500;
/** Deliveries of an endpoint that is off that are failed in one statement. */
const FAIL_PAGE = 5_000;

/** The worker that tells endpoints of events. At least once: a crash after the receiver's answer and before our record sends it again. */
export function createWebhookDelivery(deps: WebhookDeliveryDeps): WebhookDelivery {
  const { db, clock, log } = deps;
  const places = createPlaces({ perTenant: PER_TENANT, perEndpoint: PER_ENDPOINT });
  const purge = createPurge(deps);

  async function claim(tenantId: string, webhookId: string, limit: number): Promise<Job[]> {
    if (places.room(tenantId, webhookId) === 0) return [];
    const endpoint = await findSigning(db, tenantId, webhookId);
    const now = clock.now();
    if (endpoint === null || !endpoint.enabled) {
      await failWaiting(db, tenantId, webhookId, now, FAIL_PAGE);
      return [];
    }
    const room = places.room(tenantId, webhookId, isSuspect(endpoint, now) ? PER_SUSPECT : PER_ENDPOINT);
    if (room === 0) return [];
    const claimed = await claimDeliveries(db, {
      tenantId,
      webhookId,
      leaseId: newId(),
      now,
      leasedUntil: new Date(now.getTime() + LEASE_MS),
      limit: Math.min(limit, room),
    });
    places.take(tenantId, webhookId, claimed.length);
    return claimed.map((delivery) => ({ delivery, endpoint }));
  }

  const loop = createLoop<Job, Attempted>({
    name: 'webhooks',
    clock,
    log,
    concurrency: CONCURRENCY,
    pollMs: deps.pollMs ?? POLL_MS,
    shards: () => endpointsWithWork(db, clock.now()),
    claim(shard, limit) {
      const [tenantId, webhookId] = shard.split('/') as [string, string];
      return claim(tenantId, webhookId, limit);
    },
    act: (job, signal) =>
      attemptDelivery(deps, job, signal).finally(() =>
        places.leave(job.delivery.tenant_id, job.delivery.webhook_id),
      ),
    async record(group) {
      const disabled = await db.transact((tx) => recordAttempts(tx, group, clock.now()));
      for (const each of disabled) log.info({ ...each }, 'webhook endpoint switched off');
    },
  });

  return {
    start() {
      loop.start();
      purge.start();
    },
    wake: loop.wake,
    async stop(graceMs) {
      await Promise.all([loop.stop(graceMs), purge.stop()]);
    },
  };
}

function isSuspect(endpoint: SigningRow, now: Date): boolean {
  const { failing_since: since } = endpoint;
  return since !== null && now.getTime() - since.getTime() >= SUSPECT_AFTER_MS;
}

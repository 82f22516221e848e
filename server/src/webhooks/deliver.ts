import type { Clock } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import { createLoop, type Loop } from '../platform/loop.ts';
import { OUTBOUND_TIMEOUT_MS, type OutboundHttp } from '../platform/outbound-http.ts';
import type { SecretBox } from '../platform/secrets.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryResult,
  deleteOldDeliveries,
  disableEndpoint,
  endpointsWithDueWork,
  markEndpoint,
  recordResults,
} from './delivery-store.ts';
import { findSigning, type SigningRow } from './endpoint-store.ts';
import { openSecrets } from './endpoints.ts';
import { decideWebhook, type WebhookOutcome } from './outcome.ts';
import { webhookHeaders } from './sign.ts';

export interface WebhookDeliveryDeps {
  db: Db;
  clock: Clock;
  log: Log;
  secrets: SecretBox;
  http: OutboundHttp;
  /** 0 ≤ n < 1, for jitter. */
  random(): number;
  pollMs?: number;
}

/** Deliveries at once in this process, and to one endpoint: a dead receiver holds its own places and no others. */
const CONCURRENCY = 128;
const PER_ENDPOINT = 8;
/** Longer than an attempt can last, so that no second one begins while the first may still arrive. */
const LEASE_MS = 4 * OUTBOUND_TIMEOUT_MS;
const POLL_MS = 500;
/** How long deliveries are listed (contract.md "Webhooks"), and how old ones are deleted: a page at a time. */
export const DELIVERY_LOG_MS = 30 * 24 * 60 * 60 * 1_000;
const PURGE_EVERY_MS = 60 * 60 * 1_000;
const PURGE_PAGE = 5_000;

interface Attempted {
  claim: ClaimedDelivery;
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  outcome: WebhookOutcome;
}

export interface WebhookDelivery {
  start(): void;
  wake(): void;
  stop(graceMs?: number): Promise<void>;
}

/** The worker that tells endpoints of events. At least once: a crash after the receiver's answer and before our record sends it again. */
export function createWebhookDelivery(deps: WebhookDeliveryDeps): WebhookDelivery {
  const { db, clock, log } = deps;
  const loop: Loop = createLoop<ClaimedDelivery, Attempted>({
    name: 'webhooks',
    clock,
    log,
    concurrency: CONCURRENCY,
    perShard: PER_ENDPOINT,
    pollMs: deps.pollMs ?? POLL_MS,
    shards: () => endpointsWithDueWork(db, clock.now()),
    claim(shard, limit) {
      const [tenantId, webhookId] = shard.split('/') as [string, string];
      const now = clock.now();
      return claimDeliveries(db, tenantId, webhookId, now, new Date(now.getTime() + LEASE_MS), limit);
    },
    act: (claim, signal) => attemptDelivery(deps, claim, signal),
    record: (group) => db.transact((tx) => recordAttempts(tx, group)),
  });

  let purge: NodeJS.Timeout | undefined;
  async function purgeOld(): Promise<void> {
    try {
      const before = new Date(clock.now().getTime() - DELIVERY_LOG_MS);
      while ((await deleteOldDeliveries(db, before, PURGE_PAGE)) === PURGE_PAGE);
    } catch (error) {
      log.warn({ err: error }, 'purging old webhook deliveries failed; trying again in an hour');
    }
  }

  return {
    start() {
      loop.start();
      purge = setInterval(purgeOld, PURGE_EVERY_MS).unref();
    },
    wake: loop.wake,
    stop(graceMs) {
      clearInterval(purge);
      return loop.stop(graceMs);
    },
  };
}

async function attemptDelivery(
  deps: WebhookDeliveryDeps,
  claim: ClaimedDelivery,
  signal: AbortSignal,
): Promise<Attempted> {
  const { tenant_id: tenantId, webhook_id: webhookId } = claim;
  const startedAt = deps.clock.now();
  const endpoint = await findSigning(deps.db, tenantId, webhookId);
  if (endpoint === null || !endpoint.enabled)
    return refused(claim, startedAt, 'the endpoint was disabled or deleted');
  const headers = webhookHeaders({
    webhookId,
    eventId: claim.event_id,
    type: claim.type,
    body: claim.body,
    at: startedAt,
    ...openSecrets(deps.secrets, tenantId, endpoint, startedAt),
  });
  const result = await deps.http.post(endpoint.url, headers, claim.body, signal);
  const error = result.ok ? null : result.error;
  const { statusCode, durationMs } = result;
  const outcome = decide(deps, claim, endpoint, startedAt, { ok: result.ok, statusCode, error });
  return { claim, startedAt, durationMs, statusCode, error, outcome };
}

function decide(
  deps: WebhookDeliveryDeps,
  claim: ClaimedDelivery,
  endpoint: SigningRow,
  startedAt: Date,
  result: { ok: boolean; statusCode: number | null; error: string | null },
): WebhookOutcome {
  return decideWebhook(result, {
    attempt: claim.attempt,
    finishedAt: deps.clock.now() > startedAt ? deps.clock.now() : startedAt,
    failingSince: endpoint.failing_since,
    random: deps.random(),
  });
}

function refused(claim: ClaimedDelivery, startedAt: Date, error: string): Attempted {
  return { claim, startedAt, durationMs: 0, statusCode: null, error, outcome: { kind: 'failed' } };
}

async function recordAttempts(tx: Tx, group: readonly Attempted[]): Promise<void> {
  const ours = await recordResults(tx, group.map(toResult));
  const endpoints = new Map<string, Attempted[]>();
  for (const attempted of group) {
    if (!ours.has(attempted.claim.delivery_id)) continue;
    const key = `${attempted.claim.tenant_id}/${attempted.claim.webhook_id}`;
    endpoints.set(key, [...(endpoints.get(key) ?? []), attempted]);
  }
  // In key order, as every writer of several endpoints locks them.
  for (const key of [...endpoints.keys()].sort()) {
    const [tenantId, webhookId] = key.split('/') as [string, string];
    await markAttempted(tx, tenantId, webhookId, endpoints.get(key)!);
  }
}

async function markAttempted(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  attempts: readonly Attempted[],
): Promise<void> {
  const last = attempts.at(-1)!;
  const disabling = attempts.find(({ outcome }) => outcome.kind === 'disable');
  const ok = attempts.some(({ outcome }) => outcome.kind === 'delivered');
  await markEndpoint(tx, tenantId, webhookId, ok, last.startedAt);
  if (disabling?.outcome.kind === 'disable' && !ok) {
    await disableEndpoint(tx, tenantId, webhookId, disabling.outcome.reason, last.startedAt);
  }
}

function toResult({ claim, outcome, ...facts }: Attempted): DeliveryResult {
  const ended = outcome.kind === 'delivered' ? 'delivered' : outcome.kind === 'retry' ? 'pending' : 'failed';
  return {
    tenantId: claim.tenant_id,
    webhookId: claim.webhook_id,
    deliveryId: claim.delivery_id,
    attempt: claim.attempt,
    ...facts,
    status: ended,
    dueAt: outcome.kind === 'retry' ? outcome.dueAt : null,
  };
}

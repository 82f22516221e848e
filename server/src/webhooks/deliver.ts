import type { Db, Tx } from '../platform/database/db.ts';
import type { Stop } from '../platform/light-abort.ts';
import type { Log } from '../platform/logger.ts';
import { createBacklog } from '../platform/queue/backlog.ts';
import type { IdleBackOff } from '../platform/queue/idle-back-off.ts';
import { createLeases } from '../platform/queue/leases.ts';
import { createLoop, type Loop } from '../platform/queue/loop.ts';
import { keepOpened } from '../platform/secrets.ts';
import { type AttemptDeps, type Attempted, attemptDelivery } from './attempt.ts';
import { type ConcurrencyLimits, createConcurrencyLimits } from './concurrency.ts';
import { createEndpointScans } from './endpoint-scans.ts';
import {
  type DisabledEndpoint,
  disableEndpoints,
  type EndpointMark,
  markEndpoints,
} from './endpoint-store.ts';
import { createEndpointTurns } from './endpoint-turns.ts';
import { createHandover, type WebhookHandover } from './handover.ts';
import { FAILING_MAX_MS } from './outcome.ts';
import { createPurge } from './purge.ts';
import { type ClaimedDelivery, extendDeliveries, releaseClaims } from './queue-store.ts';
import { type DeliveryResult, recordResults } from './result-store.ts';

export interface WebhookDeliveryDeps extends AttemptDeps {
  readonly db: Db;
  readonly log: Log;
  readonly sandbox: boolean;
  readonly pollMs?: number;
  readonly idleBackOff?: IdleBackOff | undefined;
  onRecorded?(group: readonly Attempted[]): void;
}

export interface WebhookDelivery {
  readonly handover: WebhookHandover;
  start(): void;
  wake(): void;
  stop(graceMs?: number): Promise<void>;
}

/** Concurrent attempts in the fast lane, and in the slow one. */
const FAST = 512;
const STALLED = 2_048;
/** Fast-lane places reserved for endpoints that answered quickly, and the most for slow ones. */
const RESERVED = 128;
const SUSPECTS = 128;
/** Time after which an attempt moves to the slow lane (ms). */
const STALL_AFTER_MS = 1_000;
const PER_TENANT = 64;
/** Per endpoint: at first, and once it has answered. */
const WINDOW_START = 8;
const WINDOW_MAX = 64;
/** The whole windows of two: what a tenant cannot begin is queued, and claimed again. */
const PER_TENANT_PROVEN = 2 * WINDOW_MAX;
/** Deliveries waiting here because this process appended them. */
const HANDED_MAX = (FAST + STALLED) / 2;
const HANDED_OF_ENDPOINT = 8 * WINDOW_MAX;
const STOP_GRACE_MS = 5_000;
const POLL_MS = 500;
/** Gathers results, because commits are expensive (ms). A crash repeats unrecorded deliveries. */
const GATHER_MS = 20;
/** Overload answers, besides no answer at all. */
const OVERLOADED = new Set([429, 503]);

const LIMITS = {
  fast: FAST,
  reserved: RESERVED,
  suspects: SUSPECTS,
  stalled: STALLED,
  stallAfterMs: STALL_AFTER_MS,
  perTenantProven: PER_TENANT_PROVEN,
  perTenant: PER_TENANT,
  windowStart: WINDOW_START,
  windowMax: WINDOW_MAX,
};

/**
 * The worker that delivers webhooks, at least once: a crash between the receiver's answer and our record
 * repeats it.
 */
export function createWebhookDelivery(given: WebhookDeliveryDeps): WebhookDelivery {
  const deps = { ...given, secrets: keepOpened(given.secrets) };
  const { db, clock, log } = deps;
  const places = createConcurrencyLimits({
    ...LIMITS,
    onRoom: () => loop.wake(),
  });
  const purge = createPurge(deps);
  const backlog = createBacklog();
  const scans = createEndpointScans({ ...deps, backlog, wake: () => loop.wake() });
  const wake = (): void => {
    scans.expect();
    loop.wake();
  };
  const { handover, handed, stop } = createHandover({
    ...{ db, clock, log, sandbox: deps.sandbox, places, backlog },
    most: HANDED_MAX,
    mostOfEndpoint: HANDED_OF_ENDPOINT,
    isOpen: () => loop.isOpen,
    give: (deliveries) => loop.give(deliveries),
    onCommitted: (waits) => (waits ? wake() : loop.wake()),
  });
  const rounds = createEndpointTurns({
    ...{ db, clock, scans, backlog, handed, places },
    perTurn: WINDOW_MAX,
    wake: () => loop.wake(),
  });

  const loop: Loop<ClaimedDelivery> = createLoop<ClaimedDelivery, Attempted>({
    name: 'webhooks',
    clock,
    log,
    concurrency: FAST + STALLED,
    perTurn: WINDOW_MAX,
    pollMs: deps.pollMs ?? POLL_MS,
    idleBackOff: deps.idleBackOff,
    gatherMs: GATHER_MS,
    inOrder: true,
    shards: rounds.shards,
    claim: rounds.claim,
    ownerOf: ({ tenant_id }) => tenant_id,
    leases: createLeases({
      ...{ clock, log, name: 'webhooks' },
      keyOf: (delivery) => delivery.delivery_id,
      ownerOf: ({ tenant_id }) => tenant_id,
      extend: (deliveries) => extendDeliveries(db, deliveries),
      sinceOf: ({ leasedAt }) => leasedAt,
    }),
    async act(delivery, signal) {
      const attempted = await attemptInPlace(deps, places, delivery, signal);
      handed.goOn({ tenantId: delivery.tenant_id, webhookId: delivery.webhook_id });
      return attempted;
    },
    async record(group) {
      const disabled = await db.transact((tx) => recordAttempts(tx, group));
      deps.onRecorded?.(group);
      for (const each of disabled) log.info({ ...each }, 'webhook endpoint disabled');
    },
  });

  return {
    handover,
    start() {
      loop.start();
      purge.start();
    },
    wake,
    async stop(graceMs = STOP_GRACE_MS) {
      await Promise.all([loop.stop(graceMs), stop(graceMs), purge.stop()]);
    },
  };
}

async function attemptInPlace(
  deps: AttemptDeps,
  places: ConcurrencyLimits,
  delivery: ClaimedDelivery,
  signal: Stop,
): Promise<Attempted> {
  let answered: boolean | null = null;
  const place = places.begin(delivery.tenant_id, delivery.webhook_id);
  try {
    const attempted = await attemptDelivery(deps, delivery, signal, place.cut);
    if (attempted.outcome.kind !== 'released') answered = isWilling(attempted.statusCode);
    return attempted;
  } finally {
    place.leave(answered);
  }
}

function isWilling(statusCode: number | null): boolean {
  return statusCode !== null && !OVERLOADED.has(statusCode);
}

/** Records a group of attempts; returns newly disabled endpoints. */
async function recordAttempts(tx: Tx, group: readonly Attempted[]): Promise<DisabledEndpoint[]> {
  const released = group.flatMap(({ delivery, outcome }) =>
    outcome.kind === 'released' ? [{ ...delivery, dueAt: outcome.dueAt }] : [],
  );
  if (released.length > 0) await releaseClaims(tx, released);
  const tried = group.filter(({ outcome }) => outcome.kind !== 'released');
  if (tried.length === 0) return [];
  const ours = await recordResults(tx, tried.map(resultOf));
  const marks = marksOf(tried.filter(({ delivery }) => ours.has(delivery.delivery_id)));
  if (marks.length === 0) return [];
  markEndpoints(tx, marks);
  const failing = marks.filter((mark) => mark.gone || !mark.ok);
  return failing.length === 0 ? [] : disableEndpoints(tx, failing, FAILING_MAX_MS);
}

function resultOf({
  delivery,
  outcome,
  startedAt,
  durationMs,
  statusCode,
  error,
  answer,
}: Attempted): DeliveryResult {
  return {
    tenantId: delivery.tenant_id,
    deliveryId: delivery.delivery_id,
    leaseId: delivery.lease_id,
    attempt: delivery.attempts_made + 1,
    startedAt,
    durationMs,
    statusCode,
    error,
    answer,
    status: outcome.kind === 'delivered' ? 'delivered' : outcome.kind === 'retry' ? 'pending' : 'failed',
    dueAt: outcome.kind === 'retry' ? outcome.dueAt : null,
  };
}

/** One mark per endpoint and URL, in the common lock order. */
function marksOf(attempts: readonly Attempted[]): EndpointMark[] {
  const marks = new Map<string, EndpointMark>();
  for (const { delivery, outcome, finishedAt } of attempts) {
    const key = `${delivery.tenant_id}/${delivery.webhook_id} ${delivery.url}`;
    const mark = marks.get(key);
    marks.set(key, {
      tenantId: delivery.tenant_id,
      webhookId: delivery.webhook_id,
      url: delivery.url,
      ok: (mark?.ok ?? false) || outcome.kind === 'delivered',
      gone: (mark?.gone ?? false) || outcome.kind === 'gone',
      at: finishedAt,
    });
  }
  return [...marks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, mark]) => mark);
}

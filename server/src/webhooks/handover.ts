import { Counts } from '../platform/counts.ts';
import type { DbAndClock, Tx } from '../platform/database/db.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/logger.ts';
import type { Backlog } from '../platform/queue/backlog.ts';
import { LEASE_MARGIN_MS, leaseLeftMs, markOf } from '../platform/queue/leases.ts';
import type { ConcurrencyLimits, Endpoint } from './concurrency.ts';
import { findReceiver, type Receiver } from './endpoint-store.ts';
import { createHandedDeliveries, type HandedDeliveries, type HandedDelivery } from './handed-deliveries.ts';
import {
  type ClaimedDelivery,
  FIRST_ATTEMPT,
  type HeldFromStart,
  type NewDelivery,
  releaseClaims,
} from './queue-store.ts';

/**
 * Deliveries appended here go to this process's worker with their bodies, under a lease inserted with their
 * rows: no claim, no read. The row stays the truth: after a crash or a lost answer it comes due when the
 * lease
 * ends.
 *
 * Committed ones wait here for their endpoint's turn, and the endpoint is read then, as a claim would. Few
 * wait,
 * and briefly, so that a slow endpoint only sends them back to the queue. docs/decisions/0048
 */
export interface WebhookHandover {
  /** Chooses deliveries for the worker, to be inserted with leases in `tx`; null: none. */
  choose(tx: Tx, deliveries: readonly NewDelivery[]): HeldFromStart | null;
}

export interface Handed {
  endpoints(): readonly Endpoint[];
  waitsFor(webhookId: string): boolean;
  /** Up to `limit`, in a claim's form; `limit` is evaluated when they are ready. */
  take(endpoint: Endpoint, limit: () => number): Promise<ClaimedDelivery[]>;
  /** An attempt ended: begins the next at once if places are plentiful. */
  goOn(endpoint: Endpoint): void;
}

export interface HandoverDeps extends DbAndClock {
  readonly log: Log;
  /** False: events of sandbox accounts wait. */
  readonly sandbox: boolean;
  readonly places: Pick<ConcurrencyLimits, 'room' | 'isProven' | 'isRoomy'>;
  readonly backlog: Backlog;
  /** Most deliveries in all, and per quick endpoint. */
  readonly most: number;
  readonly mostOfEndpoint: number;
  isOpen(): boolean;
  give(deliveries: readonly ClaimedDelivery[]): void;
  /** Something was committed: handed over, or (`waits`) queued. */
  onCommitted(waits: boolean): void;
}

interface OpenHandover {
  readonly handover: WebhookHandover;
  readonly handed: Handed;
  /** Returns everything not begun to the queue, for up to `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Longest wait for a turn (ms); then back to the queue. */
const WAIT_MAX_MS = 1_000;
const SWEEP_EVERY_MS = 500;
/** Cache time of an endpoint (ms), no longer than a claim's age. */
const READ_FOR_MS = 100;
const STOP_LOOK_MS = 10;

export function createHandover(deps: HandoverDeps): OpenHandover {
  const { clock, backlog } = deps;
  const bookings = createBookings(deps);
  const line = createHandedDeliveries();
  const wayBack = createWayBack(deps, bookings);
  const turns = createTurns(deps, { line, bookings, giveBack: wayBack.giveBack });
  let open = 0;
  let stopping = false;
  let sweeping: NodeJS.Timeout | undefined;

  function choose(tx: Tx, deliveries: readonly NewDelivery[]): HeldFromStart | null {
    const leasedAt = markOf(clock);
    const leaseId = newId();
    const left = new Set<string>();
    const held = deliveries.map((delivery) => book(delivery, left));
    const taken = deliveries.filter((_, at) => held[at]);
    const seen = backlog.put(left);
    open++;
    tx.onEnd((committed) => {
      open--;
      seen(committed);
      if (!committed) return bookings.remove(taken);
      const committedMs = clock.monotonicMs();
      arrive(taken.map((delivery) => ({ delivery, leaseId, leasedAt, committedMs })));
      if (taken.length + left.size > 0) deps.onCommitted(left.size > 0);
    });
    return taken.length === 0 ? null : { leaseId, held };
  }

  /** `left`: endpoints with queued deliveries in the same statement. */
  function book(delivery: NewDelivery, left: Set<string>): boolean {
    const { webhookId } = delivery;
    if (delivery.sandbox && !deps.sandbox) return false;
    const mayBegin = !stopping && deps.isOpen() && !left.has(webhookId) && !backlog.has(webhookId);
    if (mayBegin && bookings.add(delivery)) return true;
    left.add(webhookId);
    return false;
  }

  function arrive(items: readonly HandedDelivery[]): void {
    if (stopping) wayBack.giveBack(items);
    else if (items.length > 0) {
      line.add(items);
      for (const { delivery } of items) turns.goOn(delivery);
      sweepLater();
    }
  }

  function sweepLater(): void {
    sweeping ??= setTimeout(sweep, SWEEP_EVERY_MS).unref();
  }

  function sweep(): void {
    sweeping = undefined;
    wayBack.giveBack(line.takeLate(clock.monotonicMs() - WAIT_MAX_MS));
    turns.forget();
    if (line.size > 0) sweepLater();
  }

  return {
    handover: { choose },
    handed: {
      endpoints: line.endpoints,
      waitsFor: line.has,
      take: turns.take,
      goOn: turns.goOn,
    },
    async stop(graceMs) {
      stopping = true;
      clearTimeout(sweeping);
      wayBack.giveBack(line.takeLate(Number.POSITIVE_INFINITY));
      const deadlineMs = clock.monotonicMs() + graceMs;
      while (open + wayBack.underWay > 0 && clock.monotonicMs() < deadlineMs)
        await new Promise((resolve) => setTimeout(resolve, STOP_LOOK_MS));
    },
  };
}

/** Returns deliveries to the queue in their original order. */
function createWayBack({ db, log, backlog, onCommitted }: HandoverDeps, bookings: Bookings) {
  let underWay = 0;
  return {
    get underWay() {
      return underWay;
    },
    giveBack(items: readonly HandedDelivery[]): void {
      if (items.length === 0) return;
      bookings.remove(items.map(({ delivery }) => delivery));
      // Newer deliveries to these endpoints queue behind them.
      const seen = backlog.put(new Set(items.map(({ delivery }) => delivery.webhookId)));
      underWay++;
      db.transact((tx) => releaseClaims(tx, items.map(toRelease)))
        .catch((error) =>
          log.warn({ err: error, deliveries: items.length }, 'webhooks are delivered when their leases end'),
        )
        .finally(() => {
          underWay--;
          seen(true);
          onCommitted(true);
        });
    },
  };
}

interface Holding {
  readonly line: HandedDeliveries;
  readonly bookings: Bookings;
  giveBack(items: readonly HandedDelivery[]): void;
}

function createTurns(deps: HandoverDeps, { line, bookings, giveBack }: Holding) {
  const { clock, log, places } = deps;
  const receivers = createReceivers(deps);
  const goingOn = new Set<string>();

  function takeFor(webhookId: string, receiver: Receiver | null, limit: number): ClaimedDelivery[] {
    if (receiver === null) {
      giveBack(line.take(webhookId, Number.POSITIVE_INFINITY));
      return [];
    }
    const taken = line.take(webhookId, limit);
    const now = markOf(clock);
    const isSafe = ({ leasedAt }: HandedDelivery) => leaseLeftMs(leasedAt, now) >= LEASE_MARGIN_MS;
    const safe = taken.filter(isSafe);
    giveBack(taken.filter((item) => !isSafe(item)));
    bookings.remove(safe.map(({ delivery }) => delivery));
    return safe.map((item) => claimedOf(item, receiver));
  }

  return {
    forget: receivers.forget,
    async take(endpoint: Endpoint, limit: () => number): Promise<ClaimedDelivery[]> {
      const receiver = await receivers.of(endpoint);
      return takeFor(endpoint.webhookId, receiver, limit());
    },
    goOn(endpoint: Endpoint): void {
      const { tenantId, webhookId } = endpoint;
      if (!line.has(webhookId) || goingOn.has(webhookId) || !deps.isOpen() || !places.isRoomy()) return;
      goingOn.add(webhookId);
      receivers
        .of(endpoint)
        .then((receiver) => {
          const room = deps.isOpen() ? places.room(tenantId, webhookId) : 0;
          deps.give(takeFor(webhookId, receiver, room));
        })
        .catch((error) =>
          log.warn({ err: error, webhookId }, 'a webhook endpoint could not be read; it has its turn later'),
        )
        .finally(() => goingOn.delete(webhookId));
    },
  };
}

function createReceivers({ db, clock }: Pick<HandoverDeps, 'db' | 'clock'>) {
  const known = new Map<string, { readonly receiver: Receiver | null; readonly atMs: number }>();
  const isOld = ({ atMs }: { readonly atMs: number }) => clock.monotonicMs() - atMs > READ_FOR_MS;

  return {
    async of({ tenantId, webhookId }: Endpoint): Promise<Receiver | null> {
      const read = known.get(webhookId);
      if (read !== undefined && !isOld(read)) return read.receiver;
      const atMs = clock.monotonicMs();
      const receiver = await findReceiver(db, tenantId, webhookId);
      known.set(webhookId, { receiver, atMs });
      return receiver;
    },
    forget(): void {
      for (const [webhookId, read] of known) if (isOld(read)) known.delete(webhookId);
    },
  };
}

/** In a claim's form. Field by field: V8 adds fields behind a spread one by one, 13 µs for these. */
function claimedOf({ delivery, leaseId, leasedAt }: HandedDelivery, receiver: Receiver): ClaimedDelivery {
  return {
    tenant_id: delivery.tenantId,
    webhook_id: receiver.webhook_id,
    delivery_id: delivery.deliveryId,
    attempt: FIRST_ATTEMPT,
    lease_id: leaseId,
    event_id: delivery.eventId,
    message_id: delivery.messageId,
    type: delivery.type,
    body: delivery.body,
    attempts_made: 0,
    url: receiver.url,
    secret_sealed: receiver.secret_sealed,
    previous_secret_sealed: receiver.previous_secret_sealed,
    previous_secret_until: receiver.previous_secret_until,
    leasedAt,
  };
}

function toRelease({ delivery, leaseId }: HandedDelivery) {
  return {
    tenant_id: delivery.tenantId,
    delivery_id: delivery.deliveryId,
    lease_id: leaseId,
    // In its original order.
    dueAt: delivery.createdAt,
  };
}

type Bookings = ReturnType<typeof createBookings>;

/** Counts promised and waiting deliveries. */
function createBookings({ places, most, mostOfEndpoint }: HandoverDeps) {
  const tenants = new Counts();
  const endpoints = new Counts();
  let total = 0;

  function hasRoomFor({ tenantId, webhookId }: NewDelivery): boolean {
    // At most half of the free room per account.
    if (tenants.of(tenantId) >= most - total) return false;
    // An endpoint that is not proven gets only attempts that may begin at once.
    const room = places.isProven(webhookId) ? mostOfEndpoint : places.room(tenantId, webhookId);
    return endpoints.of(webhookId) < room;
  }

  return {
    add(delivery: NewDelivery): boolean {
      if (!hasRoomFor(delivery)) return false;
      tenants.add(delivery.tenantId, 1);
      endpoints.add(delivery.webhookId, 1);
      total++;
      return true;
    },
    remove(deliveries: readonly NewDelivery[]): void {
      for (const { tenantId, webhookId } of deliveries) {
        tenants.add(tenantId, -1);
        endpoints.add(webhookId, -1);
      }
      total -= deliveries.length;
    },
  };
}

import type { Clock } from '../platform/clock.ts';
import { Counts } from '../platform/counts.ts';
import type { Db, Tx } from '../platform/database/db.ts';
import { newId } from '../platform/ids.ts';
import { LEASE_MARGIN_MS, leaseLeftMs, markOf } from '../platform/leases.ts';
import type { Log } from '../platform/logger.ts';
import { findReceiver, type Receiver } from './endpoint-store.ts';
import { createHandedLine, type HandedDelivery, type HandedLine } from './handed-line.ts';
import type { InLine } from './in-line.ts';
import type { Endpoint, Places } from './places.ts';
import {
  type ClaimedDelivery,
  FIRST_ATTEMPT,
  type HeldFromStart,
  type NewDelivery,
  releaseClaims,
} from './queue-store.ts';

/**
 * Deliveries of events that this process appends go to its own worker with their bodies, under the lease that
 * their rows were inserted with: no claim, no read of them. The row stays the truth: what is lost on the way
 * (a crash, a commit without an answer) comes due when that lease ends, as what a killed worker held does.
 *
 * Those that are committed wait here for their endpoint's turn, as those in the queue do, and the endpoint is
 * read when it comes: one that is off, gone or changed by then is treated as a claim would treat it. So few
 * wait, and for so short a time, that a slow endpoint costs nothing but their way back into the queue.
 * docs/decisions/0048
 */
export interface WebhookHandover {
  /**
   * Which of these the worker takes once `tx` is committed; null: none of them. To be inserted in the same
   * transaction.
   */
  choose(tx: Tx, deliveries: readonly NewDelivery[]): HeldFromStart | null;
}

/** What was handed over and has not begun. */
export interface Handed {
  /** Whose turn it should be. */
  endpoints(): readonly Endpoint[];
  waitsFor(webhookId: string): boolean;
  /** Up to `limit` of an endpoint's, as a claim would read them; `limit` is asked when they are at hand. */
  take(endpoint: Endpoint, limit: () => number): Promise<ClaimedDelivery[]>;
  /** An attempt at this endpoint has ended: the next begins at once where nobody could miss the place. */
  goOn(endpoint: Endpoint): void;
}

export interface HandoverDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this process runs the sandbox: elsewhere its accounts' events wait. */
  readonly sandbox: boolean;
  readonly places: Pick<Places, 'room' | 'isProven' | 'isRoomy'>;
  readonly inLine: InLine;
  /** Most deliveries held for this in all, and for one endpoint that is known to answer soon. */
  readonly most: number;
  readonly mostOfEndpoint: number;
  /** Whether the worker begins work now. */
  isOpen(): boolean;
  /** Begins with what has its place. */
  give(deliveries: readonly ClaimedDelivery[]): void;
  /** Something is committed: handed over, or (`waits`) put in line. */
  onCommitted(waits: boolean): void;
}

export interface OpenHandover {
  readonly handover: WebhookHandover;
  readonly handed: Handed;
  /** Gives back what has not begun, and what is committed only now, for up to `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** What has not had its turn after this time goes back into the queue (ms): others may have room for it. */
const WAIT_MAX_MS = 1_000;
const SWEEP_EVERY_MS = 500;
/** An endpoint is read again after this time (ms): a claim may be as old when its attempts begin. */
const READ_FOR_MS = 100;
const STOP_LOOK_MS = 10;

export function createHandover(deps: HandoverDeps): OpenHandover {
  const { clock, inLine } = deps;
  const bookings = createBookings(deps);
  const line = createHandedLine();
  const wayBack = createWayBack(deps, bookings);
  const turns = createTurns(deps, { line, bookings, giveBack: wayBack.giveBack });
  /** Transactions with something chosen that have not ended. */
  let open = 0;
  let stopping = false;
  let sweeping: NodeJS.Timeout | undefined;

  function choose(tx: Tx, deliveries: readonly NewDelivery[]): HeldFromStart | null {
    const leasedAt = markOf(clock);
    const leaseId = newId();
    const left = new Set<string>();
    const held = deliveries.map((delivery) => book(delivery, left));
    const taken = deliveries.filter((_, at) => held[at]);
    const seen = inLine.put(left);
    open++;
    tx.onEnd((committed) => {
      open--;
      seen();
      if (!committed) return bookings.remove(taken);
      const committedMs = clock.monotonicMs();
      arrive(taken.map((delivery) => ({ delivery, leaseId, leasedAt, committedMs })));
      if (taken.length + left.size > 0) deps.onCommitted(left.size > 0);
    });
    return taken.length === 0 ? null : { leaseId, held };
  }

  /** `left`: endpoints of which something of the same statement waits in line. */
  function book(delivery: NewDelivery, left: Set<string>): boolean {
    const { webhookId } = delivery;
    if (delivery.sandbox && !deps.sandbox) return false;
    const mayBegin = !stopping && deps.isOpen() && !left.has(webhookId) && !inLine.has(webhookId);
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

/** Back into the queue, as if it had never been held. */
function createWayBack({ db, log, inLine, onCommitted }: HandoverDeps, bookings: Bookings) {
  let underWay = 0;
  return {
    get underWay() {
      return underWay;
    },
    giveBack(items: readonly HandedDelivery[]): void {
      if (items.length === 0) return;
      bookings.remove(items.map(({ delivery }) => delivery));
      // What comes for these endpoints begins after what is given back.
      const seen = inLine.put(new Set(items.map(({ delivery }) => delivery.webhookId)));
      underWay++;
      db.transact((tx) => releaseClaims(tx, items.map(toRelease)))
        .catch((error) =>
          log.warn({ err: error, deliveries: items.length }, 'webhooks are delivered when their leases end'),
        )
        .finally(() => {
          underWay--;
          seen();
          onCommitted(true);
        });
    },
  };
}

interface Holding {
  readonly line: HandedLine;
  readonly bookings: Bookings;
  giveBack(items: readonly HandedDelivery[]): void;
}

/** What begins, and when. */
function createTurns(deps: HandoverDeps, { line, bookings, giveBack }: Holding) {
  const { clock, log, places } = deps;
  const receivers = createReceivers(deps);
  /** Endpoints that are read for what goes on. */
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
    return safe.map((item) => ({ ...receiver, ...claimedOf(item) }));
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

/** Endpoints as they were read lately. */
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
    /** Those that were not read for a while. */
    forget(): void {
      for (const [webhookId, read] of known) if (isOld(read)) known.delete(webhookId);
    },
  };
}

/** As a claim of its row would read it, but for the endpoint. */
function claimedOf({ delivery, leaseId, leasedAt }: HandedDelivery) {
  return {
    tenant_id: delivery.tenantId,
    delivery_id: delivery.deliveryId,
    attempt: FIRST_ATTEMPT,
    attempts_made: 0,
    lease_id: leaseId,
    event_id: delivery.eventId,
    message_id: delivery.messageId,
    type: delivery.type,
    body: Buffer.from(delivery.body),
    leasedAt,
  };
}

function toRelease({ delivery, leaseId }: HandedDelivery) {
  return {
    tenant_id: delivery.tenantId,
    delivery_id: delivery.deliveryId,
    lease_id: leaseId,
    // As if it had never been held: in its order.
    dueAt: delivery.createdAt,
  };
}

type Bookings = ReturnType<typeof createBookings>;

/** How many are promised to transactions that have not ended, or wait. */
function createBookings({ places, most, mostOfEndpoint }: HandoverDeps) {
  const tenants = new Counts();
  const endpoints = new Counts();
  let total = 0;

  function hasRoomFor({ tenantId, webhookId }: NewDelivery): boolean {
    // Half of what is free for each account: there is always room for one more.
    if (tenants.of(tenantId) >= most - total) return false;
    // Who is not known to answer soon is given no more than may begin at once.
    const room = places.isProven(webhookId) ? mostOfEndpoint : places.room(tenantId, webhookId);
    return endpoints.of(webhookId) < room;
  }

  return {
    /** False: there is no room for it. */
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

import { parseAddress } from '@acuse/mail/mailbox';
import { DEFAULT_POOL } from '../../config/config-values.ts';
import { apiError } from '../../errors.ts';
import { asApiError } from '../../input-errors.ts';
import { countScheduled } from '../../messages/schedule-store.ts';
import type { Db, DbAndClock } from '../../platform/database/db.ts';
import { isId } from '../../platform/ids.ts';
import { REPORT_STALE_MS } from '../attempt/window-reports.ts';
import { isOfPool } from '../next-hop/source-pools.ts';
import { findCap } from './cap-store.ts';
import { type DestinationNote, listNotes } from './note-store.ts';
import {
  endDestinationPause,
  endTenantPause,
  listPausedDestinations,
  listPausedTenants,
  type Pause,
  type PausedDestination,
  type PausedTenant,
  pauseDestination,
  pauseTenant,
  takeUpDestination,
  takeUpTenant,
} from './pause-store.ts';
import {
  countDeferralReasons,
  countDueBefore,
  countLastReplies,
  findDestinationPause,
  findQueued,
  findTenantName,
  findTenantPause,
  groupQueue,
  listWindows,
  type QueuedFacts,
  type QueueFilter,
  type QueueGroup,
  type QueueKey,
  type ReasonCount,
  type ReplyCount,
  type SeenWindow,
  sumQueue,
} from './queue-store.ts';
import { countUnknown } from './unknown-outcomes-store.ts';
import { type WaitingFacts, type WaitingReason, waitingReasons, whyWaiting } from './why-waiting.ts';

export interface ShownMessage extends WaitingFacts {
  readonly why: readonly string[];
}

const DUE_BEFORE_MAX = 100_000;
/** Messages sampled, and replies shown. */
const REPLIES_SAMPLE = 10_000;
const REPLIES_SHOWN = 5;
const GROUPS_SHOWN = 10;

/** Why one message of any account waits. Throws not_found. */
export async function showMessage(deps: DbAndClock, messageId: string): Promise<ShownMessage> {
  const message = isId(messageId) ? await findQueued(deps.db, messageId, null) : null;
  if (message === null) throw apiError('not_found', `No message has the id ${messageId}.`);
  const now = deps.clock.now();
  const facts = await factsOf(deps.db, message, now);
  return { ...facts, why: whyWaiting(facts, now) };
}

/** The same, as far as the account may know. Throws not_found. */
export async function showWaiting(
  { db, clock }: DbAndClock,
  tenantId: string,
  messageId: string,
): Promise<WaitingReason[]> {
  const message = isId(messageId) ? await findQueued(db, messageId, tenantId) : null;
  if (message === null) throw apiError('not_found');
  const now = clock.now();
  return waitingReasons(await factsOf(db, message, now), now, 'account');
}

async function factsOf(db: Db, message: QueuedFacts, now: Date): Promise<WaitingFacts> {
  const { tenant_id: tenantId, queue } = message;
  const pool = message.source_pool ?? DEFAULT_POOL;
  const windows = queue === null ? [] : await listWindows(db, queue.destination, stale(now));
  return {
    message,
    tenantPause: await findTenantPause(db, tenantId),
    destinationPause: queue && (await findDestinationPause(db, queue.destination)),
    windows: windows.filter((window) => isOfPool(window.source_pool, pool)),
    cap: queue?.held_by == null ? null : await findCap(db, queue.held_by),
    dueBefore:
      queue === null || queue.due_at > now
        ? 0
        : await countDueBefore(db, tenantId, queue.due_at, DUE_BEFORE_MAX),
  };
}

export interface ShownGroup {
  readonly queue: QueueGroup | null;
  readonly pause: Pause | null;
  readonly lastReplies: readonly ReplyCount[];
  readonly reasons: readonly ReasonCount[];
}

export interface ShownDestination extends ShownGroup {
  readonly destination: string;
  readonly windows: readonly SeenWindow[];
  readonly notes: readonly DestinationNote[];
  readonly tenants: readonly QueueGroup[];
}

export async function showDestination(deps: DbAndClock, given: string): Promise<ShownDestination> {
  const { db, clock } = deps;
  const destination = destinationOf(given);
  const now = clock.now();
  const filter = { tenantId: null, destination };
  return {
    destination,
    ...(await showGroup(deps, filter, await findDestinationPause(db, destination))),
    windows: await listWindows(db, destination, stale(now)),
    notes: await listNotes(db, destination, now),
    tenants: await groupQueue(db, 'tenant', filter, now, { groups: GROUPS_SHOWN }),
  };
}

export interface ShownTenant extends ShownGroup {
  readonly tenantId: string;
  readonly name: string;
  readonly destinations: readonly QueueGroup[];
}

export async function showTenant(deps: DbAndClock, tenantId: string): Promise<ShownTenant> {
  const name = await requireTenant(deps, tenantId);
  const filter = { tenantId, destination: null };
  return {
    tenantId,
    name,
    ...(await showGroup(deps, filter, await findTenantPause(deps.db, tenantId))),
    destinations: await groupQueue(deps.db, 'destination', filter, deps.clock.now(), {
      groups: GROUPS_SHOWN,
    }),
  };
}

async function showGroup(
  { db, clock }: DbAndClock,
  filter: QueueFilter,
  pause: Pause | null,
): Promise<ShownGroup> {
  return {
    queue: await sumQueue(db, filter, clock.now()),
    pause,
    lastReplies: await countLastReplies(db, filter, REPLIES_SAMPLE, REPLIES_SHOWN),
    reasons: await countDeferralReasons(db, filter, REPLIES_SAMPLE),
  };
}

export interface ListedQueue {
  readonly total: QueueGroup | null;
  /** Not in the queue yet. */
  readonly scheduled: number;
  /** Held after a restore, outside the queue. */
  readonly unknown: number;
  readonly groups: readonly QueueGroup[];
  readonly destinations: readonly PausedDestination[];
  readonly tenants: readonly PausedTenant[];
}

/** Groups of the queue, and all pauses. Throws not_found, invalid_address. */
export async function listQueue(
  deps: DbAndClock,
  by: QueueKey,
  given: QueueFilter,
  limit: number,
): Promise<ListedQueue> {
  const { db, clock } = deps;
  if (given.tenantId !== null) await requireTenant(deps, given.tenantId);
  const destination = given.destination === null ? null : destinationOf(given.destination);
  const filter = { ...given, destination };
  const now = clock.now();
  return {
    total: await sumQueue(db, filter, now),
    scheduled: await countScheduled(db, filter),
    unknown: await countUnknown(db, { ...filter, messageId: null }),
    groups: await groupQueue(db, by, filter, now, { groups: limit }),
    destinations: await listPausedDestinations(db),
    tenants: await listPausedTenants(db),
  };
}

export type Pausable = { readonly destination: string } | { readonly tenantId: string };

/** Pauses mail within two seconds; conversations finish. Throws not_found, invalid_address. */
export async function pauseQueue(
  deps: DbAndClock,
  what: Pausable,
  why: { reason: string; by: string },
): Promise<void> {
  const pause: Pause = { reason: why.reason, paused_by: why.by, paused_at: deps.clock.now() };
  if ('destination' in what) return pauseDestination(deps.db, destinationOf(what.destination), pause);
  await requireTenant(deps, what.tenantId);
  await pauseTenant(deps.db, what.tenantId, pause);
}

/**
 * Resumes it; waiting mail is due at once. Returns how many, or null if not paused. Throws invalid_address.
 */
export function resumeQueue({ db, clock }: DbAndClock, what: Pausable): Promise<number | null> {
  const now = clock.now();
  if ('tenantId' in what) {
    if (!isId(what.tenantId)) return Promise.resolve(null);
    return db.transact(async (tx) =>
      (await endTenantPause(tx, what.tenantId)) ? takeUpTenant(tx, what.tenantId, now) : null,
    );
  }
  const destination = destinationOf(what.destination);
  return db.transact(async (tx) =>
    (await endDestinationPause(tx, destination)) ? takeUpDestination(tx, destination, now) : null,
  );
}

export function destinationOf(given: string): string {
  return asApiError(() => parseAddress(`x@${given}`, 'destination').domain);
}

async function requireTenant({ db }: DbAndClock, tenantId: string): Promise<string> {
  const name = isId(tenantId) ? await findTenantName(db, tenantId) : null;
  if (name === null) throw apiError('not_found', `No account has the id ${tenantId}.`);
  return name;
}

function stale(now: Date): Date {
  return new Date(now.getTime() - REPORT_STALE_MS);
}

import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import { DEFAULT_POOL } from '../../config/config-values.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Destinations } from '../attempt/destinations.ts';
import type { Router } from '../next-hop/router.ts';
import { putOffPausedDestinations, putOffPausedTenant } from '../operate/pause-store.ts';
import type { Pauses } from '../operate/pauses.ts';
import {
  type ClaimedRow,
  claimDue,
  claimDueElsewhere,
  claimExpired,
  findSuppressed,
  postponeDue,
  tenantsWithDueWork,
} from './claim-store.ts';
import { type ClaimedMessage, toClaimed } from './claimed.ts';
import type { MessageLeases } from './leases.ts';

/**
 * Which messages this process takes on. Tenants take turns, and none gets more than four fifths of what is
 * free, so that there is always room for one more; a destination whose window is full or closed is left out,
 * so that it holds no worker.
 */
export interface Claims {
  tenants(): Promise<string[]>;
  claim(tenantId: string, limit: number): Promise<ClaimedMessage[]>;
}

/** Most messages in one claim: bounds its statement; a commit costs the same for one as for many. */
const CLAIM_MAX = 128;
/** Tenants looked at in one round. */
const TENANTS_MAX = 500;
/** Due rows that a claim looks at when it must step over some. */
const HORIZON = 1_000;
/** Shortest time between two looks for work while there is some. */
const LOOK_EVERY_MS = 20;
/**
 * A tenant may hold this many times what is free then: four fifths of all for one alone, less for each of
 * several.
 */
const SHARE_OF_FREE = 4;

export function createClaims(deps: {
  db: Db;
  clock: Clock;
  leases: MessageLeases;
  destinations: Destinations;
  router: Router;
  pauses: Pauses;
  concurrency: number;
}): Claims {
  const { db, clock, leases, destinations, router, pauses, concurrency } = deps;
  /** Where the next look for tenants begins. */
  let cursor: string | null = null;
  let lastLookMs = Number.NEGATIVE_INFINITY;
  const pools = createPools();
  const poolOf = (tenantId: string) => (router.onlyKey === null ? pools.of(tenantId) : undefined);

  async function rowsFor(tenantId: string, limit: number): Promise<ClaimedRow[]> {
    const now = clock.now();
    const claim = { tenantId, now, limit };
    if (pauses.tenants.has(tenantId)) {
      await putOffPausedTenant(db, tenantId, now, HORIZON);
      return claimExpired(db, { ...claim, horizon: HORIZON });
    }
    const full = destinations.leaveOut(tenantId, poolOf(tenantId));
    // One place for all: while it takes no more, nothing is claimed.
    if (router.onlyKey !== null && full.includes(router.onlyKey)) return [];
    const leaveOut = [...(router.onlyKey === null ? full : []), ...pauses.destinations];
    if (leaveOut.length === 0) return claimDue(db, claim);
    const rows = await claimDueElsewhere(db, { ...claim, leaveOut, horizon: HORIZON });
    if (rows.length < limit) await putOff(tenantId, now);
    return rows;
  }

  /** What would be stepped over again and again. */
  async function putOff(tenantId: string, now: Date): Promise<void> {
    const closed = destinations.paused(poolOf(tenantId));
    if (router.onlyKey === null && closed.size > 0) await postponeDue(db, tenantId, now, closed, HORIZON);
    if (pauses.destinations.size > 0) await putOffPausedDestinations(db, tenantId, now, HORIZON);
  }

  return {
    async tenants() {
      // Every finished message asks for more: gathered, so that a claim takes many and not one.
      const waitMs = lastLookMs + LOOK_EVERY_MS - clock.monotonicMs();
      if (leases.size > 0 && waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      lastLookMs = clock.monotonicMs();
      await pauses.known();
      const now = clock.now();
      const found = await tenantsWithDueWork(db, now, cursor, TENANTS_MAX);
      if (found.length === TENANTS_MAX || cursor === null) {
        cursor = found.length === TENANTS_MAX ? found.at(-1)! : null;
        return found;
      }
      cursor = null;
      return [
        ...new Set([...found, ...(await tenantsWithDueWork(db, now, null, TENANTS_MAX - found.length))]),
      ];
    },
    async claim(tenantId, limit) {
      const room = Math.min(limit, roomFor(concurrency - leases.size, leases.heldBy(tenantId)), CLAIM_MAX);
      if (room <= 0) return [];
      const askedAt = leases.mark();
      const items = leases.hold((await rowsFor(tenantId, room)).map(toClaimed), askedAt);
      pools.note(items.at(-1));
      if (items.length === 0) return items;
      try {
        await markSuppressed(db, tenantId, items);
      } catch (error) {
        // Nothing has begun: out of the books, and due again when their leases end.
        leases.drop(items);
        throw error;
      }
      return items;
    },
  };
}

/** What a tenant that holds this many may claim: the largest n with held + n ≤ SHARE_OF_FREE × (free − n). */
function roomFor(free: number, held: number): number {
  const room = Math.floor((SHARE_OF_FREE * free - held) / (1 + SHARE_OF_FREE));
  return Math.min(Math.max(room, held === 0 ? 1 : 0), free);
}

/**
 * Source pools of accounts as their last claims had them, the default one left out: a claim before that only
 * finds more than it needs.
 */
function createPools() {
  const pools = new Map<string, string>();
  return {
    of: (tenantId: string) => pools.get(tenantId),
    note(item: ClaimedMessage | undefined): void {
      if (item === undefined) return;
      const { tenantId, sourcePool } = item;
      if (sourcePool === null || sourcePool === DEFAULT_POOL) pools.delete(tenantId);
      else pools.set(tenantId, sourcePool);
    },
  };
}

/** Addresses suppressed since the message was accepted: it ends without being tried. */
async function markSuppressed(db: Db, tenantId: string, items: readonly ClaimedMessage[]): Promise<void> {
  const keys = items.map((item) => compareKey(parseAddress(item.recipientAddress)));
  const suppressed = await findSuppressed(db, tenantId, keys);
  if (suppressed.size === 0) return;
  for (const [at, item] of items.entries()) if (suppressed.has(keys[at]!)) item.suppressed = true;
}

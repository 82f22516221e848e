import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import { DEFAULT_POOL } from '../../config/config-values.ts';
import type { Db, DbAndClock } from '../../platform/database/db.ts';
import type { Log } from '../../platform/logger.ts';
import { type Backlog, createBacklog } from '../../platform/queue/backlog.ts';
import { createScans, type Scans } from '../../platform/queue/scans.ts';
import type { Caps } from '../attempt/caps.ts';
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
  type Postponed,
  postponeDue,
} from './claim-store.ts';
import { type ClaimedMessage, toClaimed } from './claimed-message.ts';
import { askTenants, findDueTenants, OLDEST_MAX, type TenantTurn } from './due-store.ts';
import type { HandoverDeps } from './handover.ts';
import type { Places } from './places.ts';

/**
 * Chooses the messages that this process claims. Tenants take turns and share the places; full or closed
 * destinations are left out.
 */
export interface Claims {
  tenants(): Promise<string[]>;
  expect(): void;
  claim(tenantId: string, limit: number): Promise<ClaimedMessage[]>;
  /** For messages accepted here: what may begin without a claim. */
  readonly fresh: Pick<HandoverDeps, 'room' | 'roomFor' | 'mustWait' | 'queues'>;
}

/** Most messages per claim: a commit costs the same for one as for many. */
const CLAIM_MAX = 128;
/** Due rows that a claim reads if it skips some. */
const HORIZON = 1_000;
/** Share of places for messages accepted here; the rest is for the queue. */
const FRESH_SHARE = 0.5;

interface ClaimsDeps extends DbAndClock {
  readonly log: Log;
  readonly places: Places;
  readonly destinations: Destinations;
  readonly router: Router;
  readonly pauses: Pauses;
  readonly caps: Pick<Caps, 'heldOf'>;
  readonly concurrency: number;
  wake(): void;
}

export function createClaims(deps: ClaimsDeps): Claims {
  const { db, clock, places, destinations, router, pauses, caps } = deps;
  const backlog = createBacklog();
  const scans = createTenantScans({ ...deps, backlog });
  const pools = createPools();
  const keysOf = (tenantId: string) =>
    router.onlyKey === null ? sourceKeys(router, pools.of(tenantId) ?? null) : undefined;

  /** Null: not asked, because the only destination is full. */
  async function rowsFor(tenantId: string, limit: number): Promise<ClaimedRow[] | null> {
    const now = clock.now();
    const claim = { tenantId, now, limit, from: scans.start };
    if (pauses.tenants.has(tenantId)) {
      await putOffPausedTenant(db, tenantId, now, HORIZON);
      return claimExpired(db, { ...claim, horizon: HORIZON });
    }
    const full = destinations.leaveOut(tenantId, keysOf(tenantId));
    if (router.onlyKey !== null && full.includes(router.onlyKey)) return null;
    const leaveOut = [
      ...(router.onlyKey === null ? full : []),
      ...pauses.destinations,
      ...caps.heldOf(tenantId).keys(),
    ];
    if (leaveOut.length === 0) return claimDue(db, claim);
    const rows = await claimDueElsewhere(db, { ...claim, leaveOut, horizon: HORIZON });
    if (rows.length < limit) await putOff(tenantId, now);
    return rows;
  }

  /** Moves rows that claims would skip again and again. */
  async function putOff(tenantId: string, now: Date): Promise<void> {
    const closed = router.onlyKey === null ? destinations.paused(keysOf(tenantId)) : new Map<string, Date>();
    const until = new Map<string, Postponed>(caps.heldOf(tenantId));
    for (const [destination, reopens] of closed) until.set(destination, { until: reopens, capId: null });
    if (until.size > 0) await postponeDue(db, tenantId, now, until, HORIZON);
    if (pauses.destinations.size > 0) await putOffPausedDestinations(db, tenantId, now, HORIZON);
  }

  return {
    async tenants() {
      await pauses.known();
      return [...(await scans.due())];
    },
    expect: scans.expect,
    async claim(tenantId, limit) {
      const room = Math.min(limit, places.roomFor(tenantId), CLAIM_MAX);
      if (room <= 0) return [];
      const moment = backlog.moment();
      const rows = await rowsFor(tenantId, room);
      if (rows === null) return [];
      if (rows.length < room) scans.drained(tenantId, moment);
      const items = rows.map(toClaimed);
      pools.note(items.at(-1));
      // If it fails they are due again when the leases end.
      if (items.length > 0) await markSuppressed(db, tenantId, items);
      return items;
    },
    fresh: createFresh(deps, scans, backlog),
  };
}

function createFresh(
  { places, pauses, caps, destinations, router, concurrency }: ClaimsDeps,
  scans: TenantScans,
  backlog: Backlog,
): Claims['fresh'] {
  return {
    room: () => Math.floor(concurrency * FRESH_SHARE) - places.used,
    roomFor: places.roomFor,
    mustWait({ tenantId, destination, sourcePool }) {
      if (backlog.has(tenantId) || pauses.isPaused({ tenantId, destination })) return true;
      if (caps.heldOf(tenantId).has(destination)) return true;
      const key = router.onlyKey ?? destination;
      return sourceKeys(router, sourcePool).every((pool) =>
        destinations.takesNoMore({ key, pool }, tenantId),
      );
    },
    queues(tenantIds) {
      const seen = backlog.put(tenantIds);
      return (committed) => {
        seen(committed);
        if (committed) for (const tenantId of tenantIds) scans.add(tenantId);
      };
    },
  };
}

/** Keys of the windows that mail of the pool may wait for. */
function sourceKeys(router: Router, pool: string | null): readonly string[] {
  const sources = router.sourcesOf?.(pool) ?? [];
  return sources.length === 0 ? [pool ?? DEFAULT_POOL] : sources.map(({ key }) => key);
}

/**
 * Non-default source pools of accounts, as of their last claims; without one a claim finds too much, which is
 * harmless.
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

/** Marks recipients suppressed since: the message ends untried. */
async function markSuppressed(db: Db, tenantId: string, items: readonly ClaimedMessage[]): Promise<void> {
  const keys = items.map((item) => compareKey(parseAddress(item.recipientAddress)));
  const suppressed = await findSuppressed(db, tenantId, keys);
  if (suppressed.size === 0) return;
  for (const [at, item] of items.entries()) if (suppressed.has(keys[at]!)) item.suppressed = true;
}

/** A worker's scans for tenants with due mail. */
type TenantScans = Scans<string>;

interface TenantScansDeps extends DbAndClock {
  readonly log: Log;
  readonly backlog: Backlog;
  wake(): void;
}

export function createTenantScans(deps: TenantScansDeps): TenantScans {
  return createScans<string, TenantTurn>({
    ...deps,
    queue: 'delivery_queue',
    oldestMax: OLDEST_MAX,
    keyOf: (tenantId) => tenantId,
    find: findDueTenants,
    ask: (span, after, limit) => askTenants(deps.db, span, after?.tenant_id ?? null, limit),
    ownerOf: ({ tenant_id }) => tenant_id,
  });
}

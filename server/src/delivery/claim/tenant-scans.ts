import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { readInOrder } from '../../platform/database/read-in-order.ts';
import type { Log } from '../../platform/logger.ts';
import { createRoundRobin } from '../../platform/queue/round-robin.ts';
import { createScanCache } from '../../platform/queue/scan-cache.ts';
import { createScanStart } from '../../platform/queue/scan-start.ts';
import { createQueueStatistics } from '../../platform/queue/statistics.ts';
import type { Pauses } from '../operate/pauses.ts';
import { askTenants, type DueTenants, findDueTenants, NO_TENANT, OLDEST_MAX } from './due-store.ts';

/** A worker's scans for tenants with due mail. */
export interface TenantScans {
  /** Tenants worth a claim. None is overlooked for long. */
  tenants(): Promise<string[]>;
  /** A claim found less than it asked for: nothing is left. */
  drained(tenantId: string): void;
  /** The tenant has newly queued mail. */
  noteWaits(tenantId: string): void;
  /** Whether older mail of the tenant is queued, as far as known. */
  isInLine(tenantId: string): boolean;
  /** Start of claims. */
  readonly mark: Date | null;
}

export interface TenantScansDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly pauses: Pauses;
  isIdle(): boolean;
}

/** Shortest time between rounds of claims (ms): gathering makes claims larger. */
const ROUND_EVERY_MS = 20;

export function createTenantScans(deps: TenantScansDeps): TenantScans {
  const { db, clock, pauses } = deps;
  const round = createRoundRobin(clock, NO_TENANT);
  const lowWater = createScanStart(clock);
  const statistics = createQueueStatistics(deps);
  const kept = createScanCache<string>(clock);
  const inLine = createInLine();
  let lastRoundMs = Number.NEGATIVE_INFINITY;

  function look(now: Date): Promise<DueTenants> {
    return lowWater.look(now, (from) =>
      db.observe((tx) => {
        // The planner takes a suddenly full queue for a short one, and would sort it all.
        readInOrder(tx);
        return findDueTenants(tx, now, from);
      }),
    );
  }

  async function askInTurn(now: Date): Promise<string[]> {
    statistics.seen('delivery_queue', OLDEST_MAX);
    const asked = await round.next(
      (after, limit) => askTenants(db, { now, from: lowWater.mark }, after, limit),
      (tenant) => tenant.tenant_id,
    );
    return asked.filter((tenant) => tenant.due).map((tenant) => tenant.tenant_id);
  }

  return {
    async tenants() {
      const waitMs = lastRoundMs + ROUND_EVERY_MS - clock.monotonicMs();
      if (!deps.isIdle() && waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      lastRoundMs = clock.monotonicMs();
      await pauses.known();
      const left = kept.values();
      if (left !== null) return left;
      kept.begin();
      const now = clock.now();
      const found = await look(now);
      inLine.note(found);
      const others = found.more ? await askInTurn(now) : [];
      const tenants = new Set([...found.tenants, ...others]);
      kept.keep(new Map([...tenants].map((tenantId) => [tenantId, tenantId])));
      return [...tenants];
    },
    drained(tenantId) {
      kept.drained(tenantId);
      inLine.noteTaken(tenantId);
    },
    noteWaits(tenantId) {
      kept.add(tenantId, tenantId);
      inLine.add(tenantId);
    },
    isInLine: inLine.has,
    get mark() {
      return lowWater.mark;
    },
  };
}

/**
 * Accounts with queued messages, as far as known: new messages go behind them. All accounts, until the first
 * scan and while a scan is not complete.
 */
function createInLine() {
  let isEverybody = true;
  let tenants = new Set<string>();
  return {
    has: (tenantId: string) => isEverybody || tenants.has(tenantId),
    note(found: DueTenants): void {
      isEverybody = found.more;
      tenants = new Set(found.tenants);
    },
    add: (tenantId: string) => void tenants.add(tenantId),
    noteTaken: (tenantId: string) => void tenants.delete(tenantId),
  };
}

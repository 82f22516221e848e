import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { createQueueStatistics } from '../../platform/database/queue-statistics.ts';
import { readInOrder } from '../../platform/database/read-in-order.ts';
import { createKeptLook } from '../../platform/kept-look.ts';
import type { Log } from '../../platform/logger.ts';
import { createLowWater } from '../../platform/low-water.ts';
import { createRound } from '../../platform/round.ts';
import type { Pauses } from '../operate/pauses.ts';
import { askTenants, type DueTenants, findDueTenants, NO_TENANT, OLDEST_MAX } from './due-store.ts';

/** A worker's looks for tenants with due mail, one after the other. */
export interface Looks {
  /** Tenants whose turn is worth a claim. Nobody is overlooked for long, however many there are. */
  tenants(): Promise<string[]>;
  /** A claim found less of the tenant's than it asked for: there is no more. */
  drained(tenantId: string): void;
  /** Something of the tenant's came to wait in line. */
  noteWaits(tenantId: string): void;
  /** Whether older mail of the tenant waits in line, as far as this process knows. */
  isInLine(tenantId: string): boolean;
  /** Where claims begin. */
  readonly mark: Date | null;
}

export interface LooksDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly pauses: Pauses;
  /** This worker holds nothing. */
  isIdle(): boolean;
}

/**
 * Shortest time between two rounds of claims (ms): every finished message asks for one. Gathered, so that a
 * claim takes many and not one.
 */
const ROUND_EVERY_MS = 20;

export function createLooks(deps: LooksDeps): Looks {
  const { db, clock, pauses } = deps;
  const round = createRound(clock, NO_TENANT);
  const lowWater = createLowWater(clock);
  const statistics = createQueueStatistics(deps);
  const kept = createKeptLook<string>(clock);
  const inLine = createInLine();
  let lastRoundMs = Number.NEGATIVE_INFINITY;

  function look(now: Date): Promise<DueTenants> {
    return lowWater.look(now, (from) =>
      db.observe((tx) => {
        // A queue that filled at once is believed to be short: all that is due would be read and sorted.
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
 * Accounts whose messages wait in line as far as this process knows: what they send now begins after those.
 * Everybody's, until the first look, and while there are more than a look shows.
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

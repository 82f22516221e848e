import { type Clock, systemClock } from '../clock.ts';
import type { Log } from '../logger.ts';
import type { Db } from './db.ts';
import { isUnavailable, lostNode } from './failures.ts';
import { readLiving } from './living-store.ts';
import { readNodes } from './nodes-store.ts';

/**
 * Reads over all accounts of a distributed database. While a node is lost, they cover the accounts on the
 * others, because one statement over all fails. docs/decisions/0041
 */
export interface Reach {
  /**
   * Calls `look` for all accounts (null), or for those on living nodes; `why` then names the lost node, for
   * rows that are not found.
   */
  look<T>(look: (among: readonly string[] | null, why: Error | null) => Promise<T>): Promise<T>;
}

interface ReachDeps {
  readonly db: Db;
  readonly clock?: Pick<Clock, 'monotonicMs'>;
  readonly log?: Pick<Log, 'warn' | 'info'>;
  /** How long a node that is back is left alone (ms). */
  readonly backForMs?: number;
}

const ASK_EVERY_MS = 1_000;
/**
 * A node that is back is left alone for so long (ms): results for its accounts that could not be recorded are
 * recorded first, so that no other process does that work again.
 */
const BACK_FOR_MS = 5_000;

interface Partly {
  readonly tenantIds: readonly string[] | null;
  readonly askedMs: number;
  /** Null: a node is lost still. */
  readonly wholeSinceMs: number | null;
  readonly why: Error;
}

export function createReach({ db, clock = systemClock, log, backForMs = BACK_FOR_MS }: ReachDeps): Reach {
  let partly: Partly | null = null;
  /** Concurrent callers wait for the same answer. */
  let asking: Promise<void> | null = null;

  /** Null: all. */
  async function living(): Promise<readonly string[] | null> {
    if (partly === null) return null;
    if (partly.tenantIds === null || clock.monotonicMs() - partly.askedMs >= ASK_EVERY_MS) {
      asking ??= ask(partly).finally(() => {
        asking = null;
      });
      await asking;
    }
    return partly === null ? null : partly.tenantIds;
  }

  async function ask(before: Partly): Promise<void> {
    const askedMs = clock.monotonicMs();
    const { tenantIds, lost } = await db.observe(readLiving);
    const wholeSinceMs = lost.length > 0 ? null : (before.wholeSinceMs ?? askedMs);
    if (wholeSinceMs === null) partly = { ...before, tenantIds, askedMs, wholeSinceMs };
    else if (askedMs - wholeSinceMs < backForMs) partly = { ...before, askedMs, wholeSinceMs };
    else {
      partly = null;
      log?.info({}, 'every node of the database is reached again');
    }
  }

  /** The error does not name a node that hangs or lost its network. */
  async function findLost(error: unknown): Promise<string | null> {
    const named = lostNode(error);
    if (named !== null || !isUnavailable(error) || !(await db.distributed())) return named;
    return (await db.observe(readNodes)).find(({ reachable }) => !reachable)?.name ?? null;
  }

  return {
    async look(look) {
      const among = await living();
      try {
        return await look(among, partly?.why ?? null);
      } catch (error) {
        const node = error === partly?.why ? null : await findLost(error).catch(() => null);
        if (node === null) throw error;
        const why = error as Error;
        if (partly === null) {
          log?.warn({ err: error, node }, 'a node of the database is lost: accounts on the others go on');
          partly = { tenantIds: null, askedMs: Number.NEGATIVE_INFINITY, wholeSinceMs: null, why };
        }
        // Another node; otherwise another caller noted it meanwhile.
        else if (among !== null) partly = { ...partly, askedMs: Number.NEGATIVE_INFINITY, why };
        return look(await living(), partly?.why ?? null);
      }
    },
  };
}

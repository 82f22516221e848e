import type { Clock } from '../clock.ts';
import type { Log } from '../logger.ts';
import type { Queryable } from './db.ts';
import { isDistributed } from './distributed.ts';

/**
 * Keeps PostgreSQL from taking a long queue for an empty one, as it does of a queue that was empty when it
 * was last vacuumed: then what names 64 rows by their keys is held to each row of the queue in turn.
 */
export interface QueueStatistics {
  /** A look found so many rows in this queue, or more: it is analyzed if PostgreSQL believes less. */
  seen(queue: 'delivery_queue' | 'webhook_queue', rows: number): void;
}

/** Between two questions what PostgreSQL believes (ms). */
const ASK_EVERY_MS = 5_000;

export function createQueueStatistics({
  db,
  clock,
  log,
}: {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly log: Log;
}): QueueStatistics {
  let askedAtMs = Number.NEGATIVE_INFINITY;

  async function refresh(queue: string, rows: number): Promise<void> {
    // There each node has parts of its own, and statistics of them.
    if (await isDistributed(db)) return;
    const believed = await db.query(
      'select 1 from pg_class where oid = $1::regclass and relpages > 0 and reltuples < $2',
      [queue, rows],
      'ask_queue_statistics',
    );
    if (believed.length > 0) await db.query('select refresh_queue_statistics()');
  }

  return {
    seen(queue, rows) {
      const nowMs = clock.monotonicMs();
      if (nowMs - askedAtMs < ASK_EVERY_MS) return;
      askedAtMs = nowMs;
      refresh(queue, rows).catch((error) => log.debug({ error }, 'statistics of the queues not refreshed'));
    },
  };
}

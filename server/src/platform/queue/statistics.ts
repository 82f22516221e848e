import type { Clock } from '../clock.ts';
import type { Queryable } from '../database/db.ts';
import { isDistributed } from '../database/distributed.ts';
import type { Log } from '../logger.ts';

/**
 * Keeps PostgreSQL from planning for an empty queue after it was vacuumed while empty: it would then compare
 * 64 rows with every row of the queue.
 */
interface QueueStatistics {
  /** Reports the number of rows seen; analyzes the table if PostgreSQL's estimate is lower. */
  seen(queue: 'delivery_queue' | 'webhook_queue', rows: number): void;
}

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
    // With Citus each node has its own statistics.
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

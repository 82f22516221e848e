import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/database/db.ts';
import { every } from '../platform/every.ts';
import type { Log } from '../platform/logger.ts';
import { deleteOldDeliveries } from './delivery-store.ts';
import { erasePreviousSecrets } from './endpoint-store.ts';

export const DELIVERY_LOG_MS = 30 * 24 * 60 * 60 * 1_000;
const PURGE_EVERY_MS = 60 * 60 * 1_000;
const PURGE_PAGE = 5_000;

/** Deletes expired deliveries and secrets, in pages, until `signal` aborts. */
export async function purgeWebhooks(deps: { db: Db; clock: Clock }, signal?: AbortSignal): Promise<void> {
  const now = deps.clock.now();
  await erasePreviousSecrets(deps.db, now);
  const before = new Date(now.getTime() - DELIVERY_LOG_MS);
  const deletePage = () => deps.db.transact((tx) => deleteOldDeliveries(tx, before, PURGE_PAGE));
  while (!signal?.aborted && (await deletePage()) === PURGE_PAGE);
}

/** Runs at once and then hourly. */
export function createPurge(deps: { db: Db; clock: Clock; log: Log }): {
  start(): void;
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const purges = every(PURGE_EVERY_MS, () => purgeWebhooks(deps, stopping.signal), {
    atOnce: true,
    onError: (error) =>
      deps.log.warn({ err: error }, 'purging old webhook deliveries failed; trying again in an hour'),
  });

  return {
    start: purges.start,
    stop() {
      stopping.abort();
      return purges.stop();
    },
  };
}

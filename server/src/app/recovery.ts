import { apiError } from '../errors.ts';
import type { Db } from '../platform/database/db.ts';
import type { App } from '../platform/http/http.ts';
import type { Log } from '../platform/logger.ts';
import type { Anchor } from '../sealing/log/anchor/anchor.ts';
import { holdToAnchor } from '../sealing/log/anchor/hold.ts';
import { continuesAnchor, describeStanding } from '../sealing/log/anchor/publish.ts';
import { listLogs } from '../sealing/log/log-store.ts';

/**
 * A process on a database that is older than what outsiders have seen, or contradicts it: it is not ready,
 * accepts, delivers, seals and tells nothing, and shows what was published.
 */
export interface Recovery {
  /** One sentence for each log that is concerned. */
  readonly reasons: readonly string[];
}

/**
 * Null: everything that the database has continues what the anchor says. Throws when the anchor cannot be
 * reached, and when it has nothing of a log that has leaves: whoever starts this must say which is true.
 */
export async function findRecovery(
  { db, log }: { readonly db: Db; readonly log: Log },
  anchor: Anchor | null,
): Promise<Recovery | null> {
  if (anchor === null) return null;
  const reasons: string[] = [];
  for (const row of await listLogs(db)) {
    const { standing } = await holdToAnchor(db, anchor, row);
    const said = describeStanding(row.origin, anchor.place, standing);
    if (standing.kind === 'unanchored') throw new Error(said);
    if (continuesAnchor(standing)) continue;
    log.fatal({ origin: row.origin, ...standing }, said);
    reasons.push(said);
  }
  return reasons.length === 0 ? null : { reasons };
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Longer than a balancer waits, shorter than a person does. */
const RETRY_SECONDS = 60;

/**
 * Whatever would change something is refused, but for what `isAllowed` names; the same Idempotency-Key can be
 * used again afterwards.
 */
export function refuseChanges(app: App, recovery: Recovery, isAllowed = (_url: string) => false): void {
  app.addHook('onRequest', async ({ method, url }) => {
    if (!READS.has(method) && !isAllowed(url)) throw inRecovery(recovery);
  });
}

/** What goes to anybody: the sentences with places and sizes are in the log and on the terminal. */
export function inRecovery(_: Recovery) {
  return apiError(
    'unavailable',
    'The database was restored to an earlier point, and the service changes nothing until its operator has recovered it. Try again later with the same Idempotency-Key.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

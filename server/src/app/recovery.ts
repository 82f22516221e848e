import { apiError } from '../errors.ts';
import type { Anchor } from '../evidence/log/anchor/anchor.ts';
import { holdToAnchor } from '../evidence/log/anchor/hold.ts';
import { continuesAnchor, describeStanding } from '../evidence/log/anchor/publish.ts';
import { listLogs } from '../evidence/log/log-store.ts';
import { findSetBack, markRestored, type SetBackDeps } from '../operate/restore/set-back.ts';
import type { App } from '../platform/http/http.ts';
import type { Log } from '../platform/logger.ts';

/**
 * A process on a database that is older than what outsiders have seen, or contradicts it: it is not ready,
 * accepts, delivers, seals and tells nothing, and shows what was published.
 */
export interface Recovery {
  /** One sentence for each log that is concerned. */
  readonly reasons: readonly string[];
}

/**
 * Null: everything that the database has continues what the anchor says, and nothing says that it was
 * restored and not released. Throws when the anchor cannot be reached, and when it has nothing of a log that
 * has leaves: whoever starts this must say which is true.
 */
export async function findRecovery(
  deps: SetBackDeps & { readonly log: Log },
  anchor: Anchor | null,
): Promise<Recovery | null> {
  const { log } = deps;
  const reasons = anchor === null ? [] : await findBehind(deps, anchor);
  const setBack = await findSetBack(deps);
  if (setBack !== null) {
    log.fatal({}, setBack);
    reasons.push(setBack);
  }
  return reasons.length === 0 ? null : { reasons };
}

async function findBehind(deps: SetBackDeps & { readonly log: Log }, anchor: Anchor): Promise<string[]> {
  const { db, log } = deps;
  const reasons: string[] = [];
  for (const row of await listLogs(db)) {
    const { standing } = await holdToAnchor(db, anchor, row);
    const said = describeStanding(row.origin, anchor.place, standing);
    if (standing.kind === 'unanchored') throw new Error(said);
    if (continuesAnchor(standing)) continue;
    log.fatal({ origin: row.origin, ...standing }, said);
    reasons.push(said);
    // It stays so when the log has caught up by other means: the queue and the keys have not.
    if (standing.kind === 'behind') await markRestored(deps, said);
  }
  return reasons;
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Longer than a balancer waits, shorter than a person does. */
const RETRY_SECONDS = 60;

/**
 * Whatever would change something is refused, but for what `isAllowed` names; the same Idempotency-Key can be
 * used again afterwards.
 */
export function refuseChanges(app: App, isAllowed = (_url: string) => false): void {
  app.addHook('onRequest', async ({ method, url }) => {
    if (!READS.has(method) && !isAllowed(url)) throw inRecovery();
  });
}

/** What goes to anybody: the sentences with places and sizes are in the log and on the terminal. */
export function inRecovery(): Error {
  return apiError(
    'unavailable',
    'The database was restored to an earlier point, and the service changes nothing until its operator has recovered it. Try again later with the same Idempotency-Key.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

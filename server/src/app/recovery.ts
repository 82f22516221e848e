import { apiError } from '../errors.ts';
import type { Anchor } from '../evidence/log/anchor/anchor.ts';
import { compareWithAnchor } from '../evidence/log/anchor/compare.ts';
import { continuesAnchor, describeStanding } from '../evidence/log/anchor/publish.ts';
import { listLogs } from '../evidence/log/log-store.ts';
import { findSetBack, markRestored, type SetBackDeps } from '../operate/restore/set-back.ts';
import type { App } from '../platform/http/http.ts';
import type { Log } from '../platform/logger.ts';

/**
 * The database is older than what was published, or contradicts it: the process is not ready, changes
 * nothing, and shows what was published.
 */
export interface Recovery {
  readonly reasons: readonly string[];
}

/**
 * Null: consistent with the anchor, and released. Throws if the anchor is unreachable or lacks a log with
 * leaves.
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
    const { standing } = await compareWithAnchor(db, anchor, row);
    const said = describeStanding(row.origin, anchor.place, standing);
    if (standing.kind === 'unanchored') throw new Error(said);
    if (continuesAnchor(standing)) continue;
    log.fatal({ origin: row.origin, ...standing }, said);
    reasons.push(said);
    // Even if the log caught up: queue and keys have not.
    if (standing.kind === 'behind') await markRestored(deps, said);
  }
  return reasons;
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Longer than a balancer waits, shorter than a person. */
const RETRY_SECONDS = 60;

/** Refuses changes, except `isAllowed`; Idempotency-Keys remain usable. */
export function refuseChanges(app: App, isAllowed = (_url: string) => false): void {
  app.addHook('onRequest', async ({ method, url }) => {
    if (!READS.has(method) && !isAllowed(url)) throw inRecovery();
  });
}

/** For outsiders; details are in the log. */
export function inRecovery(): Error {
  return apiError(
    'unavailable',
    'The database was restored to an earlier point, and the service changes nothing until its operator has recovered it. Try again later with the same Idempotency-Key.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

import type { Queryable } from '../../platform/database/db.ts';
import { only } from '../../platform/database/rows.ts';

/** Authorities' health, shared by all processes. */

export async function readPauses(
  q: Queryable,
  names: readonly string[],
  now: Date,
): Promise<Map<string, Date>> {
  const rows = await q.query<{ name: string; pausedUntil: Date }>(
    'select name, paused_until as "pausedUntil" from authorities where name = any ($1::text[]) and paused_until > $2',
    [names, now.toISOString()],
    'read_authority_pauses',
  );
  return new Map(rows.map(({ name, pausedUntil }) => [name, pausedUntil]));
}

export interface PauseRule {
  readonly failures: number;
  /** Doubles with each further failure (ms). */
  readonly minMs: number;
  readonly maxMs: number;
}

/** Returns the end of the pause, if any: reckoned here, because Citus adds no interval in a change. */
export async function recordFailure(
  q: Queryable,
  failure: { name: string; error: string; at: Date },
  rule: PauseRule,
): Promise<Date | null> {
  const { failures } = await only<{ failures: number }>(
    q,
    `insert into authorities as a (name, failures, last_error, failed_at) values ($1, 1, $2, $3)
     on conflict (name) do update
        set failures = a.failures + 1, last_error = excluded.last_error, failed_at = excluded.failed_at
     returning failures`,
    [failure.name, failure.error, failure.at.toISOString()],
    'record_authority_failure',
  );
  const further = failures - rule.failures;
  if (further < 0) return null;
  const pausedUntil = new Date(
    failure.at.getTime() + Math.min(rule.maxMs, rule.minMs * 2 ** Math.min(further, DOUBLINGS_MAX)),
  );
  // Whoever counted a later failure, or a success, has the last word.
  await q.execute(
    'update authorities set paused_until = $2 where name = $1 and failures = $3',
    [failure.name, pausedUntil.toISOString(), failures],
    'pause_authority',
  );
  return pausedUntil;
}

const DOUBLINGS_MAX = 30;

export async function recordSuccess(
  q: Queryable,
  success: { name: string; at: Date; chainNotAfter: Date },
): Promise<void> {
  await q.execute(
    `insert into authorities (name, sealed_at, chain_not_after) values ($1, $2, $3)
     on conflict (name) do update
        set failures = 0, paused_until = null, sealed_at = excluded.sealed_at,
          chain_not_after = excluded.chain_not_after`,
    [success.name, success.at.toISOString(), success.chainNotAfter.toISOString()],
    'record_authority_success',
  );
}

export interface AuthorityRow {
  readonly name: string;
  readonly failures: number;
  readonly pausedUntil: Date | null;
  readonly lastError: string | null;
  readonly failedAt: Date | null;
  readonly sealedAt: Date | null;
  readonly chainNotAfter: Date | null;
}

export async function listAuthorities(q: Queryable): Promise<AuthorityRow[]> {
  return q.query<AuthorityRow>(
    `select name, failures, paused_until as "pausedUntil", last_error as "lastError", failed_at as "failedAt",
            sealed_at as "sealedAt", chain_not_after as "chainNotAfter"
       from authorities order by name`,
  );
}

import { setTimeout as sleep } from 'node:timers/promises';
import { abortSignalOf } from '../../platform/light-abort.ts';
import type { Log } from '../../platform/logger.ts';
import { createLeases, leaseEnd } from '../../platform/queue/leases.ts';
import { createLoop, type Loop } from '../../platform/queue/loop.ts';
import { type SweepDeps, type Swept, sweepTenant } from './sweep.ts';
import { type ClaimedSweep, claimSweep, extendSweeps, recordSweep, tenantsToSweep } from './sweep-store.ts';

/**
 * Sweeps the plain content of every account once an hour. A sweep is leased; when it is lost all the same,
 * two that delete the same content do no harm.
 */
export interface RetentionDeps extends SweepDeps {
  readonly log: Log;
  readonly pollMs?: number;
  /** Called for each sweep once it is on record. */
  onSwept?(swept: Swept): void;
}

interface Done extends Swept {
  readonly claim: ClaimedSweep;
}

/** Nothing here is urgent to the minute: content is kept for days. */
const SWEEP_EVERY_MS = 3_600_000;
/** Longest time that an account is swept at a stretch, so that another gets its turn. */
const TURN_MS = 5 * 60_000;
const POLL_MS = 60_000;
/** Accounts swept at once in one process: deleting is work for the disk. */
const CONCURRENCY = 2;
/**
 * A page is followed by a rest of so many times what it took: the disk and the processors are for sends, and
 * where they are busy a page takes longer, and so does the rest (decision 0042).
 */
const RESTS = 3;

export function createRetention(deps: RetentionDeps): Loop {
  const { db, clock, log } = deps;
  const loop = createLoop<ClaimedSweep, Done>({
    name: 'retention',
    clock,
    log,
    concurrency: CONCURRENCY,
    perTurn: 1,
    pollMs: deps.pollMs ?? POLL_MS,
    shards: () => tenantsToSweep(db, clock.now()),
    async claim(tenantId) {
      const claim = await claimSweep(db, tenantId, clock.now(), leaseEnd(clock));
      return claim === null ? [] : [claim];
    },
    leases: createLeases({
      ...{ clock, log, name: 'retention' },
      keyOf: ({ tenantId }) => tenantId,
      extend: (claims) => extendSweeps(db, claims, leaseEnd(clock)),
    }),
    async act(claim, stop) {
      const signal = abortSignalOf(stop);
      const turnEndsMs = clock.monotonicMs() + TURN_MS;
      const mayGoOn = () => !signal.aborted && clock.monotonicMs() < turnEndsMs;
      const rest = (tookMs: number) => sleep(tookMs * RESTS, undefined, { signal }).catch(() => {});
      return { claim, ...(await sweepTenant(deps, claim.tenantId, claim.sweptTo, { mayGoOn, rest })) };
    },
    async record(results) {
      const now = clock.now();
      for (const { claim, ...swept } of results) {
        const dueAt = swept.more ? now : new Date(now.getTime() + SWEEP_EVERY_MS);
        const { tenantId, attempt } = claim;
        await db.transact((tx) => recordSweep(tx, { tenantId, attempt, sweptTo: swept.sweptTo }, dueAt));
        deps.onSwept?.(swept);
        const { messages, bytes } = swept;
        if (messages > 0)
          log.info({ tenantId, messages, bytes }, 'deleted plain content past its retention period');
      }
      if (results.some(({ more }) => more)) loop.wake();
    },
  });
  return loop;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { sweepApprovals } from '../../messages/approvals.ts';
import type { Pace } from '../../messages/search/collect.ts';
import { collectWords } from '../../messages/search/collect.ts';
import { abortSignalOf } from '../../platform/light-abort.ts';
import type { Log } from '../../platform/logger.ts';
import { createLeases, leaseEnd } from '../../platform/queue/leases.ts';
import { createLoop, type Loop } from '../../platform/queue/loop.ts';
import { findRecordDays, findRecordsBeginAt } from './forget-store.ts';
import { countRecordsDue } from './retention-run.ts';
import { type RecordSweepDeps, type Swept, sweepRecords, sweepTenant } from './sweep.ts';
import { type ClaimedSweep, claimSweep, extendSweeps, recordSweep, tenantsToSweep } from './sweep-store.ts';

/**
 * Sweeps every account's plain content and old plain records once an hour, and indexes the words of its
 * messages for searches. A sweep has a lease; if two run after a lost lease, they do no harm.
 */
interface RetentionDeps extends RecordSweepDeps {
  readonly log: Log;
  readonly pollMs?: number;
  onSwept?(content: Swept, records: Swept): void;
}

interface Done {
  readonly claim: ClaimedSweep;
  readonly content: Swept;
  readonly records: Swept;
  readonly words: { readonly segments: number; readonly more: boolean };
}

/** Nothing here is urgent to the minute: content is kept for days. */
const SWEEP_EVERY_MS = 3_600_000;
/** For an account whose messages filled a segment in its last turn. */
const BUSY_SWEEP_EVERY_MS = 5 * 60_000;
/** Longest time that an account is swept at a stretch, so that another gets its turn. */
const TURN_MS = 5 * 60_000;
const POLL_MS = 60_000;
/** Accounts swept at once in one process: deleting is work for the disk. */
const CONCURRENCY = 2;
/**
 * After each page it rests for so many times as long as the page took: disk and processors are for sends, and
 * when they are busy, page and rest take longer (decision 0042).
 */
const RESTS = 9;

export function createRetention(deps: RetentionDeps): Loop {
  const { db, clock, log } = deps;
  const sweepOldRecords = createRecordSweeps(deps);
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
      await sweepApprovals(deps, claim.tenantId);
      const content = await sweepTenant(deps, claim.tenantId, claim.sweptTo, { mayGoOn, rest });
      const records = await sweepOldRecords(claim, { mayGoOn, rest });
      const words = await collectWords(deps, claim.tenantId, { mayGoOn, rest });
      return { claim, content, records, words };
    },
    async record(results) {
      const now = clock.now();
      for (const done of results) {
        const { claim, content, records } = done;
        const everyMs = done.words.segments > 0 ? BUSY_SWEEP_EVERY_MS : SWEEP_EVERY_MS;
        const dueAt = hasMore(done) ? now : new Date(now.getTime() + everyMs);
        const to = { sweptTo: content.sweptTo, recordsTo: records.sweptTo };
        await db.transact((tx) => recordSweep(tx, { ...claim, ...to }, dueAt));
        deps.onSwept?.(content, records);
        const { tenantId } = claim;
        const { messages, bytes } = content;
        if (messages > 0)
          log.info({ tenantId, messages, bytes }, 'deleted plain content past its retention period');
        if (records.messages > 0)
          log.info(
            { tenantId, messages: records.messages },
            'deleted records of plain messages past their period',
          );
      }
      if (results.some(hasMore)) loop.wake();
    },
  });
  return loop;
}

const hasMore = ({ content, records, words }: Done): boolean => content.more || records.more || words.more;

/** Nothing before the installation begins with it, which is announced once in a process. */
function createRecordSweeps(deps: RetentionDeps) {
  const { db, clock, log } = deps;
  let announced = false;

  async function announce(beginsAt: Date): Promise<void> {
    if (announced) return;
    announced = true;
    const { found } = await countRecordsDue(deps, beginsAt);
    if (found > 0)
      log.warn(
        { beginsAt, messages: found },
        'records of plain messages past their period are deleted from then on',
      );
  }

  return async ({ tenantId, recordsTo }: ClaimedSweep, pace: Pace): Promise<Swept> => {
    const beginsAt = await findRecordsBeginAt(db);
    if (clock.now() < beginsAt) {
      await announce(beginsAt);
      return { messages: 0, bytes: 0, sweptTo: recordsTo, more: false };
    }
    const ownDays = await findRecordDays(db, tenantId);
    return sweepRecords(deps, { tenantId, ownDays }, recordsTo, pace);
  };
}

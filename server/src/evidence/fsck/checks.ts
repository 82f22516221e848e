import { apiError } from '../../errors.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { every } from '../../platform/every.ts';
import { isId, newId } from '../../platform/ids.ts';
import type { LoopLog } from '../../platform/logger.ts';
import {
  beatCheck,
  type CheckRow,
  findCheck,
  finishCheck,
  insertCheck,
  interruptSilent,
  listChecks,
} from './check-store.ts';
import { type FsckProgress, fsck } from './fsck.ts';
import type { FsckResult } from './fsck-report.ts';

/**
 * Checks of all evidence as jobs: one at a time per installation, with progress in the database. A process
 * that ends interrupts its check, without effect.
 */
export interface Checks {
  start(by: string): Promise<CheckRow>;
  list(before: string | null, limit: number): Promise<CheckRow[]>;
  read(checkId: string): Promise<CheckRow>;
  stop(): Promise<void>;
}

interface ChecksDeps extends DbAndClock {
  readonly log: LoopLog;
  /** Default CHECK_PAGE_LEAVES. */
  readonly pageLeaves?: number;
}

const BEAT_EVERY_MS = 2_000;
/** Silence after which the process is considered dead (ms). */
const SILENT_MS = 15 * BEAT_EVERY_MS;
/** Small, so that requests run between pages. */
const CHECK_PAGE_LEAVES = 256;
const ERROR_MAX_CHARS = 500;

export function createChecks({ db, clock, log, pageLeaves = CHECK_PAGE_LEAVES }: ChecksDeps): Checks {
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | null = null;

  async function run(checkId: string, signal: AbortSignal): Promise<void> {
    let progress: FsckProgress | { phase: null; done: 0; total: 0 } = { phase: null, done: 0, total: 0 };
    const onProgress = (now: FsckProgress) => {
      progress = now;
    };
    const beats = every(BEAT_EVERY_MS, () => beatCheck(db, checkId, progress), {
      onError: (error) => log.warn({ err: error, checkId }, 'the progress of a check could not be recorded'),
    });
    beats.start();
    try {
      const result = await fsck({ db }, { pageLeaves, signal, onProgress });
      await beats.stop();
      await beatCheck(db, checkId, progress);
      const status = result.problemCount === 0 ? 'clean' : 'problems';
      await finishCheck(db, checkId, { status, result, error: null });
      if (status === 'problems')
        log.error({ checkId, problems: result.problemCount }, 'a check of the evidence found problems');
    } catch (error) {
      await beats.stop();
      const status = signal.aborted ? 'interrupted' : 'failed';
      const text = signal.aborted ? null : String((error as Error).message).slice(0, ERROR_MAX_CHARS);
      if (!signal.aborted) log.error({ err: error, checkId }, 'a check of the evidence failed');
      // Without the database, the missing heartbeat says so later.
      await finishCheck(db, checkId, { status, result: null, error: text }).catch(() => {});
    }
  }

  return {
    async start(startedBy) {
      await interruptSilent(db, SILENT_MS);
      const check = await insertCheck(db, { checkId: newId(clock.now().getTime()), startedBy });
      if (check === null)
        throw apiError('conflict', 'A check is running: wait for its end, or see its progress.');
      const stop = new AbortController();
      const ended = run(check.checkId, stop.signal).finally(() => {
        running = null;
      });
      running = { stop, ended };
      return check;
    },
    async list(before, limit) {
      await interruptSilent(db, SILENT_MS);
      return listChecks(db, before, limit);
    },
    async read(checkId) {
      await interruptSilent(db, SILENT_MS);
      const check = isId(checkId) ? await findCheck(db, checkId) : null;
      if (check === null) throw apiError('not_found', `No check has the id ${checkId}.`);
      return check;
    },
    async stop() {
      running?.stop.abort(new Error('the process stops'));
      await running?.ended;
    },
  };
}

/** A check by an earlier version counted none. */
const withArchived = (checked: Omit<FsckResult['checked'], 'archived'>) => ({ archived: 0, ...checked });

export function presentCheck(check: CheckRow) {
  return {
    id: check.checkId,
    status: check.status,
    started_by: check.startedBy,
    started_at: check.startedAt.toISOString(),
    finished_at: check.finishedAt?.toISOString() ?? null,
    phase: check.phase,
    done: check.done,
    total: check.total,
    checked: check.result === null ? null : withArchived(check.result.checked),
    problems: [...(check.result?.problems ?? [])],
    problem_count: check.result?.problemCount ?? null,
    error: check.error,
  };
}

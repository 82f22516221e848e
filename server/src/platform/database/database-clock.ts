import { type Clock, systemClock } from '../clock.ts';
import { every } from '../every.ts';
import type { LoopLog } from '../logger.ts';
import type { Db, Queryable } from './db.ts';

/**
 * The database's clock, which decides for all processes what is due and which leases have ended. Between
 * readings the monotonic clock continues, so that a step of the machine's clock has no effect.
 */
export interface DatabaseClock extends Clock {
  /** Reads the clock; keeps the last reading when the database does not answer. */
  read(): Promise<void>;
  start(): void;
  stop(): void;
}

/** A quartz drifts some 100 ppm: less than a millisecond in this time. */
const READ_EVERY_MS = 5_000;
/** A slower reading is too imprecise (ms). */
const MAX_ROUND_TRIP_MS = 1_000;
/** Change of the difference that is worth reporting (ms). */
const TOLD_FROM_MS = 5_000;

interface DatabaseClockDeps {
  readonly db: Db;
  readonly log: LoopLog;
  readonly machine?: Clock;
}

export function createDatabaseClock({ db, log, machine = systemClock }: DatabaseClockDeps): DatabaseClock {
  let known: { readonly ms: number; readonly atMs: number } | null = null;
  let toldMs = 0;
  let reading: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const sentMs = machine.monotonicMs();
    const ms = (await readClock(db)).getTime();
    const tookMs = machine.monotonicMs() - sentMs;
    if (known !== null && tookMs > MAX_ROUND_TRIP_MS) return;
    const next = { ms, atMs: sentMs + tookMs / 2 };
    // Within the precision of a reading, keep the last one: time must not jump by a millisecond.
    if (known !== null && Math.abs(at(known, next.atMs) - ms) <= 1 + tookMs / 2) return;
    known = next;
    tellOfDifference(machine.now().getTime() - ms);
  }

  function tellOfDifference(aheadMs: number): void {
    if (Math.abs(aheadMs - toldMs) < TOLD_FROM_MS) return;
    toldMs = aheadMs;
    log.warn(
      { aheadMs: Math.round(aheadMs) },
      "the clock of this machine differs from the database's, which is authoritative",
    );
  }

  function read(): Promise<void> {
    reading ??= ask()
      // Keep the last reading; callers that need the database report that it is away.
      .catch(() => {})
      .finally(() => {
        reading = null;
      });
    return reading;
  }

  const readings = every(READ_EVERY_MS, read);

  return {
    now() {
      return known === null ? machine.now() : new Date(at(known, machine.monotonicMs()));
    },
    monotonicMs: () => machine.monotonicMs(),
    read,
    start: readings.start,
    stop: () => void readings.stop(),
  };
}

function at(known: { ms: number; atMs: number }, monotonicMs: number): number {
  return known.ms + monotonicMs - known.atMs;
}

async function readClock(db: Queryable): Promise<Date> {
  const [row] = await db.query<{ now: Date }>('select clock_timestamp() as now', [], 'read_clock');
  return row!.now;
}

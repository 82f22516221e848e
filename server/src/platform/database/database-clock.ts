import { type Clock, systemClock } from '../clock.ts';
import { every } from '../every.ts';
import type { LoopLog } from '../logger.ts';
import type { Db, Queryable } from './db.ts';

/**
 * The database's clock, as every process of an installation reads it: what is due, and whose lease has ended,
 * is judged by one clock, however wrong that of a machine is. Between two readings the monotonic clock
 * continues from the last one, so that a step of the machine's clock changes nothing.
 */
export interface DatabaseClock extends Clock {
  /** Reads the clock once; keeps the last reading when the database does not answer. */
  read(): Promise<void>;
  start(): void;
  stop(): void;
}

/** A quartz is wrong by some 100 ppm: less than a millisecond in this time. */
const READ_EVERY_MS = 5_000;
/** A reading that took longer says too little. */
const MAX_ROUND_TRIP_MS = 1_000;
/** A difference that has changed by so much is reported. */
const TOLD_FROM_MS = 5_000;

export interface DatabaseClockDeps {
  readonly db: Db;
  readonly log: LoopLog;
  /** The machine's. */
  readonly machine?: Clock;
}

export function createDatabaseClock({ db, log, machine = systemClock }: DatabaseClockDeps): DatabaseClock {
  /** What the database said, and the monotonic time at which it did. */
  let known: { readonly ms: number; readonly atMs: number } | null = null;
  /** The difference that was logged last. */
  let toldMs = 0;
  let reading: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const sentMs = machine.monotonicMs();
    const ms = (await readClock(db)).getTime();
    const tookMs = machine.monotonicMs() - sentMs;
    if (known !== null && tookMs > MAX_ROUND_TRIP_MS) return;
    const next = { ms, atMs: sentMs + tookMs / 2 };
    // Within what a reading can tell nothing is corrected: time does not jump about by a millisecond.
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
      // The one known continues; a database that is away is reported by all who need it.
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

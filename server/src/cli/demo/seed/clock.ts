import type pg from 'pg';
import { moveDatabaseClock, returnDatabaseClock } from './clock-store.ts';

/**
 * Time for the seeded demo: this process and its database are two weeks in the past, and time passes in
 * jumps. Everything else is as it always is. docs/decisions/0024
 */
export interface MovedClock {
  nowMs(): number;
  /** By the machine's own clock. */
  realNowMs(): number;
  /** Only forward, and only while nothing is under way. */
  moveTo(ms: number): Promise<void>;
  /** The clocks as they were. */
  giveBack(): Promise<void>;
}

/** The process has two clocks: that of the wall, and one for durations, which must see time pass too. */
export async function moveClock(client: pg.Client, toMs: number): Promise<MovedClock> {
  const [wall, monotonic] = [Date.now, performance.now.bind(performance)];
  let aheadMs = 0;
  let passedMs = 0;

  async function set(ms: number): Promise<void> {
    const next = ms - wall();
    await moveDatabaseClock(client, next);
    passedMs += Math.max(0, next - aheadMs);
    aheadMs = next;
  }

  aheadMs = toMs - wall();
  await moveDatabaseClock(client, aheadMs);
  Date.now = () => wall() + aheadMs;
  define(() => monotonic() + passedMs);
  return {
    nowMs: () => wall() + aheadMs,
    realNowMs: () => wall(),
    async moveTo(ms) {
      if (ms > wall() + aheadMs) await set(ms);
    },
    async giveBack() {
      await returnDatabaseClock(client);
      Date.now = wall;
      define(monotonic);
    },
  };
}

function define(now: () => number): void {
  Object.defineProperty(performance, 'now', { value: now, configurable: true, writable: true });
}

import type pg from 'pg';
import { moveDatabaseClock, returnDatabaseClock } from './clock-store.ts';

/** The seeded demo runs two weeks in the past, and time advances in jumps. docs/decisions/0024 */
export interface MovedClock {
  nowMs(): number;
  /** The machine's clock. */
  realNowMs(): number;
  /** Forward, and only while idle. */
  moveTo(ms: number): Promise<void>;
  giveBack(): Promise<void>;
}

/** Both wall clock and monotonic clock. */
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

import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './asking.ts';

/** What somebody who has nothing to do with the attack sees of it. */
export interface Seen {
  readonly asked: number;
  readonly answered: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly health: {
    readonly asked: number;
    readonly answered: number;
    readonly p99Ms: number;
    readonly maxMs: number;
  };
}

const EVERY_MS = 100;
const HEALTH_EVERY_MS = 250;

/** Asks as a known client, with a key, each time over a new connection, until `signal`. */
export async function watch(base: URL, key: string, signal: AbortSignal): Promise<Seen> {
  const headers = { authorization: `Bearer ${key}` };
  const [client, health] = await Promise.all([
    repeat({ path: '/v1/account', headers }, EVERY_MS),
    repeat({ path: '/healthz' }, HEALTH_EVERY_MS),
  ]);
  const at = (of: readonly number[], share: number) =>
    of[Math.min(of.length - 1, Math.floor(of.length * share))] ?? 0;
  return {
    asked: client.asked,
    answered: client.times.length,
    p50Ms: at(client.times, 0.5),
    p99Ms: at(client.times, 0.99),
    health: {
      asked: health.asked,
      answered: health.times.length,
      p99Ms: at(health.times, 0.99),
      maxMs: health.times.at(-1) ?? 0,
    },
  };

  async function repeat(what: { path: string; headers?: Record<string, string> }, everyMs: number) {
    const times: number[] = [];
    const pending: Promise<void>[] = [];
    let asked = 0;
    do {
      asked++;
      const startedMs = performance.now();
      // At its time, whether or not the one before was answered: what waits counts.
      pending.push(
        ask(base, what).then(({ status }) => {
          if (status === 200) times.push(performance.now() - startedMs);
        }),
      );
      await sleep(everyMs, undefined, { signal }).catch(() => {});
    } while (!signal.aborted);
    await Promise.all(pending);
    return { asked, times: times.sort((one, other) => one - other) };
  }
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '../../platform/threads/job.ts';
import { LIMITS_MAX } from './budget.ts';
import { ask } from './fresh-request.ts';

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

export interface Mail {
  readonly from: string;
  readonly to: string;
}

interface KnownClient {
  readonly url: string;
  readonly key: string;
  /** The message that it sends; null: it reads its account. */
  readonly mail: Mail | null;
  readonly ms: number;
}

const EVERY_MS = 100;
const HEALTH_EVERY_MS = 250;
const START_AND_END_MS = 30_000;

/** In a thread: where the attack is made, answers wait for the attackers. */
export const knownClientJob: Job<KnownClient, Seen> = {
  name: 'known-client',
  limitMs: LIMITS_MAX.seconds * 1_000 + START_AND_END_MS,
  run: watch,
};

export async function watch({ url, key, mail, ms }: KnownClient): Promise<Seen> {
  const base = new URL(url);
  const endMs = performance.now() + ms;
  const headers = { authorization: `Bearer ${key}` };
  const account = { path: '/v1/account', headers };
  const [client, health] = await Promise.all([
    repeat(() => (mail === null ? account : sendOf(mail, headers)), EVERY_MS),
    repeat(() => ({ path: '/healthz' }), HEALTH_EVERY_MS),
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

  async function repeat(what: () => Parameters<typeof ask>[1], everyMs: number) {
    const times: number[] = [];
    const pending: Promise<void>[] = [];
    let asked = 0;
    do {
      asked++;
      const startedMs = performance.now();
      // At its time, whether or not the one before was answered: what waits counts.
      pending.push(
        ask(base, what()).then(({ status }) => {
          if (status >= 200 && status < 300) times.push(performance.now() - startedMs);
        }),
      );
      await sleep(everyMs);
    } while (performance.now() < endMs);
    await Promise.all(pending);
    return { asked, times: times.sort((one, other) => one - other) };
  }
}

function sendOf({ from, to }: Mail, headers: Readonly<Record<string, string>>) {
  return {
    method: 'POST',
    path: '/v1/messages',
    headers: { ...headers, 'idempotency-key': randomUUID() },
    body: JSON.stringify({
      from,
      to,
      subject: 'What an installation withstands',
      text: 'A test by acuse attack.\n',
    }),
  };
}

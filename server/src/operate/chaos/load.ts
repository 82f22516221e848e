import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Clients that send: each message has its own key, and is repeated with it until a 2xx. */
export interface Load {
  /** Keys that were answered 2xx. */
  readonly accepted: ReadonlySet<string>;
  take(): Taken;
  /** No new messages; those under way go on until they are accepted, or `withinMs` is over. */
  stop(withinMs: number): Promise<void>;
  /** Never answered 2xx. */
  readonly open: ReadonlySet<string>;
}

export interface Taken {
  readonly accepted: number;
  /** Answers that were not 2xx, or none. */
  readonly again: number;
  /** The longest time without a 2xx. */
  readonly gapMs: number;
}

interface LoadOptions {
  readonly url: () => string;
  readonly key: string;
  readonly run: string;
}

const CLIENTS = 4;
/** Pause of each client between messages (ms): some ten messages a second in all. */
const PAUSE_MS = 350;
const AGAIN_AFTER_MS = 250;
const ANSWER_WITHIN_MS = 10_000;

export function startLoad({ url, key, run }: LoadOptions): Load {
  const accepted = new Set<string>();
  const open = new Set<string>();
  const ending = new AbortController();
  let [sending, serial, again, longestMs, lastMs] = [true, 0, 0, 0, performance.now()];
  let counted = 0;

  const noteGap = () => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    return nowMs;
  };

  async function client(): Promise<void> {
    while (sending) {
      const id = `${run}-${++serial}-${randomUUID()}`;
      open.add(id);
      while (!ending.signal.aborted && !(await sendOnce(url(), key, id, serial % 2 === 0))) {
        again++;
        await sleep(AGAIN_AFTER_MS);
      }
      if (ending.signal.aborted) return;
      open.delete(id);
      accepted.add(id);
      lastMs = noteGap();
      await sleep(PAUSE_MS);
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));

  return {
    accepted,
    open,
    take() {
      noteGap();
      const taken = { accepted: accepted.size - counted, again, gapMs: longestMs };
      [counted, again, longestMs] = [accepted.size, 0, 0];
      return taken;
    },
    async stop(withinMs) {
      sending = false;
      const limit = setTimeout(() => ending.abort(), withinMs);
      await clients;
      clearTimeout(limit);
    },
  };
}

/** True: answered 2xx. */
async function sendOnce(url: string, key: string, id: string, certified: boolean): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': id,
      },
      body: JSON.stringify({
        from: 'billing@sandbox.test',
        to: 'delivered@sandbox.test',
        subject: 'acuse chaos',
        text: 'Hello.',
        certified,
      }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

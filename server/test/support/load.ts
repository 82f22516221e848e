import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './process.ts';
import { newKey } from './service.ts';

/** Sends under load and remembers what was answered, so that a test can hold the service to its word. */
export interface Load {
  /** Key → id of each message that was answered 200 or 201. */
  readonly accepted: ReadonlyMap<string, string>;
  /** Sends that were answered 503, and those whose connection broke without an answer. */
  readonly unavailable: readonly Unsettled[];
  readonly unanswered: readonly Unsettled[];
  /** Anything else: status and code. */
  readonly odd: readonly string[];
  /** Resolves when `total` sends are answered. */
  readonly done: Promise<void>;
  /** No new sends; resolves when those under way are answered. */
  stop(): Promise<void>;
}

/** A send that may have been accepted or not: the same again settles it. */
export interface Unsettled {
  readonly key: string;
  readonly fields: object;
}

const RETRY_MS = 50;
const LOOK_EVERY_MS = 20;

/**
 * Keeps `concurrency` sends under way at `service()`: another one after a restart, null for none at the
 * moment. `total`: most sends.
 */
export function startLoad(
  service: () => Service | null,
  options: { concurrency: number; fields?: (at: number) => object; total?: number },
): Load {
  const accepted = new Map<string, string>();
  const unavailable: Unsettled[] = [];
  const unanswered: Unsettled[] = [];
  const odd: string[] = [];
  let running = true;
  let begun = 0;

  async function sendOne(at: number): Promise<void> {
    const to = await available();
    if (to === null) return;
    const key = newKey();
    const fields = options.fields?.(at) ?? {};
    try {
      const { status, body } = await to.send(fields, key);
      if (status === 200 || status === 201) return void accepted.set(key, body.id);
      if (status === 503) unavailable.push({ key, fields });
      else odd.push(`${status} ${body?.error?.code}`);
    } catch {
      unanswered.push({ key, fields });
    }
    // As a client does that was refused: a service that is coming back has the processor.
    await sleep(RETRY_MS);
  }

  async function available(): Promise<Service | null> {
    for (; running; await sleep(LOOK_EVERY_MS)) {
      const found = service();
      if (found !== null) return found;
    }
    return null;
  }

  const workers = Array.from({ length: options.concurrency }, async () => {
    while (running && begun < (options.total ?? Number.POSITIVE_INFINITY)) await sendOne(begun++);
  });
  const done = Promise.all(workers).then(() => {});
  return {
    accepted,
    unavailable,
    unanswered,
    odd,
    done,
    stop() {
      running = false;
      return done;
    },
  };
}

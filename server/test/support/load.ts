import type { Service } from './process.ts';
import { newKey } from './service.ts';

/** Sends under load and remembers what was answered, so that a test can hold the service to its word. */
export interface Load {
  /** Key → id of each message that was answered 200 or 201. */
  readonly accepted: ReadonlyMap<string, string>;
  /** Keys that were answered 503, and those whose connection broke without an answer. */
  readonly unavailable: readonly string[];
  readonly unanswered: readonly string[];
  /** Anything else: status and code. */
  readonly odd: readonly string[];
  /** Resolves when `total` sends are answered. */
  readonly done: Promise<void>;
  /** No new sends; resolves when those under way are answered. */
  stop(): Promise<void>;
}

/** Keeps `concurrency` sends under way at `service()`, which may be another one after a restart. `total`: most sends. */
export function startLoad(
  service: () => Service,
  options: { concurrency: number; fields?: (at: number) => object; total?: number },
): Load {
  const accepted = new Map<string, string>();
  const unavailable: string[] = [];
  const unanswered: string[] = [];
  const odd: string[] = [];
  let running = true;
  let begun = 0;

  async function sendOne(key: string, at: number): Promise<void> {
    try {
      const { status, body } = await service().send(options.fields?.(at) ?? {}, key);
      if (status === 200 || status === 201) accepted.set(key, body.id);
      else if (status === 503) unavailable.push(key);
      else odd.push(`${status} ${body?.error?.code}`);
    } catch {
      unanswered.push(key);
      // The server is gone: without a pause this would only count refused connections.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  const workers = Array.from({ length: options.concurrency }, async () => {
    while (running && begun < (options.total ?? Number.POSITIVE_INFINITY)) await sendOne(newKey(), begun++);
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

/** Polls until `look` gives something true; throws with `what` when the time is over. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() >= deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

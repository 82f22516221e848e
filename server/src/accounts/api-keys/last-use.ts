import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { type KeyUse, recordKeyUses } from './store.ts';

/** Writes `last_used_at` and `last_used_from` in bulk, once per key and USE_RESOLUTION_MS. */
interface LastUse {
  /** `knownMs`: the stored value. */
  touch(use: { tenantId: string; apiKeyId: string; from: string | null }, knownMs: number): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const USE_RESOLUTION_MS = 60_000;
const FLUSH_EVERY_MS = 5_000;

export function createLastUse(options: {
  db: Pick<Db, 'query' | 'execute'>;
  clock: Clock;
  onError?: (error: unknown) => void;
}): LastUse {
  const { db, clock } = options;
  let noted = new Map<string, number>();
  let waiting: KeyUse[] = [];
  let flushing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function write(uses: KeyUse[]): Promise<void> {
    // A fixed order prevents deadlocks.
    uses.sort((a, b) => (a.apiKeyId < b.apiKeyId ? -1 : 1));
    // A loss only costs precision: no retry.
    await recordKeyUses(db, uses).catch((error) => options.onError?.(error));
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const uses = waiting;
    waiting = [];
    const staleMs = clock.now().getTime() - USE_RESOLUTION_MS;
    noted = new Map([...noted].filter(([, atMs]) => atMs > staleMs));
    if (uses.length > 0) flushing = flushing.then(() => write(uses));
    return flushing;
  }

  return {
    touch({ tenantId, apiKeyId, from }, knownMs) {
      const usedAt = clock.now();
      const nowMs = usedAt.getTime();
      if (nowMs - Math.max(knownMs, noted.get(apiKeyId) ?? 0) < USE_RESOLUTION_MS) return;
      noted.set(apiKeyId, nowMs);
      waiting.push({ tenantId, apiKeyId, usedAt, usedFrom: from });
      timer ??= setTimeout(() => void flush(), FLUSH_EVERY_MS).unref();
    },
    flush,
    close: flush,
  };
}

import { readRaw } from '../../messages/read-store.ts';
import type { Db } from '../../platform/database/db.ts';
import { loadRaw } from '../claim/claim-store.ts';

/**
 * Reads messages when their turn comes, to save memory: small ones together, large ones one by one within a
 * budget, so that a few of 25 MiB to slow servers cannot fill the process. A claim's very small ones are read
 * ahead.
 */
export interface ContentLoader {
  /** Reads very small messages of a claim ahead; each is kept until loaded or forgotten. */
  readAhead(items: readonly ContentKey[]): void;
  /** As readAhead, with known bytes. */
  keepAhead(items: readonly ContentKey[], raws: readonly Uint8Array[]): void;
  forget(items: readonly ContentKey[]): void;
  /** The composed bytes and their release; null when deleted. */
  load(item: ContentKey): Promise<LoadedContent | null>;
}

interface ContentKey {
  readonly tenantId: string;
  readonly messageId: string;
  readonly sizeBytes: number;
}

interface LoadedContent {
  readonly raw: Uint8Array;
  release(): void;
}

/** Read ahead up to this size: 6 MiB at most for 400 messages. */
export const AHEAD_BYTES = 16_384;
const SMALL_BYTES = 262_144;
const READ_BYTES = 4 * 1024 * 1024;
/** Budget for large messages in memory (bytes). */
const LARGE_BUDGET_BYTES = 128 * 1024 * 1024;

interface Wanted extends ContentKey {
  resolve(raw: Buffer | null): void;
  reject(error: unknown): void;
}

export function createContentLoader(db: Db): ContentLoader {
  const ahead = new Map<string, Promise<Uint8Array | null>>();
  const want = createGatheredReads(db);
  const takeBudget = createBudget();

  function take(item: ContentKey): Promise<Uint8Array | null> {
    const known = ahead.get(item.messageId);
    if (known === undefined) return want(item);
    ahead.delete(item.messageId);
    // The database may be back.
    return known.catch(() => want(item));
  }

  return {
    readAhead(items) {
      const small = items.filter((item) => item.sizeBytes <= AHEAD_BYTES && !ahead.has(item.messageId));
      for (const item of small) {
        const read = want(item);
        read.catch(() => {});
        ahead.set(item.messageId, read);
      }
    },
    keepAhead(items, raws) {
      for (const [at, { messageId, sizeBytes }] of items.entries())
        if (sizeBytes <= AHEAD_BYTES) ahead.set(messageId, Promise.resolve(raws[at]!));
    },
    forget(items) {
      for (const { messageId } of items) ahead.delete(messageId);
    },
    async load(item) {
      const release = item.sizeBytes <= SMALL_BYTES ? () => {} : await takeBudget(item.sizeBytes);
      try {
        const raw =
          item.sizeBytes <= SMALL_BYTES
            ? await take(item)
            : await readRaw(db, item.tenantId, item.messageId, item.sizeBytes);
        if (raw !== null) return { raw, release };
      } catch (error) {
        release();
        throw error;
      }
      release();
      return null;
    },
  };
}

/** Gathers reads of small messages within one turn of the event loop. */
function createGatheredReads(db: Db): (item: ContentKey) => Promise<Buffer | null> {
  let gathered: Wanted[] = [];
  let scheduled = false;

  function read(wanted: readonly Wanted[]): void {
    loadRaw(db, wanted).then(
      (found) => {
        for (const item of wanted) item.resolve(found.get(item.messageId) ?? null);
      },
      (error) => {
        for (const item of wanted) item.reject(error);
      },
    );
  }

  function readGathered(): void {
    scheduled = false;
    const all = gathered;
    gathered = [];
    let from = 0;
    let bytes = 0;
    for (let at = 0; at < all.length; at++) {
      bytes += all[at]!.sizeBytes;
      if (bytes >= READ_BYTES || at === all.length - 1) {
        read(all.slice(from, at + 1));
        from = at + 1;
        bytes = 0;
      }
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ ...item, resolve, reject });
      if (scheduled) return;
      scheduled = true;
      setImmediate(readGathered);
    });
}

/** Resolves once there is room, to a function that releases it. */
function createBudget(): (sizeBytes: number) => Promise<() => void> {
  let largeBytes = 0;
  const waitingLarge: { sizeBytes: number; start(): void }[] = [];

  return async (sizeBytes) => {
    if (largeBytes > 0 && largeBytes + sizeBytes > LARGE_BUDGET_BYTES) {
      await new Promise<void>((start) => waitingLarge.push({ sizeBytes, start }));
    } else largeBytes += sizeBytes;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      largeBytes -= sizeBytes;
      while (waitingLarge.length > 0) {
        const next = waitingLarge[0]!;
        if (largeBytes > 0 && largeBytes + next.sizeBytes > LARGE_BUDGET_BYTES) return;
        waitingLarge.shift();
        largeBytes += next.sizeBytes;
        next.start();
      }
    };
  };
}

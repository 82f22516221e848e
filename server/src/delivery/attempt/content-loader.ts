import { readRaw } from '../../messages/read-store.ts';
import { Counts } from '../../platform/counts.ts';
import type { Db } from '../../platform/database/db.ts';
import { loadRaw } from '../claim/claim-store.ts';
import { SHARE_OF_FREE } from '../claim/places.ts';

/**
 * Reads messages when their turn comes, to save memory: small ones together, large ones one by one. Both have
 * a budget that accounts share, so that mail to slow servers cannot fill the process or keep others waiting.
 * A claim's very small ones are read ahead, and count in none.
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

/** Read ahead up to this size: 20 MiB at most for 1 200 messages. */
export const AHEAD_BYTES = 16_384;
const SMALL_BYTES = 262_144;
const READ_BYTES = 4 * 1024 * 1024;
/** For large messages in memory, and again for small ones. */
const BUDGET_BYTES = 128 * 1024 * 1024;

interface Wanted extends ContentKey {
  resolve(raw: Buffer | null): void;
  reject(error: unknown): void;
}

export function createContentLoader(db: Db): ContentLoader {
  const ahead = new Map<string, Promise<Uint8Array | null>>();
  const want = createGatheredReads(db);
  const takeLarge = createBudget();
  const takeSmall = createBudget();

  function take(item: ContentKey): Promise<Uint8Array | null> {
    const known = ahead.get(item.messageId);
    if (known === undefined) return want(item);
    ahead.delete(item.messageId);
    // The database may be back.
    return known.catch(() => want(item));
  }

  function budgetOf(item: ContentKey): Promise<() => void> | (() => void) {
    if (item.sizeBytes <= AHEAD_BYTES) return () => {};
    return item.sizeBytes <= SMALL_BYTES ? takeSmall(item) : takeLarge(item);
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
      const release = await budgetOf(item);
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

interface Waiting {
  readonly sizeBytes: number;
  start(): void;
}

/** Resolves once there is room, to a function that releases it. Accounts take turns. */
function createBudget(): (item: ContentKey) => Promise<() => void> {
  let held = 0;
  const heldBy = new Counts();
  /** Oldest first; the order of accounts is that of their turns. */
  const waiting = new Map<string, Waiting[]>();

  function count(tenantId: string, bytes: number): void {
    held += bytes;
    heldBy.add(tenantId, bytes);
  }

  function startNext(): void {
    for (const [tenantId, line] of waiting) {
      const { sizeBytes, start } = line[0]!;
      const own = heldBy.of(tenantId);
      const free = BUDGET_BYTES - held - sizeBytes;
      // The smaller ones of others would never leave room for it.
      if (free < 0 && own === 0) return;
      if (free < 0 || (own > 0 && own + sizeBytes > SHARE_OF_FREE * free)) continue;
      count(tenantId, sizeBytes);
      line.shift();
      // To the back, where this loop comes to it again.
      waiting.delete(tenantId);
      if (line.length > 0) waiting.set(tenantId, line);
      start();
    }
  }

  return async ({ tenantId, sizeBytes }) => {
    await new Promise<void>((start) => {
      const line = waiting.get(tenantId) ?? [];
      line.push({ sizeBytes, start });
      waiting.set(tenantId, line);
      startNext();
    });
    let given = false;
    return () => {
      if (given) return;
      given = true;
      count(tenantId, -sizeBytes);
      startNext();
    };
  };
}

import { insertSpentKeys } from '../../messages/spent-key-store.ts';
import { hashOfKey } from '../../messages/spent-keys.ts';
import type { Db } from '../../platform/database/db.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { readAccepted } from '../../platform/journal/accepted.ts';
import { findStatus, listKeysSince } from './missing-store.ts';

/**
 * Keys that the journal has and the restored database does not: their messages are lost, and repeating them
 * could send twice (docs/decisions/0060).
 */
export interface LostKeys {
  readonly keys: number;
  /** Lines that cannot be read. */
  readonly unreadable: number;
}

/** Calls `take` for them, in pages of one account. */
export async function findLostKeys(
  db: Db,
  folder: string,
  { installation, since }: { readonly installation: string | null; readonly since: Date },
  take: (tenantId: string, keySha256s: readonly Uint8Array[]) => Promise<void> = async () => {},
): Promise<LostKeys> {
  const known = new Map<string, ReadonlySet<string> | null>();
  const gathered = new Map<string, Uint8Array[]>();
  let keys = 0;
  const flush = async (tenantId: string) => {
    const page = gathered.get(tenantId) ?? [];
    gathered.delete(tenantId);
    await take(tenantId, page);
  };
  const { unreadable } = await readAccepted(
    folder,
    { installation, since },
    async ({ tenantId, keySha256s }) => {
      if (!known.has(tenantId)) known.set(tenantId, await knownOf(db, tenantId, since));
      const there = known.get(tenantId);
      // An account of after the restored point.
      if (there === null || there === undefined) return;
      const lost = keySha256s.filter((hash) => !there.has(textOf(hash)));
      keys += lost.length;
      const page = gathered.get(tenantId) ?? [];
      page.push(...lost);
      gathered.set(tenantId, page);
      if (page.length >= PAGE) await flush(tenantId);
    },
  );
  for (const tenantId of [...gathered.keys()]) await flush(tenantId);
  return { keys, unreadable };
}

const PAGE = 1_000;

const textOf = (hash: Uint8Array): string => Buffer.from(hash).toString('base64');

/** Hashes of the messages accepted here in that time. Null: no such account. */
async function knownOf(db: Db, tenantId: string, since: Date): Promise<ReadonlySet<string> | null> {
  if ((await findStatus(db, tenantId)) === null) return null;
  const keys = await listKeysSince(db, tenantId, firstIdAt(new Date(since.getTime() - COMMIT_MAX_MS)));
  return new Set(keys.map((key) => textOf(hashOfKey(tenantId, key))));
}

/** Between a message's id and its line in the journal (ms). */
const COMMIT_MAX_MS = 10 * 60_000;

/** A repetition is refused from now on. Can be repeated. */
export function refuseLostKeys(
  db: Db,
  folder: string,
  facts: { readonly installation: string | null; readonly since: Date },
  stay: () => Promise<void>,
): Promise<LostKeys> {
  return findLostKeys(db, folder, facts, async (tenantId, hashes) => {
    await stay();
    if (hashes.length > 0) await db.transact(async (tx) => insertSpentKeys(tx, tenantId, hashes));
  });
}

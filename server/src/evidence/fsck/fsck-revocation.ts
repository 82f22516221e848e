import { equalBytes, toHex } from '@acuse/evidence/bytes';
import { RevocationBook } from '@acuse/evidence/timestamp/revocation';
import type { Db } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';
import { type RevocationRow, readRevocation } from '../stamp/revocation-store.ts';
import type { StampColumns } from '../stamp/stamp-columns.ts';

export type RevocationFaults = (stamp: StampColumns) => Promise<string[]>;

/** One piece serves thousands of constancias. */
const MAX_KEPT = 16;

export function createRevocationCheck(db: Db): RevocationFaults {
  const kept = new Map<string, RevocationRow | null>();

  async function piece(hash: Uint8Array): Promise<RevocationRow | null> {
    const key = toHex(hash);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const [row] = await readRevocation(db, [hash]);
    const sound = row !== undefined && equalBytes(sha256(row.content), hash) ? row : null;
    kept.set(key, sound);
    for (const [oldest] of kept) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    return sound;
  }

  return async ({ chain, genTime, revocation }) => {
    const faults: string[] = [];
    const sound: RevocationRow[] = [];
    for (const hash of revocation) {
      const row = await piece(hash);
      if (row === null) faults.push(`revocation data ${toHex(hash)} is missing or different`);
      else sound.push(row);
    }
    const book = new RevocationBook(
      sound.map((row) => ({ name: toHex(row.sha256), kind: row.kind, bytes: row.content })),
    );
    for (const { certificate, revoked } of await book.statusOf(chain, genTime)) {
      if (revoked !== null)
        faults.push(
          `${JSON.stringify(certificate.subject)} was revoked at ${revoked.from.toISOString()}, and it stamped at ${genTime.toISOString()}`,
        );
    }
    for (const { name, reason } of book.idle()) faults.push(`revocation data ${name}: ${reason}`);
    return faults;
  };
}

import type { RevocationKind } from '@acuse/evidence/timestamp/revocation';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { RevocationPiece } from './revocation-gather.ts';

/** Stored once by hash, however many constancias need it. */

export async function insertRevocation(tx: Tx, pieces: readonly RevocationPiece[], at: Date): Promise<void> {
  if (pieces.length === 0) return;
  // CRLs are large and mostly stored already: only missing ones are sent.
  const stored = await tx.query<{ sha256: Buffer }>(
    'select sha256 from revocation_data where sha256 = any ($1::bytea[])',
    [pieces.map(({ sha256 }) => Buffer.from(sha256))],
    'find_revocation',
  );
  const missing = pieces.filter((piece) => !stored.some((row) => row.sha256.equals(piece.sha256)));
  for (const { sha256, kind, sourceUrl, content } of missing) {
    await tx.execute(
      `insert into revocation_data (sha256, kind, source_url, content, fetched_at) values ($1, $2, $3, $4, $5)
       on conflict (sha256) do nothing`,
      [sha256, kind, sourceUrl, content, at.toISOString()],
      'insert_revocation',
    );
  }
}

export interface RevocationRow {
  readonly sha256: Uint8Array;
  readonly kind: RevocationKind;
  readonly content: Uint8Array;
}

export async function readRevocation(q: Queryable, hashes: readonly Uint8Array[]): Promise<RevocationRow[]> {
  if (hashes.length === 0) return [];
  return q.query<RevocationRow>(
    'select sha256, kind, content from revocation_data where sha256 = any ($1::bytea[]) order by sha256',
    [hashes.map((hash) => Buffer.from(hash))],
    'read_revocation',
  );
}

import type { DeliveryManifest } from '@acuse/evidence/delivery';
import { KINDS } from '@acuse/evidence/delivery-kinds';
import { jcsBytes } from '@acuse/evidence/jcs';
import type { OutcomeContents } from './evidence-store.ts';

/** From the rows of a delivery to the bytes that its outcome leaf committed to. Pure. */

/** Undefined: not committed to. Null: committed to, and gone. */
export interface OutcomeContent {
  readonly transcript: Uint8Array | undefined | null;
  readonly dsn: Uint8Array | undefined | null;
}

/**
 * The transcript is the canonical JSON (RFC 8785) of the attempt's sessions, which is what was hashed when
 * they were stored.
 */
export function contentOf(manifest: DeliveryManifest, rows: OutcomeContents): OutcomeContent {
  const sessions = rows.sessions.get(manifest.attempt);
  const action = KINDS[manifest.kind].report;
  const report = action === null ? undefined : rows.reports.get(action);
  return {
    transcript: manifest.transcript === null ? undefined : sessions === undefined ? null : jcsBytes(sessions),
    dsn: manifest.dsn === null ? undefined : (report ?? null),
  };
}

export function isWhole({ transcript, dsn }: OutcomeContent): boolean {
  return transcript !== null && dsn !== null;
}

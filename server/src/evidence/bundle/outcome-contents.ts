import type { DeliveryManifest } from '@acuse/evidence/delivery';
import { KINDS } from '@acuse/evidence/delivery-kinds';
import { jcsBytes } from '@acuse/evidence/jcs';
import { writeOwnReport } from '@acuse/mail/report/own-report';
import type { OutcomeRows } from './evidence-store.ts';
import type { OutcomeAttempt } from './outcome-columns.ts';

/** From the rows of a delivery to the bytes that its outcome leaf committed to. Pure. */

/** Undefined: not committed to. Null: committed to, and gone. */
export interface OutcomeContent {
  readonly transcript: Uint8Array | undefined | null;
  readonly dsn: Uint8Array | undefined | null;
}

/**
 * The transcript is the canonical JSON (RFC 8785) of the attempt's sessions, the report of ours what its
 * recipe writes: the bytes that were hashed when they were stored.
 */
export function contentOf(manifest: DeliveryManifest, messageId: string, rows: OutcomeRows): OutcomeContent {
  const tried = rows.attempts.find(({ attempt }) => attempt === manifest.attempt);
  return {
    transcript:
      manifest.transcript === null ? undefined : tried === undefined ? null : jcsBytes(tried.sessions),
    dsn: manifest.dsn === null ? undefined : reportOf(manifest, messageId, rows, tried),
  };
}

/** Ours is of the attempt that ended the message; what came by mail, and what was kept whole, is in a row. */
function reportOf(
  manifest: DeliveryManifest,
  messageId: string,
  rows: OutcomeRows,
  tried: OutcomeAttempt | undefined,
): Uint8Array | null {
  const action = KINDS[manifest.kind].report;
  const recipe = tried?.recipe ?? null;
  if (tried === undefined || recipe === null || recipe.action !== action)
    return rows.reports.find((report) => report.action === action)?.report ?? null;
  try {
    return writeOwnReport(recipe, { ...tried, messageId, raw: tried.header ?? new Uint8Array(0) });
  } catch (error) {
    // Not a recipe of ours any more.
    if (error instanceof TypeError) return null;
    throw error;
  }
}

export function isWhole({ transcript, dsn }: OutcomeContent): boolean {
  return transcript !== null && dsn !== null;
}

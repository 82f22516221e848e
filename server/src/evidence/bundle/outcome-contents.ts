import type { DeliveryManifest } from '@acuse/evidence/delivery';
import { KINDS } from '@acuse/evidence/delivery-kinds';
import { jcsBytes } from '@acuse/evidence/jcs';
import { writeOwnReport } from '@acuse/mail/report/own-report';
import type { OutcomeRows } from './evidence-store.ts';
import type { OutcomeAttempt } from './outcome-columns.ts';

/** Undefined: not committed to. Null: deleted. */
export interface OutcomeContent {
  readonly transcript: Uint8Array | undefined | null;
  readonly dsn: Uint8Array | undefined | null;
}

/**
 * The transcript is canonical JSON (RFC 8785) of the sessions, our report follows from its recipe: the same
 * bytes that were hashed.
 */
export function contentOf(manifest: DeliveryManifest, messageId: string, rows: OutcomeRows): OutcomeContent {
  const tried = rows.attempts.find(({ attempt }) => attempt === manifest.attempt);
  return {
    transcript:
      manifest.transcript === null ? undefined : tried === undefined ? null : jcsBytes(tried.sessions),
    dsn: manifest.dsn === null ? undefined : reportOf(manifest, messageId, rows, tried),
  };
}

/** The rows, with the header that our own reports quote from a message that is not in the database. */
export function quoting({ attempts, reports }: OutcomeRows, raw: Uint8Array): OutcomeRows {
  const quoted = attempts.map((tried) => {
    const { recipe } = tried;
    return recipe === null ? tried : { ...tried, header: raw.subarray(0, recipe.header_bytes) };
  });
  return { attempts: quoted, reports };
}

/** Ours belongs to the final attempt; reports by mail, or kept whole, are stored. */
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
    // No recipe of ours.
    if (error instanceof TypeError) return null;
    throw error;
  }
}

export function isWhole({ transcript, dsn }: OutcomeContent): boolean {
  return transcript !== null && dsn !== null;
}

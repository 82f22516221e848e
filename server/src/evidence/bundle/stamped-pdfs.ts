import { equalBytes } from '@acuse/evidence/bytes';
import { responseToken } from '@acuse/evidence/timestamp/parse';
import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import type { Authorities } from '../stamp/authorities.ts';
import { readRevocation } from '../stamp/revocation-store.ts';
import type { StampColumns } from '../stamp/stamp-columns.ts';
import { contentBuffers, pdfJob, sourceBytes } from './bundle-jobs.ts';
import { fullHour } from './count-outcomes.ts';
import { findPdfStamp, type PdfStampRow, putPdfStamp } from './pdf-store.ts';
import { type ProofBundleDeps, readBundleSource } from './proof-bundle.ts';
import { finishPdf } from './report/stamped-pdf.ts';
import { busy, createStampOnce } from './stamp-once.ts';

/**
 * A message's evidence as a PDF with a document time-stamp. Only the stamp is stored: the PDF is drawn again,
 * to the same bytes, from the same rows and the same time of counting. A stamp is bought when the rows have
 * changed, when the count is old, or when another version draws other pages.
 */
export interface StampedPdfs {
  /** When its outcomes are counted: as in the stored stamp's PDF, while that is valid for these facts. */
  countedAt(tenantId: string, messageId: string, factsSha256: Uint8Array): Promise<Date>;
  /** Throws as FinishedBundles says. */
  make(of: PdfOf): Promise<Uint8Array>;
}

interface PdfOf {
  readonly tenantId: string;
  readonly messageId: string;
  readonly factsSha256: Uint8Array;
  readonly countedAt: Date;
  /** May buy a time-stamp if no stored one is valid. */
  readonly mayBuy: boolean;
}

interface StampedPdfsDeps extends ProofBundleDeps {
  readonly threads: Threads;
  readonly authorities: Authorities;
  readonly verifyUrl: () => string;
}

/** Programs that judge PDFs want the key usage for time-stamps. RFC 3161 §2.3 */
const FOR_PDFS = { profile: 'rfc3161' } as const;
/** As sealing on demand, which costs the same. */
const NOT_BOUGHT =
  'The evidence has no time-stamped PDF yet, or has changed since. A new one costs a time-stamp and takes the scope messages:send; evidence:read is enough to read it afterwards.';
/** Each waits for an authority with its whole PDF in memory. */
const MAX_IN_FLIGHT = 8;
/** Outcomes are counted again after this: verifiers warn of a count of 30 days (ms). */
const COUNT_AGE_MS = 7 * 86_400_000;

export function createStampedPdfs(deps: StampedPdfsDeps): StampedPdfs {
  const { db, clock } = deps;
  let inFlight = 0;
  const stampOnce = createStampOnce(deps);
  const stored = (tenantId: string, messageId: string) =>
    db.asTenant(tenantId, (tx) => findPdfStamp(tx, tenantId, messageId));

  async function stampOf(of: PdfOf, imprint: Uint8Array): Promise<StampColumns> {
    const { tenantId, messageId } = of;
    const find = async () => {
      const row = await stored(tenantId, messageId);
      return row !== undefined && equalBytes(row.imprint, imprint) ? row : undefined;
    };
    const store = async (tx: Tx, stamp: StampColumns & { readonly createdAt: Date }) => {
      await putPdfStamp(tx, { ...of, ...stamp });
      return true;
    };
    if (!of.mayBuy) {
      const row = await find();
      if (row === undefined) throw apiError('insufficient_scope', NOT_BOUGHT);
      return row;
    }
    return stampOnce({ tenantId, messageId, imprint, first: FOR_PDFS, find, store });
  }

  return {
    async countedAt(tenantId, messageId, factsSha256) {
      const now = clock.now();
      const row = await stored(tenantId, messageId);
      return row !== undefined && isGood(row, factsSha256, now) ? row.countedAt : fullHour(now);
    },
    async make(of) {
      const { tenantId, messageId, countedAt } = of;
      if (inFlight >= MAX_IN_FLIGHT) throw busy('Too many PDFs are being made at once.', 1);
      inFlight++;
      try {
        const source = await readBundleSource(deps, tenantId, messageId, countedAt);
        const order = { tenantId, bytes: sourceBytes(source), handOver: contentBuffers(source) };
        const drawn = await deps.threads.run(pdfJob, { ...source, verifyUrl: deps.verifyUrl() }, order);
        const stamp = await stampOf(of, drawn.imprint);
        const told = await readRevocation(db, stamp.revocation);
        return finishPdf(drawn, { token: responseToken(stamp.token), chain: stamp.chain, told });
      } finally {
        inFlight--;
      }
    },
  };
}

function isGood({ factsSha256, countedAt }: PdfStampRow, wanted: Uint8Array, now: Date): boolean {
  return equalBytes(factsSha256, wanted) && now.getTime() - countedAt.getTime() < COUNT_AGE_MS;
}

import { assembleBundle } from '@acuse/evidence/assemble';
import { bundleToJson, writeBundle } from '@acuse/evidence/bundle';
import { toHex } from '@acuse/evidence/bytes';
import type { Check } from '@acuse/evidence/checks';
import { EvidenceError } from '@acuse/evidence/errors';
import { verifyEntries } from '@acuse/evidence/verify';
import { ed25519 } from '../../platform/ed25519.ts';
import { sha256 } from '../../platform/sha256.ts';
import { type Job, ownBuffer } from '../../platform/threads/job.ts';
import type { BundleSource } from './proof-bundle.ts';
import { addReport } from './report/add-report.ts';
import type { UnstampedPdf } from './report/stamped-pdf.ts';
import { toEvidence } from './stored-evidence.ts';

/** A bundle of 25 MiB takes some seconds on a slow machine (ms). */
const JOB_LIMIT_MS = 60_000;

export type BundleForm = 'zip' | 'json';

interface BundleInput extends BundleSource {
  readonly form: BundleForm;
  readonly verifyUrl: string;
}

export const bundleJob: Job<BundleInput, Uint8Array<ArrayBuffer>> = {
  name: 'proof-bundle',
  limitMs: JOB_LIMIT_MS,
  async run({ rows, trust, now, form, verifyUrl }) {
    const evidence = assembleBundle(toEvidence(rows, trust), sha256);
    const bundle = await addReport(evidence, verifyUrl, now);
    return ownBuffer(
      form === 'zip' ? writeBundle(bundle) : Buffer.from(JSON.stringify(bundleToJson(bundle))),
    );
  },
  handedOver: (bytes) => [bytes.buffer],
};

/** The PDF with the bundle attached, except for the time-stamp over it. */
export const pdfJob: Job<Omit<BundleInput, 'form'>, UnstampedPdf> = {
  name: 'proof-pdf',
  limitMs: JOB_LIMIT_MS,
  async run({ rows, trust, now, verifyUrl }) {
    const bundle = await addReport(assembleBundle(toEvidence(rows, trust), sha256), verifyUrl, now);
    // PDFKit is slow to load.
    const { unstampedPdf } = await import('./report/stamped-pdf.ts');
    const unstamped = await unstampedPdf(bundle, writeBundle(bundle), verifyUrl, now);
    return { ...unstamped, pdf: ownBuffer(unstamped.pdf) };
  },
  handedOver: ({ pdf }) => [pdf.buffer],
};

/** Rows too damaged for a bundle are a result: the evidence fails. */
export type VerifyOutput =
  | {
      readonly kind: 'verified';
      readonly checks: Check[];
      readonly sealedAt: string | undefined;
      readonly merkleRoot: string | undefined;
      readonly canonicalHash: string;
    }
  | { readonly kind: 'damaged'; readonly check: Check };

export const verifyJob: Job<BundleSource, VerifyOutput> = {
  name: 'verify',
  limitMs: JOB_LIMIT_MS,
  async run({ rows, trust, now }) {
    try {
      const bundle = assembleBundle(toEvidence(rows, trust), sha256);
      const { checks, facts } = await verifyEntries(bundle, {
        sha256,
        now,
        ed25519,
        trust,
        ends: rows.logEnd === null ? [] : [rows.logEnd],
      });
      return {
        kind: 'verified',
        checks,
        sealedAt: facts.sealed_at,
        merkleRoot: facts.merkle_root,
        canonicalHash: toHex(sha256(bundle.get('manifest.json') ?? new Uint8Array(0))),
      };
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      return { kind: 'damaged', check: { name: error.check, ok: false, detail: error.detail } };
    }
  },
};

/** Approximate memory of the rows. */
export function sourceBytes({ rows: { content } }: BundleSource): number {
  return ROWS_BYTES + (content?.raw.length ?? 0) + (content?.submission.length ?? 0);
}

export function contentBuffers({ rows: { content } }: BundleSource): ArrayBuffer[] {
  const buffers = [content?.raw.buffer, content?.submission.buffer];
  return buffers.filter((buffer): buffer is ArrayBuffer => buffer instanceof ArrayBuffer);
}

const ROWS_BYTES = 256 * 1024;

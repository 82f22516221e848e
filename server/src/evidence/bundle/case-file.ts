import { assembleBundle } from '@acuse/evidence/assemble';
import { writeBundle } from '@acuse/evidence/bundle';
import { toHex } from '@acuse/evidence/bytes';
import { nameInCase, writeCase } from '@acuse/evidence/case-file';
import { type Disclosure, narrow } from '@acuse/evidence/disclose';
import type { ZipEntry } from '@acuse/evidence/zip';
import { apiError } from '../../errors.ts';
import { ClientGone } from '../../platform/http/http-errors.ts';
import { sha256 } from '../../platform/sha256.ts';
import { type Job, ownBuffer } from '../../platform/threads/job.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import { createTurns } from '../../platform/turns.ts';
import { contentBuffers, sourceBytes } from './bundle-jobs.ts';
import { type BundleSource, type ProofBundleDeps, readBundleSource } from './proof-bundle.ts';
import { reportFactsOf, withReport } from './report/add-report.ts';
import type { CaseFacts, CaseItem } from './report/case-facts.ts';
import { toEvidence } from './stored-evidence.ts';

/**
 * A case file: the bundles of several messages in one ZIP, with an index to print. Each bundle is as it would
 * be alone, and is verified alone; nothing is proven by their being together (docs/decisions/0069).
 */

/** Mails and requests of all its messages (bytes): the file is made in memory, and a browser opens it. */
export const CASE_CONTENT_MAX_BYTES = 96 * 1024 * 1024;
/** As for a whole bundle, which is built and verified first (ms). */
const BUNDLE_LIMIT_MS = 60_000;
/** 100 messages with many outcomes fill some hundred pages (ms). */
const INDEX_LIMIT_MS = 60_000;

interface CaseBundleInput extends BundleSource {
  /** Null: everything. */
  readonly shown: Disclosure | null;
  readonly verifyUrl: string;
}

interface CaseBundle extends Pick<CaseItem, 'facts'> {
  readonly zip: Uint8Array<ArrayBuffer>;
}

export const caseBundleJob: Job<CaseBundleInput, CaseBundle> = {
  name: 'case-bundle',
  limitMs: BUNDLE_LIMIT_MS,
  async run({ rows, trust, now, shown, verifyUrl }) {
    const whole = assembleBundle(toEvidence(rows, trust), sha256);
    const bundle = shown === null ? whole : await narrow(whole, shown, { sha256, now });
    const facts = await reportFactsOf(bundle, verifyUrl, now);
    const reported = shown === null && facts !== null ? await withReport(bundle, facts) : bundle;
    return { zip: ownBuffer(writeBundle(reported)), facts };
  },
  handedOver: ({ zip }) => [zip.buffer],
};

export const caseIndexJob: Job<CaseFacts, Uint8Array<ArrayBuffer>> = {
  name: 'case-index',
  limitMs: INDEX_LIMIT_MS,
  async run(facts) {
    // PDFKit is slow to load.
    const { writeCaseIndex } = await import('./report/case-index.ts');
    return ownBuffer(await writeCaseIndex(facts));
  },
  handedOver: (pdf) => [pdf.buffer],
};

export interface CaseFile {
  readonly tenantId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly messages: readonly { readonly messageId: string; readonly shown: Disclosure | null }[];
}

interface CaseFileDeps extends ProofBundleDeps {
  readonly threads: Threads;
  verifyUrl(): string;
}

/** In memory at once. */
const CASES_AT_ONCE = 2;
const CASES_WAITING_MAX = 32;
const RETRY_SECONDS = 10;

export interface CaseAsker {
  /** A person, or a link. */
  readonly holder: string;
  /** Aborted once nobody waits for the file. */
  readonly gone: AbortSignal;
}

/** Throws not_found, missing_proof_data; unavailable while too much is being made; ClientGone. */
export type MakeCaseFile = (file: CaseFile, by: CaseAsker) => Promise<Uint8Array>;

export function createCaseFiles(deps: CaseFileDeps): MakeCaseFile {
  const inTurn = createTurns({
    ...{ atOnce: CASES_AT_ONCE, waitingMax: CASES_WAITING_MAX },
    tooMany: () =>
      apiError(
        'unavailable',
        'Too many case files are being made at once. Retry after the seconds in Retry-After.',
        { retryAfterSeconds: RETRY_SECONDS },
      ),
  });
  return (file, { holder, gone }) =>
    inTurn({ holders: [file.tenantId, holder], gone }, () => makeCaseFile(deps, file, gone));
}

async function makeCaseFile(deps: CaseFileDeps, file: CaseFile, gone: AbortSignal): Promise<Uint8Array> {
  const { tenantId, name, createdAt } = file;
  const verifyUrl = deps.verifyUrl();
  const ordered = file.messages.toSorted((one, other) => (one.messageId < other.messageId ? -1 : 1));
  const bundles: ZipEntry[] = [];
  const items: CaseItem[] = [];
  // One after the other: one account's case takes one thread.
  for (const [at, { messageId, shown }] of ordered.entries()) {
    if (gone.aborted) throw new ClientGone();
    const source = await readBundleSource(deps, tenantId, messageId);
    const order = { tenantId, bytes: sourceBytes(source), handOver: contentBuffers(source) };
    const { zip, facts } = await deps.threads.run(caseBundleJob, { ...source, shown, verifyUrl }, order);
    const file = nameInCase(at + 1, ordered.length, messageId);
    bundles.push({ name: file, bytes: zip });
    items.push({ file, messageId, sha256: toHex(sha256(zip)), facts });
  }
  const facts = { name, createdAt: createdAt.toISOString(), items, verifyUrl };
  const index = await deps.threads.run(caseIndexJob, facts, { tenantId, bytes: INDEX_BYTES * items.length });
  return writeCase(index, bundles, sha256);
}

/** About the memory of one message's facts. */
const INDEX_BYTES = 16 * 1024;

/** Throws conflict. */
export function assertCaseFits(contentBytes: number): void {
  if (contentBytes > CASE_CONTENT_MAX_BYTES)
    throw apiError(
      'conflict',
      `These messages are larger than ${CASE_CONTENT_MAX_BYTES / 1_048_576} MiB together: make two case files.`,
    );
}

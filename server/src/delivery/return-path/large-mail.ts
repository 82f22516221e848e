import type { DkimFact } from '@acuse/evidence/manifest';
import { heldSignatures } from '@acuse/mail/authentication/dkim-check';
import { type DomainReport, readDomainReports } from '@acuse/mail/report/domain-reports';
import { HeaderFields } from '@acuse/mail/report/header-fields';
import { parseMime } from '@acuse/mail/report/lenient-mime';
import { type ReturnedMail, readReturnedMail } from '@acuse/mail/report/read-report';
import { networkOf } from '../../platform/network/network.ts';
import type { IncomingMail } from '../../platform/smtp/smtp-types.ts';
import type { Job } from '../../platform/threads/job.ts';
import type { JobOrder, Threads } from '../../platform/threads/threads.ts';
import { LARGE_MESSAGE_BYTES } from '../large-message.ts';

/** Reading 10 MiB takes up to a second: large mail is read in a thread (ms). */

const JOB_LIMIT_MS = 30_000;

/** Objects with methods cannot be transferred. */
interface Packed {
  readonly returned: ReturnedMail;
  readonly fields: readonly (readonly [string, string])[] | null;
}

export const readReturnedJob: Job<{ raw: Uint8Array; reversePath: string }, Packed> = {
  name: 'read-returned',
  limitMs: JOB_LIMIT_MS,
  run({ raw, reversePath }) {
    const returned = readReturnedMail(raw, reversePath);
    return { returned: withHeaders(returned, null), fields: headersOf(returned)?.entries() ?? null };
  },
};

function headersOf(returned: ReturnedMail): HeaderFields | null {
  if (returned.kind === 'complaint') return returned.complaint.headers;
  if (returned.kind === 'receipt') return returned.receipt.about.headers;
  return returned.kind === 'report' ? returned.report.original.headers : null;
}

function withHeaders(returned: ReturnedMail, headers: HeaderFields | null): ReturnedMail {
  if (returned.kind === 'complaint') return { ...returned, complaint: { ...returned.complaint, headers } };
  if (returned.kind === 'receipt') {
    const { receipt } = returned;
    return { ...returned, receipt: { ...receipt, about: { ...receipt.about, headers } } };
  }
  if (returned.kind !== 'report') return returned;
  const { report } = returned;
  return { ...returned, report: { ...report, original: { ...report.original, headers } } };
}

async function readInThread(
  threads: Threads,
  job: { raw: Uint8Array; reversePath: string },
  order: JobOrder,
): Promise<ReturnedMail> {
  const { returned, fields } = await threads.run(readReturnedJob, job, order);
  return fields === null ? returned : withHeaders(returned, new HeaderFields(fields));
}

export const verifyReturnedJob: Job<{ raw: Uint8Array; keys: readonly DkimFact[] }, DkimFact[]> = {
  name: 'verify-returned',
  limitMs: JOB_LIMIT_MS,
  run: ({ raw, keys }) => heldSignatures(raw, keys),
};

const domainReportsOf = (raw: Uint8Array) => readDomainReports(parseMime(raw));

/** A packed attachment can be slow to read however small it is. */
export const readDomainReportsJob: Job<Uint8Array, DomainReport[]> = {
  name: 'read-domain-reports',
  limitMs: JOB_LIMIT_MS,
  run: domainReportsOf,
};

/** How one mail is read. */
interface ReturnedReader {
  read(): Promise<ReturnedMail>;
  readDomainReports(): Promise<DomainReport[]>;
  heldSignatures(raw: Uint8Array, keys: readonly DkimFact[]): Promise<DkimFact[]>;
}

/** Cached for several recipients and retries. */
const readers = new WeakMap<Uint8Array, ReturnedReader>();

/** `threads` null: always read here. Networks take turns. */
export function readerOf(
  threads: Threads | null,
  mail: Pick<IncomingMail, 'raw' | 'clientAddress' | 'reversePath'>,
): ReturnedReader {
  const known = readers.get(mail.raw);
  if (known !== undefined) return known;
  const made = makeReader(threads, mail);
  let returned: Promise<ReturnedMail> | null = null;
  const reader: ReturnedReader = {
    ...made,
    read() {
      returned ??= made.read();
      return returned;
    },
  };
  readers.set(mail.raw, reader);
  return reader;
}

function makeReader(
  threads: Threads | null,
  { raw, clientAddress, reversePath }: Pick<IncomingMail, 'raw' | 'clientAddress' | 'reversePath'>,
): ReturnedReader {
  if (threads === null)
    return {
      read: async () => readReturnedMail(raw, reversePath),
      readDomainReports: async () => domainReportsOf(raw),
      heldSignatures,
    };
  const order = { tenantId: `return-path ${networkOf(clientAddress)}`, bytes: raw.length };
  if (raw.length < LARGE_MESSAGE_BYTES)
    return {
      read: async () => readReturnedMail(raw, reversePath),
      readDomainReports: () => threads.run(readDomainReportsJob, raw, order),
      heldSignatures,
    };
  // Shared by the threads and this one, so that a mail is copied once.
  const shared = new Uint8Array(new SharedArrayBuffer(raw.length));
  shared.set(raw);
  return {
    read: () => readInThread(threads, { raw: shared, reversePath }, order),
    readDomainReports: () => threads.run(readDomainReportsJob, shared, order),
    heldSignatures: (_raw, keys) => threads.run(verifyReturnedJob, { raw: shared, keys }, order),
  };
}

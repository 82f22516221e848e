/** Verifies a whole archive from its objects alone: every bundle in it, and that it is whole. */
import {
  type ArchivedRenewals,
  type ArchiveObject,
  bundleFromArchive,
  entriesOf,
  gatherRenewals,
  MAX_OBJECT_BYTES,
  messagesOf,
  nameOfObject,
  readArchiveObject,
  stateText,
} from './archive.ts';
import {
  ARCHIVE_INDEX,
  type ArchiveIndex,
  type ArchivePart,
  MAX_INDEX_BYTES,
  parseArchiveIndex,
} from './archive-index.ts';
import type { Bundle } from './bundle.ts';
import { fromHex, type Sha256, toHex, utf8 } from './bytes.ts';
import { wasSkipped } from './checks.ts';
import { EvidenceError } from './errors.ts';
import type { Verdict } from './verdict.ts';
import { type Verification, type VerifyOptions, verifyEntries } from './verify.ts';

/** Null: there is no such object. Other errors pass through. */
export type ReadObject = (name: string, maxBytes: number) => Promise<Uint8Array | null>;

/** `subject`: an object, or a message. */
export type ArchiveProblem = { subject: string; check: string; detail: string };

export type ArchiveReport = {
  verdict: Verdict;
  tenant_id: string;
  month: string;
  complete_at: string | null;
  parts: number;
  messages: number;
  /** How many bundles have each verdict. */
  verdicts: Record<Verdict, number>;
  /** Why bundles are not `verified`, and how many. */
  reasons: Record<string, number>;
  /** Numbers of the account's certified messages, and how many between them are not in this archive. */
  sequence: { first: string; last: string; absent: number } | null;
  /** When the first chain of a bundle's newest time-stamp ends. */
  covered_until: string | null;
  problem_count: number;
  /** At most MAX_PROBLEMS. */
  problems: ArchiveProblem[];
};

const MAX_PROBLEMS = 100;
/** The worst first. */
const VERDICTS: readonly Verdict[] = ['rejected', 'unproven', 'incomplete', 'verified'];

/** Undefined: there is no archive. */
export async function readArchiveIndex(read: ReadObject): Promise<ArchiveIndex | undefined> {
  const bytes = await read(ARCHIVE_INDEX, MAX_INDEX_BYTES);
  return bytes === null ? undefined : parseArchiveIndex(bytes);
}

/** Throws EvidenceError if it is missing, or not what the index says. */
export async function readListedObject(
  read: ReadObject,
  listed: { sha256: string; size: number },
  kind: 'messages' | 'renewals',
  sha256: Sha256,
): Promise<ArchiveObject> {
  const bytes = await read(nameOfObject(listed.sha256), MAX_OBJECT_BYTES);
  if (bytes === null) throw new EvidenceError('archive', 'it is missing');
  if (bytes.length !== listed.size || toHex(sha256(bytes)) !== listed.sha256)
    throw new EvidenceError('archive', 'it is not the one that the index lists');
  return readArchiveObject(bytes, kind, sha256);
}

export async function readArchivedRenewals(
  read: ReadObject,
  { renewals }: ArchiveIndex,
  sha256: Sha256,
): Promise<ReturnType<typeof gatherRenewals>> {
  const objects: ArchiveObject[] = [];
  for (const listed of renewals) objects.push(await readListedObject(read, listed, 'renewals', sha256));
  return gatherRenewals(objects);
}

/** `sha256`: knows the files of the part. */
export type PartMessages = { messages: { id: string; archived: Bundle }[]; sha256: Sha256 };

/** The messages of a part, if the index describes their bundles correctly. Throws EvidenceError. */
export async function readPartMessages(
  read: ReadObject,
  part: ArchivePart,
  sha256: Sha256,
): Promise<PartMessages> {
  const object = await readListedObject(read, part, 'messages', sha256);
  const ids = [...messagesOf(object)].sort(([a], [b]) => (a < b ? -1 : 1));
  if (ids.length !== part.messages || ids[0]?.[0] !== part.first || ids.at(-1)?.[0] !== part.last)
    throw new EvidenceError('archive', 'it does not have the messages that the index says');
  return {
    messages: ids.map(([id, list]) => ({ id, archived: entriesOf(list, object.files) })),
    sha256: withKnownHashes(object.files, sha256),
  };
}

export type VerifyArchiveOptions = Omit<VerifyOptions, 'eml' | 'digest'> & {
  /** After each part. */
  onProgress?: (done: number, all: number) => void;
};

/** Whatever the objects hold, the answer is a report; undefined: no archive is there. */
export async function verifyArchive(
  read: ReadObject,
  options: VerifyArchiveOptions,
): Promise<ArchiveReport | undefined> {
  const index = await readArchiveIndex(read);
  if (index === undefined) return undefined;
  const report = emptyReport(index);
  const state = { report, index, options, sequences: [] as bigint[] };
  let renewals: ArchivedRenewals = new Map();
  try {
    renewals = await readArchivedRenewals(read, index, options.sha256);
  } catch (error) {
    addProblem(report, 'renewals', error);
  }
  for (const [i, part] of index.parts.entries()) {
    await verifyPart(state, read, part, renewals);
    options.onProgress?.(i + 1, index.parts.length);
  }
  report.sequence = sequenceOf(state.sequences);
  report.verdict = verdictOf(report);
  return report;
}

interface State {
  readonly report: ArchiveReport;
  readonly index: ArchiveIndex;
  readonly options: VerifyArchiveOptions;
  readonly sequences: bigint[];
}

async function verifyPart(
  state: State,
  read: ReadObject,
  part: ArchivePart,
  renewals: ArchivedRenewals,
): Promise<void> {
  const { report, options } = state;
  try {
    const lines: string[] = [];
    const { messages, sha256 } = await readPartMessages(read, part, options.sha256);
    for (const { id, archived } of messages) {
      const bundle = bundleFrom(report, id, archived, renewals, sha256);
      if (bundle === undefined) continue;
      const verification = await verifyEntries(bundle, { ...options, sha256 });
      judge(state, id, verification);
      const hashes = hashesOf(bundle, sha256);
      lines.push(stateText({ id, hashes, erased: verification.facts.content === 'erased' }));
    }
    const whole = toHex(options.sha256(utf8(lines.join(''))));
    if (lines.length === part.messages && whole !== part.state)
      throw new EvidenceError('archive', 'its bundles are not those that the index describes');
  } catch (error) {
    addProblem(report, nameOfObject(part.sha256), error);
  }
}

function bundleFrom(
  report: ArchiveReport,
  id: string,
  archived: Bundle,
  renewals: ArchivedRenewals,
  sha256: Sha256,
): Bundle | undefined {
  try {
    return bundleFromArchive(archived, renewals, sha256);
  } catch (error) {
    report.messages++;
    report.verdicts.rejected++;
    addProblem(report, id, error);
    return undefined;
  }
}

/** Canonical hashes of the message and of its outcomes, in order. */
function hashesOf(bundle: Bundle, sha256: Sha256): string[] {
  const outcomes = [...bundle.keys()].filter((name) => /^delivery\/\d\d-[a-z]+\.json$/.test(name)).sort();
  return ['manifest.json', ...outcomes].map((name) => toHex(sha256(bundle.get(name)!)));
}

function judge(state: State, id: string, { verdict, reasons, checks, facts }: Verification): void {
  const { report, index, sequences } = state;
  report.messages++;
  report.verdicts[verdict]++;
  for (const { name, ok, detail } of checks)
    if (!ok && !wasSkipped({ name, ok, detail })) addProblem(report, id, new EvidenceError(name, detail));
  if (verdict !== 'rejected')
    for (const { name } of reasons) report.reasons[name] = (report.reasons[name] ?? 0) + 1;
  if (facts.message_id !== id || facts.tenant_id !== index.tenantId)
    addProblem(report, id, new EvidenceError('manifest', 'it is of another message or account'));
  if (monthOfId(id) !== index.month)
    addProblem(report, id, new EvidenceError('archive', `its id is not of ${index.month}`));
  if (facts.tenant_sequence !== undefined) sequences.push(BigInt(facts.tenant_sequence));
  const { covered_until: until } = facts;
  if (until !== undefined && (report.covered_until === null || until < report.covered_until))
    report.covered_until = until;
}

/** YYYY-MM, in UTC. RFC 9562 §5.7: an id begins with its time. */
export function monthOfId(id: string): string {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString().slice(0, 7);
}

function sequenceOf(sequences: readonly bigint[]): ArchiveReport['sequence'] {
  if (sequences.length === 0) return null;
  const sorted = [...sequences].sort((a, b) => (a < b ? -1 : 1));
  const [first, last] = [sorted[0]!, sorted.at(-1)!];
  const absent = Number(last - first) + 1 - new Set(sorted).size;
  return { first: String(first), last: String(last), absent };
}

function verdictOf({ problem_count: problems, verdicts, complete_at: complete }: ArchiveReport): Verdict {
  if (problems > 0) return 'rejected';
  const worst = VERDICTS.find((verdict) => verdicts[verdict] > 0) ?? 'verified';
  return worst === 'verified' && complete === null ? 'incomplete' : worst;
}

function addProblem(report: ArchiveReport, subject: string, error: unknown): void {
  if (!(error instanceof EvidenceError)) throw error;
  report.problem_count++;
  if (report.problems.length < MAX_PROBLEMS)
    report.problems.push({ subject, check: error.check, detail: error.detail });
}

function emptyReport({ tenantId, month, completeAt, parts }: ArchiveIndex): ArchiveReport {
  return {
    verdict: 'verified',
    tenant_id: tenantId,
    month,
    complete_at: completeAt,
    parts: parts.length,
    messages: 0,
    verdicts: { rejected: 0, unproven: 0, incomplete: 0, verified: 0 },
    reasons: {},
    sequence: null,
    covered_until: null,
    problem_count: 0,
    problems: [],
  };
}

/**
 * Bundles of a part share files, so each file's hash is kept, however many bundles name it. Only files':
 * callers may change other arrays after hashing.
 */
export function withKnownHashes(files: ReadonlyMap<string, Uint8Array>, sha256: Sha256): Sha256 {
  const known = new Map([...files].map(([hash, bytes]) => [bytes, fromHex(hash)!]));
  return (bytes) => known.get(bytes) ?? sha256(bytes);
}

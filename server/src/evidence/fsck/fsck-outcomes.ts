import { isDeepStrictEqual } from 'node:util';
import { toHex } from '@acuse/evidence/bytes';
import type { Opening } from '@acuse/evidence/commitment';
import { type DeliveryManifest, parseDeliveryManifest } from '@acuse/evidence/delivery';
import type { DeliveryFacts } from '@acuse/evidence/delivery-facts';
import { KINDS } from '@acuse/evidence/delivery-kinds';
import { assertDeliveryOpens, parseDeliveryOpenings } from '@acuse/evidence/delivery-openings';
import { EvidenceError } from '@acuse/evidence/errors';
import type { Db } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { OutcomeRows } from '../bundle/evidence-store.ts';
import { contentOf } from '../bundle/outcome-contents.ts';
import { readErased } from './fsck-deletion-store.ts';
import type { FsckLeafRow } from './fsck-leaf-store.ts';
import type { Report } from './fsck-report.ts';
import { type FsckOutcomeRow, type LogName, type OutcomeToRead, readOutcomesToCheck } from './fsck-store.ts';

/** Outcomes in memory at once. */
const OUTCOMES_PER_READ = 256;

type Outcome = { leaf: FsckLeafRow; manifest: DeliveryManifest };
type Problem = (leaf: FsckLeafRow, check: string, detail: string) => void;

export async function checkOutcomes(
  db: Db,
  log: LogName,
  leaves: readonly FsckLeafRow[],
  report: Report,
): Promise<void> {
  const problem: Problem = (leaf, check, detail) =>
    report.problem(check, `${log.origin} leaf ${leaf.leafIndex} (message ${leaf.messageId})`, detail);
  const outcomes = leaves.flatMap((leaf) => readOutcome(leaf, problem) ?? []);
  report.count('outcomes', outcomes.length);
  for (const { leaf, manifest } of outcomes) checkRecord(log, leaf, manifest, problem);
  const opened = outcomes.filter(({ leaf }) => leaf.openings !== null);
  for (let from = 0; from < opened.length; from += OUTCOMES_PER_READ) {
    const some = opened.slice(from, from + OUTCOMES_PER_READ);
    const rows = new Map((await readOutcomesToCheck(db, some.map(toRead))).map((row) => [row.leafId, row]));
    // Read last, so that a concurrent erasure is recorded.
    const erased = await readErased(
      db,
      some.map(({ leaf }) => leaf),
    );
    for (const outcome of some) {
      if (!erased.has(outcome.leaf.messageId)) checkContents(outcome, rows.get(outcome.leaf.leafId), problem);
    }
  }
  const closed = outcomes.filter(({ leaf }) => leaf.openings === null).map(({ leaf }) => leaf);
  const erased = await readErased(db, closed);
  for (const leaf of closed) {
    if (!erased.has(leaf.messageId))
      problem(leaf, 'delivery', 'what opens it is gone, and no erasure is on record');
  }
}

function toRead({ leaf, manifest }: Outcome): OutcomeToRead {
  return { ...leaf, attempt: manifest.attempt };
}

function readOutcome(leaf: FsckLeafRow, problem: Problem): Outcome | null {
  if (leaf.kind !== 'delivery' || leaf.manifest === null) return null;
  try {
    return { leaf, manifest: parseDeliveryManifest(leaf.manifest) };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    problem(leaf, error.check, error.detail);
    return null;
  }
}

function checkRecord(log: LogName, leaf: FsckLeafRow, manifest: DeliveryManifest, problem: Problem): void {
  const facts: [string, string, string | null][] = [
    ['log', manifest.log, log.origin],
    ['message_id', manifest.message_id, leaf.messageId],
    ['message_canonical_hash', manifest.message_canonical_hash, leaf.messageHash && toHex(leaf.messageHash)],
    ['previous', manifest.previous, leaf.previousHash && toHex(leaf.previousHash)],
    ['occurred_at', manifest.occurred_at, occurredAt(leaf, manifest)?.toISOString() ?? null],
  ];
  for (const [name, committed, stored] of facts) {
    if (committed !== stored)
      problem(leaf, 'delivery', `${name}: the leaf says ${committed}, the rows ${stored}`);
  }
}

/** By the message's own row, or that of its acknowledgement. */
function occurredAt(leaf: FsckLeafRow, manifest: DeliveryManifest): Date | null {
  const { kind, source } = manifest;
  switch (kind) {
    case 'sent':
    case 'bounced':
    case 'cancelled':
    case 'complained':
      return leaf[`${kind}At`];
    case 'displayed':
      // By its report, which is checked with its content.
      return new Date(manifest.occurred_at);
    default: {
      const { asked } = leaf;
      return asked !== null && asked.status === kind && asked.source === source ? asked.decidedAt : null;
    }
  }
}

function checkContents({ leaf, manifest }: Outcome, row: FsckOutcomeRow | undefined, problem: Problem): void {
  try {
    const content = contentOf(manifest, leaf.messageId, rowsOf(manifest, row));
    const openings = parseDeliveryOpenings(leaf.openings ?? new Uint8Array());
    assertDeliveryOpens(openings, manifest, toHex(leaf.canonicalHash), sha256);
    for (const label of ['transcript', 'dsn'] as const) {
      const quotesArchived = label === 'dsn' && row?.isArchived === true && row.recipe !== null;
      if (!quotesArchived) checkContent(leaf, label, content[label], openings[label], problem);
    }
    if (manifest.transcript !== null) checkAttempt(leaf, manifest, openings.facts.value, row, problem);
    checkMailReport(leaf, manifest, openings.facts.value, row, problem);
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    problem(leaf, error.check, error.detail);
  }
}

function rowsOf({ attempt }: DeliveryManifest, row: FsckOutcomeRow | undefined): OutcomeRows {
  const { sessions = null, finishedAt = null } = row ?? {};
  const tried = sessions === null || finishedAt === null ? [] : [{ ...row!, sessions, finishedAt, attempt }];
  const reports = row?.reports ?? [];
  return {
    attempts: tried,
    reports: reports.map(({ action, report }) => ({ action, report: Buffer.from(report, 'hex') })),
  };
}

/** The deciding attempt, as the API shows it. */
function checkAttempt(
  leaf: FsckLeafRow,
  manifest: DeliveryManifest,
  { reply, mx }: DeliveryFacts,
  row: FsckOutcomeRow | undefined,
  problem: Problem,
): void {
  // Missing sessions are reported elsewhere.
  if (row?.outcome == null) return;
  const facts: [string, unknown, unknown][] = [
    ['outcome', manifest.kind, row.outcome],
    ['finished_at', manifest.occurred_at, row.finishedAt?.toISOString()],
    ['reply', reply && [reply.code, reply.enhanced, reply.text], row.reply && wordsOf(row.reply)],
    ['mx', mx, row.reply?.mx ?? null],
  ];
  for (const [name, committed, stored] of facts) {
    if (!isDeepStrictEqual(committed, stored))
      problem(leaf, 'delivery', `attempt ${manifest.attempt}: its ${name} is not the one that the leaf says`);
  }
}

/** A report by mail, as the API shows it. */
function checkMailReport(
  leaf: FsckLeafRow,
  manifest: DeliveryManifest,
  { reported_by_mail: committed }: DeliveryFacts,
  row: FsckOutcomeRow | undefined,
  problem: Problem,
): void {
  if (committed === null) return;
  const action = KINDS[manifest.kind].report;
  const report = row?.reports?.find((each) => each.action === action);
  const shown: [string, unknown][] = [['its reports', report?.byMail]];
  // Others end nothing, and so the message's own row does not have them.
  const ends = manifest.kind === 'bounced' || manifest.kind === 'complained';
  if (ends) shown.unshift(["the message's record", row?.reportedByMail]);
  if (
    manifest.kind === 'displayed' &&
    Date.parse(report?.createdAt ?? '') !== Date.parse(manifest.occurred_at)
  )
    problem(leaf, 'delivery', `occurred_at: the leaf says ${manifest.occurred_at}, its report another time`);
  for (const [where, stored] of shown) {
    if (!isDeepStrictEqual(committed, stored))
      problem(leaf, 'delivery', `what came by mail stands in ${where} as something else than the leaf says`);
  }
}

function wordsOf({ code, enhanced, text }: NonNullable<FsckOutcomeRow['reply']>) {
  return [code, enhanced, text];
}

function checkContent(
  leaf: FsckLeafRow,
  label: 'transcript' | 'dsn',
  content: Uint8Array | null | undefined,
  opening: Opening | null,
  problem: Problem,
): void {
  if (content === undefined) return;
  if (content === null) problem(leaf, 'delivery', `the ${label} is gone`);
  else if (toHex(sha256(content)) !== opening?.sha256)
    problem(leaf, 'delivery', `the ${label} stored is not the one that the leaf commits to`);
}

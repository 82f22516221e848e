import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Db } from '../platform/db.ts';
import { findCertifiedRetention, findUndeletedContent, findVanishedContent } from './fsck-deletion-store.ts';
import { checkLeafContents } from './fsck-leaves.ts';
import { createLogCheck } from './fsck-log.ts';
import { checkOutcomes } from './fsck-outcomes.ts';
import { type Authority, createReport, type FsckProblem, type Report } from './fsck-report.ts';
import { createRevocationCheck } from './fsck-revocation.ts';
import { checkStamp, type StampCheck } from './fsck-stamp.ts';
import {
  type FsckLogRow,
  type FsckMessageCertificateRow,
  findCertifiedWithoutLeaf,
  findCounterFaults,
  findOutcomesWithoutLeaf,
  findPlainWithLeaf,
  findSequenceFaults,
  findWrongPending,
  readLeavesToCheck,
  readLogsToCheck,
  readMessageCertificatesToCheck,
  readTenantIds,
} from './fsck-store.ts';

/**
 * Recomputes everything that the evidence says from the rows it is said about: every leaf from the message's own bytes, every
 * tile and root from the leaves, every signature and token. Believes no stored hash. May run beside a working service: it looks
 * at the log as it was when it began, which never changes any more.
 */
export interface FsckDeps {
  readonly db: Db;
}

export interface FsckProgress {
  readonly phase: 'log' | 'tenants';
  readonly done: number;
  readonly total: number;
}

export interface FsckOptions {
  readonly onProgress?: (progress: FsckProgress) => void;
  readonly signal?: AbortSignal;
}

export interface FsckResult {
  readonly checked: {
    readonly logs: number;
    readonly leaves: number;
    readonly messages: number;
    /** What became of messages, each a leaf. */
    readonly outcomes: number;
    /** Messages whose content was erased, so that only their hashes could be checked. */
    readonly erased: number;
    readonly tiles: number;
    readonly checkpoints: number;
    readonly certificates: number;
    readonly tenants: number;
  };
  /**
   * Who sealed, by the roots that the tokens were verified against. Whether they deserve trust no database can tell: an
   * operator compares them with the authorities that were contracted.
   */
  readonly authorities: readonly Authority[];
  readonly problems: readonly FsckProblem[];
  /** More than the list holds when there are very many. */
  readonly problemCount: number;
}

/** Constancias over single messages read at a time. */
const CERTIFICATES_PER_PAGE = 256;
/** Leaves read and checked at a time; a multiple of a tile's width. */
const LEAVES_PER_PAGE = 2_048;

export async function fsck(deps: FsckDeps, options: FsckOptions = {}): Promise<FsckResult> {
  const report = createReport();
  const stamps: StampCheck = { report, revocationFaults: createRevocationCheck(deps.db) };
  for (const log of await readLogsToCheck(deps.db)) await checkLog(deps.db, log, stamps, options);
  await checkTenants(deps.db, stamps, options);
  return report.result();
}

async function checkLog(db: Db, log: FsckLogRow, stamps: StampCheck, options: FsckOptions): Promise<void> {
  const { report } = stamps;
  report.count('logs');
  if (log.treeSize !== log.checkpointSize) {
    report.problem(
      'tree_size',
      log.origin,
      `the log has ${log.treeSize} leaves, its newest checkpoint ${log.checkpointSize}`,
    );
  }
  const size = Math.max(log.treeSize, log.checkpointSize);
  const check = await createLogCheck(db, log, stamps);
  for (let from = 0; from < size; from += LEAVES_PER_PAGE) {
    options.signal?.throwIfAborted();
    const to = Math.min(size, from + LEAVES_PER_PAGE);
    const leaves = await readLeavesToCheck(db, log.logId, from, to);
    await check.addPage(from, to, leaves);
    await checkLeafContents(db, log, leaves, report);
    await checkOutcomes(db, log, leaves, report);
    options.onProgress?.({ phase: 'log', done: to, total: size });
    await yieldToOthers();
  }
  const beyond = await readLeavesToCheck(db, log.logId, size, Number.MAX_SAFE_INTEGER);
  // A leaf may have been sequenced since the log's size was read, but then the log has grown too.
  const [now] = (await readLogsToCheck(db)).filter((each) => each.logId === log.logId);
  for (const leaf of beyond.filter((each) => each.leafIndex >= (now?.treeSize ?? 0))) {
    report.problem('leaf_index', `${log.origin} leaf ${leaf.leafIndex}`, 'stands beyond the end of the log');
  }
}

async function checkTenants(db: Db, stamps: StampCheck, options: FsckOptions): Promise<void> {
  const { report } = stamps;
  const tenantIds = await readTenantIds(db);
  for (const [i, tenantId] of tenantIds.entries()) {
    options.signal?.throwIfAborted();
    await checkTenant(db, tenantId, report);
    await checkMessageCertificates(db, tenantId, stamps);
    report.count('tenants');
    options.onProgress?.({ phase: 'tenants', done: i + 1, total: tenantIds.length });
  }
}

async function checkMessageCertificates(db: Db, tenantId: string, stamps: StampCheck): Promise<void> {
  for (let after: string | null = null; ; ) {
    const page: FsckMessageCertificateRow[] = await readMessageCertificatesToCheck(
      db,
      tenantId,
      after,
      CERTIFICATES_PER_PAGE,
    );
    for (const row of page) {
      const subject = `message ${row.messageId}`;
      // What the message's hash is, its leaf has been checked for.
      if (row.messageHash === null)
        stamps.report.problem('constancia', subject, 'is of a message that is gone');
      else await checkStamp(stamps, subject, row, { imprint: row.messageHash, hashAlgorithm: 'sha256' });
    }
    after = page.at(-1)?.messageId ?? null;
    if (after === null) return;
  }
}

async function checkTenant(db: Db, tenantId: string, report: Report): Promise<void> {
  const subject = `tenant ${tenantId}`;
  for (const { sequence, next } of await findSequenceFaults(db, tenantId)) {
    const detail =
      next === null
        ? `nothing says that ${sequence} is the last number given`
        : next === sequence
          ? `number ${sequence} was given twice`
          : `numbers ${sequence + 1} to ${next - 1} are missing`;
    report.problem('tenant_sequence', subject, detail);
  }
  for (const id of await findCertifiedWithoutLeaf(db, tenantId)) {
    report.problem(
      'certified',
      `message ${id}`,
      'is certified, but neither in the log nor on its way into it',
    );
  }
  for (const id of await findOutcomesWithoutLeaf(db, tenantId)) {
    report.problem('outcomes', `message ${id}`, 'has not one outcome leaf for each outcome on record');
  }
  for (const id of await findPlainWithLeaf(db, tenantId)) {
    report.problem('certified', `message ${id}`, 'is plain, but has a leaf');
  }
  for (const id of await findVanishedContent(db, tenantId)) {
    report.problem('content', `message ${id}`, 'the content is gone, and no deletion is on record');
  }
  for (const id of await findUndeletedContent(db, tenantId)) {
    report.problem('content', `message ${id}`, 'is recorded as deleted, and is not, or not all of it');
  }
  for (const id of await findCertifiedRetention(db, tenantId)) {
    report.problem('content', `message ${id}`, 'is certified: nothing deletes its content but an erasure');
  }
  for (const id of await findWrongPending(db, tenantId)) {
    report.problem('pending_leaf', `leaf ${id}`, 'is not what its manifest hashes to');
  }
  for (const { day, name, counted, found } of await findCounterFaults(db, tenantId)) {
    report.problem('counters', `${subject} ${day}`, `${name} says ${counted}, there are ${found}`);
  }
}

import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Db, Tx } from '../../platform/database/db.ts';
import { readWhole } from '../../platform/database/read-whole.ts';
import type { Anchor } from '../log/anchor/anchor.ts';
import { compareWithAnchor } from '../log/anchor/compare.ts';
import { continuesAnchor, describeStanding } from '../log/anchor/publish.ts';
import { listLogs } from '../log/log-store.ts';
import { listAuthorities } from '../stamp/authority-store.ts';
import { checkArchives, type OpenArchives } from './fsck-archives.ts';
import { findCertifiedRetention, findUndeletedContent, findVanishedContent } from './fsck-deletion-store.ts';
import { createIssuedCheck } from './fsck-issued.ts';
import { readIndexesFrom } from './fsck-leaf-store.ts';
import {
  findBeyond,
  findFirstSandbox,
  findLifeFaults,
  findOutcomesInNoLog,
  findWrongClaims,
} from './fsck-life-store.ts';
import { createLogCheck, type LogPosition, START } from './fsck-log.ts';
import { checkPage } from './fsck-page.ts';
import type { Pages } from './fsck-pages.ts';
import { createReport, type FsckResult, type Report } from './fsck-report.ts';
import { createRevocationCheck } from './fsck-revocation.ts';
import { checkStamp, type StampCheck } from './fsck-stamp.ts';
import type { FsckState } from './fsck-state.ts';
import {
  type FsckLogRow,
  type FsckMessageStampRow,
  findCertifiedWithoutLeaf,
  findCounterFaults,
  findOutcomesWithoutLeaf,
  findPlainWithLeaf,
  findSequenceFaults,
  findWrongPending,
  readLogsToCheck,
  readMessageStampsToCheck,
  readPdfStampsToCheck,
  readTenantIds,
} from './fsck-store.ts';

/**
 * Recomputes all evidence from raw rows: leaves from messages, tiles and roots from leaves, signatures and
 * tokens. Trusts no stored hash. Runs while the service works, on the log as it was at the start.
 */
interface FsckDeps {
  readonly db: Db;
  readonly pages?: Pages;
  readonly anchor?: Anchor | null;
  /** Absent: contents that only archives have are counted, not read. */
  readonly archives?: OpenArchives;
}

export interface FsckProgress {
  readonly phase: 'log' | 'tenants' | 'archives';
  readonly done: number;
  readonly total: number;
}

export interface FsckOptions {
  readonly onProgress?: (progress: FsckProgress) => void;
  readonly signal?: AbortSignal;
  /** Tenants and pages read at once, each over a connection; default 1. */
  readonly parallel?: number;
  readonly pageLeaves?: number;
  readonly resume?: FsckState | null;
  readonly onState?: (state: () => FsckState) => void;
}

const STAMPS_PER_PAGE = 256;
const LEAVES_PER_PAGE = 2_048;

interface Run {
  readonly db: Db;
  readonly pages: Pages;
  readonly report: Report;
  readonly stamps: StampCheck;
  readonly options: FsckOptions;
  readonly parallel: number;
  readonly logs: Map<string, LogPosition>;
  tenantId: string | null;
  reached(): void;
}

export async function fsck(deps: FsckDeps, options: FsckOptions = {}): Promise<FsckResult> {
  const { resume, parallel = 1 } = options;
  const report = createReport();
  if (resume) report.merge(resume.result);
  const run: Run = {
    db: deps.db,
    pages: deps.pages ?? { ahead: parallel, check: (page) => checkPage(deps.db, page) },
    report,
    stamps: {
      report,
      revocationFaults: createRevocationCheck(deps.db),
      issuedFaults: createIssuedCheck(deps.db),
    },
    options,
    parallel,
    logs: new Map(resume?.logs),
    tenantId: resume?.tenantId ?? null,
    reached: () =>
      options.onState?.(() => ({
        logs: new Map(run.logs),
        tenantId: run.tenantId,
        result: report.result(),
      })),
  };
  const logs = await readLogsToCheck(deps.db);
  for (const logId of run.logs.keys()) {
    if (!logs.some((log) => log.logId === logId))
      throw new Error(`the check that is to go on saw a log ${logId}, which is not here`);
  }
  for (const log of logs) await checkLog(run, log);
  await checkAuthorities(deps.db, report);
  if (deps.anchor) await checkAnchor(deps.db, deps.anchor, report);
  await checkTenants(run);
  const { db, archives: open } = deps;
  if (open) {
    const onMonth = (done: number, total: number) => options.onProgress?.({ phase: 'archives', done, total });
    await checkArchives({ db, open, report, signal: options.signal, onMonth });
  }
  return report.result();
}

async function checkLog(run: Run, log: FsckLogRow): Promise<void> {
  const { db, report, options } = run;
  const start = run.logs.get(log.logId) ?? START;
  if (start === START) report.count('logs');
  const first = await findFirstSandbox(db, log.logId);
  if (start === START && first !== undefined && first !== log.sandbox)
    report.problem('log', log.origin, `sandbox is ${log.sandbox}, and of its first message ${first}`);
  const size = Math.max(log.treeSize, log.checkpointSize);
  assertSize(log, start, report);
  const check = await createLogCheck(db, log, run.stamps, start);
  await workAhead(
    pagesOf(start.size, size, options.pageLeaves ?? LEAVES_PER_PAGE),
    run.pages.ahead,
    (page) => {
      options.signal?.throwIfAborted();
      return run.pages.check({ log: { logId: log.logId, origin: log.origin }, ...page });
    },
    async ({ from, to }, { leaves, found }) => {
      options.signal?.throwIfAborted();
      await check.addPage(from, to, leaves);
      report.merge(found);
      run.logs.set(log.logId, check.position());
      options.onProgress?.({ phase: 'log', done: to, total: size });
      run.reached();
      await yieldToOthers();
    },
  );
  await checkBeyond(db, log, Math.max(size, start.size), report);
}

async function checkAuthorities(db: Db, report: Report): Promise<void> {
  const known = new Set(
    (await listAuthorities(db)).filter((row) => row.sealedAt !== null).map((row) => row.name),
  );
  for (const { name, certificates } of report.result().authorities) {
    if (!known.has(name))
      report.problem(
        'constancia',
        name,
        `${certificates} time-stamps are stored as its, and no authority of this name has sealed here`,
      );
  }
}

async function checkAnchor(db: Db, anchor: Anchor, report: Report): Promise<void> {
  for (const log of await listLogs(db)) {
    const { standing } = await compareWithAnchor(db, anchor, log);
    if (!continuesAnchor(standing))
      report.problem('anchor', log.origin, describeStanding(log.origin, anchor.place, standing));
  }
}

function assertSize(log: FsckLogRow, start: LogPosition, report: Report): void {
  const problem = (detail: string) => report.problem('tree_size', log.origin, detail);
  const { treeSize, checkpointSize } = log;
  if (start === START && treeSize !== checkpointSize)
    problem(`the log has ${treeSize} leaves, its newest checkpoint ${checkpointSize}`);
  if (log.publishedSize > treeSize)
    problem(`the log has ${treeSize} leaves, and is shown up to ${log.publishedSize}`);
  // It may have grown, never shrunk.
  if (treeSize < start.size) problem(`the log has ${treeSize} leaves, and had ${start.size} before`);
}

function* pagesOf(start: number, size: number, pageLeaves: number): Generator<{ from: number; to: number }> {
  for (let from = start; from < size; ) {
    // Whole tiles from the second page on.
    const to = Math.min(size, from - (from % pageLeaves) + pageLeaves);
    yield { from, to };
    from = to;
  }
}

async function checkBeyond(db: Db, log: FsckLogRow, size: number, report: Report): Promise<void> {
  const beyond = await readIndexesFrom(db, log.logId, size);
  for (const { what, treeSize } of await findBeyond(db, log.logId)) {
    report.problem(
      'tree_size',
      `${log.origin} size ${treeSize}`,
      `a ${what} is of ${treeSize} leaves, and no checkpoint has that size: the log was longer, or a checkpoint is gone`,
    );
  }
  // A leaf may be newer than the size that was read: then the log has grown.
  const [now] = (await readLogsToCheck(db)).filter((each) => each.logId === log.logId);
  for (const leafIndex of beyond.filter((each) => each >= (now?.treeSize ?? 0))) {
    report.problem('leaf_index', `${log.origin} leaf ${leafIndex}`, 'stands beyond the end of the log');
  }
}

async function checkTenants(run: Run): Promise<void> {
  const { db, report, options } = run;
  const tenantIds = await readTenantIds(db);
  const done = run.tenantId;
  let count = tenantIds.filter((tenantId) => done !== null && tenantId <= done).length;
  await workAhead(
    tenantIds.slice(count),
    run.parallel,
    async (tenantId) => {
      options.signal?.throwIfAborted();
      const own = createReport();
      await checkTenant(db, tenantId, own);
      await checkMessageStamps(db, tenantId, { ...run.stamps, report: own });
      await checkPdfStamps(db, tenantId, { ...run.stamps, report: own });
      own.count('tenants');
      return own.result();
    },
    async (tenantId, found) => {
      report.merge(found);
      run.tenantId = tenantId;
      options.onProgress?.({ phase: 'tenants', done: ++count, total: tenantIds.length });
      run.reached();
    },
  );
}

async function checkMessageStamps(db: Db, tenantId: string, stamps: StampCheck): Promise<void> {
  for (let after: string | null = null; ; ) {
    const page: FsckMessageStampRow[] = await readMessageStampsToCheck(db, tenantId, after, STAMPS_PER_PAGE);
    for (const row of page) {
      const subject = `message ${row.messageId}`;
      // The leaf check covers the hash.
      if (row.messageHash === null)
        stamps.report.problem('constancia', subject, 'is of a message that is gone');
      else await checkStamp(stamps, subject, row, { imprint: row.messageHash, hashAlgorithm: 'sha256' });
    }
    after = page.at(-1)?.messageId ?? null;
    if (after === null) return;
  }
}

/** Checks each against its own imprint: a PDF with other bytes gets a new stamp. */
async function checkPdfStamps(db: Db, tenantId: string, stamps: StampCheck): Promise<void> {
  for (let after: string | null = null; ; ) {
    const page = await readPdfStampsToCheck(db, tenantId, after, STAMPS_PER_PAGE);
    for (const row of page)
      await checkStamp(stamps, `PDF of message ${row.messageId}`, row, {
        imprint: row.imprint,
        hashAlgorithm: 'sha256',
      });
    after = page.at(-1)?.messageId ?? null;
    if (after === null) return;
  }
}

async function checkTenant(db: Db, tenantId: string, report: Report): Promise<void> {
  const found = await db.observe(async (tx) => {
    readWhole(tx);
    const own = createReport();
    await checkRecords(tx, tenantId, own);
    return own.result();
  });
  report.merge(found);
  for (const { day, name, counted, found: there } of await findCounterFaults(db, tenantId)) {
    report.problem('counters', `tenant ${tenantId} ${day}`, `${name} says ${counted}, there are ${there}`);
  }
}

/** Consistency of an account's own rows. */
async function checkRecords(tx: Tx, tenantId: string, report: Report): Promise<void> {
  const subject = `tenant ${tenantId}`;
  for (const { sequence, next } of await findSequenceFaults(tx, tenantId)) {
    const detail =
      next === null
        ? `nothing says that ${sequence} is the last number given`
        : next === sequence
          ? `number ${sequence} was given twice`
          : `numbers ${sequence + 1} to ${next - 1} are missing`;
    report.problem('tenant_sequence', subject, detail);
  }
  for (const id of await findCertifiedWithoutLeaf(tx, tenantId)) {
    report.problem(
      'certified',
      `message ${id}`,
      'is certified, but neither in the log nor on its way into it',
    );
  }
  for (const id of await findOutcomesWithoutLeaf(tx, tenantId)) {
    report.problem('outcomes', `message ${id}`, 'does not have one outcome leaf for each recorded outcome');
  }
  for (const id of await findOutcomesInNoLog(tx, tenantId)) {
    report.problem(
      'outcomes',
      `message ${id}`,
      'has an outcome that is neither in the log nor on its way into it',
    );
  }
  for (const { messageId, faults } of await findLifeFaults(tx, tenantId)) {
    for (const fault of faults) report.problem('record', `message ${messageId}`, fault);
  }
  for (const id of await findWrongClaims(tx, tenantId)) {
    report.problem('record', `message ${id}`, 'an idempotency key was claimed for it that it does not have');
  }
  for (const id of await findPlainWithLeaf(tx, tenantId)) {
    report.problem('certified', `message ${id}`, 'is plain, but has a leaf');
  }
  for (const id of await findVanishedContent(tx, tenantId)) {
    report.problem('content', `message ${id}`, 'the content is gone, and no deletion is on record');
  }
  for (const id of await findUndeletedContent(tx, tenantId)) {
    report.problem('content', `message ${id}`, 'is recorded as deleted, and is not, or not all of it');
  }
  for (const id of await findCertifiedRetention(tx, tenantId)) {
    report.problem('content', `message ${id}`, 'is certified: nothing deletes its content but an erasure');
  }
  for (const id of await findWrongPending(tx, tenantId)) {
    report.problem('pending_leaf', `leaf ${id}`, 'is not what its manifest hashes to');
  }
}

/**
 * Works ahead on up to `width` items and yields results in order. Throws an item's error in its turn, once
 * all started work has ended.
 */
async function workAhead<Item, Result>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<Result>,
  take: (item: Item, result: Result) => Promise<void>,
): Promise<void> {
  const started: { item: Item; result: Promise<Result> }[] = [];
  const takeOldest = async () => {
    const { item, result } = started.shift()!;
    await take(item, await result);
  };
  try {
    for (const item of items) {
      const result = work(item);
      // A failure is seen in its turn.
      result.catch(() => {});
      started.push({ item, result });
      if (started.length === width) await takeOldest();
    }
    while (started.length > 0) await takeOldest();
  } finally {
    await Promise.allSettled(started.map(({ result }) => result));
  }
}

import {
  ArchiveWriter,
  archivedEntries,
  nameOfMessage,
  nameOfRenewal,
  type RenewalStep,
  stateText,
} from '@acuse/evidence/archive';
import type { ArchivePart } from '@acuse/evidence/archive-index';
import { readArchivedRenewals } from '@acuse/evidence/archive-verify';
import { assembleBundle } from '@acuse/evidence/assemble';
import type { Bundle } from '@acuse/evidence/bundle';
import { equalBytes, toHex, utf8 } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import type { TrustPolicy } from '@acuse/evidence/policy';
import { renewalName } from '@acuse/evidence/renewal';
import { verifyEntries } from '@acuse/evidence/verify';
import { ed25519 } from '../../platform/ed25519.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { sha256 } from '../../platform/sha256.ts';
import { type BundleSource, type ProofBundleDeps, readBundleSource } from '../bundle/proof-bundle.ts';
import { distinctPolicies, type StoredRows, stampsOf, toEvidence } from '../bundle/stored-evidence.ts';
import { reader } from './archive-bundle.ts';
import { type IndexFile, openIndexFile } from './archive-index-file.ts';
import type { ArchivePlace } from './archive-place.ts';
import {
  type IdRange,
  type MonthStanding,
  readMonthStanding,
  readSealedStates,
  type SealedState,
} from './archive-store.ts';
import { toRenewalStep } from './renewal-step.ts';

/** Writes a closed month of one account as an archive, or adds later changes to an existing one. */
export interface ArchiveOrder {
  readonly tenantId: string;
  readonly month: string;
}

export interface ArchiveMade extends MonthStanding {
  readonly messages: number;
  readonly parts: number;
  /** Parts written by this run; with `dryRun`, old ones that would be written again, and new messages. */
  readonly written: number;
  readonly kept: number;
  readonly bytes: number;
}

export class MonthOpen extends Error {
  override readonly name = 'MonthOpen';
}

export interface CreateOptions {
  readonly dryRun: boolean;
  onProgress?(messages: number): void;
}

/** Accepted by a clock that is behind, or committed late (ms). */
const CLOSED_AFTER_MS = 3_600_000;
const PAGE = 500;

/** The ids of a month, exclusive below. */
export function rangeOf({ tenantId, month }: ArchiveOrder): IdRange {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const [from, to] = [Date.UTC(year, number - 1), Date.UTC(year, number)];
  // No id made here is the lowest of its millisecond.
  return { tenantId, after: firstIdAt(new Date(from)), to: firstIdAt(new Date(to)) };
}

export const closesAt = ({ month }: Pick<ArchiveOrder, 'month'>): Date => {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number) + CLOSED_AFTER_MS);
};

/** Throws MonthOpen, ArchiveChanged, ArchiveUnreachable; EvidenceError for a message that does not verify. */
export async function createArchive(
  deps: ProofBundleDeps,
  place: ArchivePlace,
  order: ArchiveOrder,
  options: CreateOptions,
): Promise<ArchiveMade> {
  const closed = closesAt(order);
  if (deps.clock.now() < closed)
    throw new MonthOpen(`${order.month} is not over: it can be archived from ${closed.toISOString()}`);
  const range = rangeOf(order);
  const standing = await readMonthStanding(deps.db, range);
  if (standing.waiting > 0 || standing.unsealed > 0)
    throw new MonthOpen(
      `${order.month} is not closed: ${standing.waiting} certified messages wait to be sent, ${standing.unsealed} leaves to be sealed`,
    );
  if (!options.dryRun) await place.prepare();
  const file = await openIndexFile(place, order);
  const run = createRun(deps, place, file, range, options);
  return { ...standing, ...(await run()) };
}

type Done = Pick<ArchiveMade, 'messages' | 'parts' | 'written' | 'kept' | 'bytes'>;

function createRun(
  deps: ProofBundleDeps,
  place: ArchivePlace,
  file: IndexFile,
  range: IdRange,
  { dryRun, onProgress }: CreateOptions,
): () => Promise<Done> {
  const { db } = deps;
  let [messages, written, kept] = [0, 0, 0];
  const renewals = createRenewals(place, file);

  function looked(count: number): void {
    messages += count;
    onProgress?.(messages);
  }

  /** Part of the archive, whole or (null) the rest of the month; in its place come new ones. */
  async function bring(old: ArchivePart | null, within: IdRange): Promise<void> {
    let after = within.after;
    let fresh: ArchivePart[] = [];
    for (;;) {
      const states = await readSealedStates(db, { ...within, after }, PAGE);
      const made = await makePart(states, old === null ? fresh : []);
      if (made === null) break;
      // The rest of a month is listed part by part, each with the announcement of the next.
      fresh = old === null && !dryRun ? [made] : [...fresh, made];
      looked(made.messages);
      after = made.last;
      if (states.at(-1)!.messageId === after && states.length < PAGE) break;
    }
    if (dryRun || fresh.length === 0) return;
    if (old === null) return file.save(listing(fresh));
    const parts = file.index.parts.flatMap((part) => (part.sha256 === old.sha256 ? fresh : [part]));
    await file.save({ parts, pending: [...file.index.pending, old.sha256], completeAt: null });
    await file.tidy();
  }

  const listing = (made: readonly ArchivePart[]) => ({
    parts: [...file.index.parts, ...made],
    pending: file.index.pending.filter((hash) => !made.some((part) => part.sha256 === hash)),
    completeAt: null,
  });

  /** Makes a part of the first messages; null: there are none. `unlisted`: earlier parts, listed too. */
  async function makePart(
    states: readonly SealedState[],
    unlisted: readonly ArchivePart[],
  ): Promise<ArchivePart | null> {
    if (states.length === 0) return null;
    written++;
    if (dryRun) return describe(states, '', 0);
    const { held, steps, bytes } = await pack(deps, range.tenantId, states, renewals);
    if (unlisted.length > 0) await file.save(listing(unlisted));
    if (steps.lists > 0) await renewals.write(steps.finish());
    const hash = toHex(sha256(bytes));
    await file.write(bytes, hash);
    return describe(held, hash, bytes.length);
  }

  return async () => {
    if (!dryRun) await file.tidy();
    await renewals.load();
    let { after } = range;
    for (const part of file.index.parts) {
      const within = { ...range, after, to: part.last };
      after = part.last;
      if (part.state === (await stateOf(db, within))) {
        kept++;
        looked(part.messages);
      } else await bring(part, within);
    }
    await bring(null, { ...range, after });
    if (!dryRun) await complete(file, deps.clock.now());
    const bytes = file.index.parts.reduce((sum, { size }) => sum + size, 0);
    return { messages, written, kept, bytes, parts: file.index.parts.length };
  };
}

async function complete(file: IndexFile, now: Date): Promise<void> {
  const { completeAt, pending, parts } = file.index;
  if (parts.length === 0 || (completeAt !== null && pending.length === 0)) return;
  await file.save({ completeAt: now.toISOString() });
  await file.tidy();
}

/** Packs as many of these messages as one part holds, and their renewals. */
async function pack(
  deps: ProofBundleDeps,
  tenantId: string,
  states: readonly SealedState[],
  renewals: ReturnType<typeof createRenewals>,
) {
  const writer = new ArchiveWriter(sha256);
  const steps = new ArchiveWriter(sha256);
  const held: SealedState[] = [];
  for (const state of states) {
    if (writer.isFull) break;
    const source = await readBundleSource(deps, tenantId, state.messageId);
    const entries = await verifiedEntries(source, state.messageId);
    writer.add(nameOfMessage(state.messageId), entries);
    renewals.take(source.rows, entries, steps);
    held.push(state);
  }
  return { held, steps, bytes: writer.finish() };
}

/** Renewals that the archive has, and those that a run adds. */
function createRenewals(place: ArchivePlace, file: IndexFile) {
  const known = new Map<string, RenewalStep[]>();
  return {
    async load(): Promise<void> {
      for (const [checkpoint, steps] of await readArchivedRenewals(reader(place), file.index, sha256))
        known.set(checkpoint, steps);
    },
    /** Adds the database's renewals that the archive lacks, if they continue the archive's. */
    take(rows: StoredRows, entries: Bundle, into: ArchiveWriter): void {
      if (rows.renewals.length === 0) return;
      const checkpoint = toHex(sha256(entries.get('checkpoint.txt')!));
      const own = known.get(checkpoint) ?? [];
      const stored = stepsOf(rows);
      const agree = own.every((step, i) => {
        const name = `renewal/${renewalName(i + 1)}.tsr`;
        const other = stored[i]?.get(name);
        return other !== undefined && equalBytes(step.get(name)!, other);
      });
      if (!agree || stored.length <= own.length) return;
      for (const [i, step] of stored.entries())
        if (i >= own.length) into.add(nameOfRenewal(checkpoint, i + 1), step);
      known.set(checkpoint, stored);
    },
    async write(bytes: Uint8Array): Promise<void> {
      const hash = toHex(sha256(bytes));
      await file.write(bytes, hash);
      await file.save({ renewals: [...file.index.renewals, { sha256: hash, size: bytes.length }] });
    },
  };
}

const linesOf = (states: readonly SealedState[]) =>
  states.map(({ messageId: id, hashes, erased }) =>
    stateText({ id, hashes: hashes.map((hash) => toHex(hash)), erased }),
  );

function describe(held: readonly SealedState[], hash: string, size: number): ArchivePart {
  return {
    sha256: hash,
    size,
    messages: held.length,
    first: held[0]!.messageId,
    last: held.at(-1)!.messageId,
    state: toHex(sha256(utf8(linesOf(held).join('')))),
  };
}

/** As the database has them now. A part has at most PAGE messages: one more is another state. */
export async function stateOf(db: ProofBundleDeps['db'], range: IdRange): Promise<string> {
  const states = await readSealedStates(db, range, PAGE + 1);
  return toHex(sha256(utf8(linesOf(states).join(''))));
}

/** Evidence that does not verify is not archived: an archive must not make a fault look old. */
async function verifiedEntries(source: BundleSource, messageId: string): Promise<Bundle> {
  const rows = withoutRenewals(source.rows);
  const trust = trustOf(source.trust, rows);
  const bundle = assembleBundle(toEvidence(rows, trust), sha256);
  const ends = rows.logEnd === null ? [] : [rows.logEnd];
  const { valid, checks } = await verifyEntries(bundle, { sha256, now: source.now, ed25519, trust, ends });
  if (!valid) {
    const failed = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
    throw new EvidenceError('bundle', `message ${messageId} does not verify: ${failed.join('; ')}`);
  }
  return archivedEntries(bundle);
}

/** Renewals are kept once for all messages that they are about. */
function withoutRenewals(rows: StoredRows): StoredRows {
  const own = { ...rows, renewals: [] };
  const pieces = new Set(stampsOf(own).flatMap(({ revocation }) => revocation.map((hash) => toHex(hash))));
  return { ...own, revocation: rows.revocation.filter((row) => pieces.has(toHex(row.sha256))) };
}

const trustOf = (trust: TrustPolicy, rows: StoredRows): TrustPolicy => ({
  ...trust,
  timeStamps: distinctPolicies(stampsOf(rows)),
});

/** Files that each renewal in the database adds to a bundle. */
function stepsOf({ renewals, revocation, issued }: StoredRows): RenewalStep[] {
  return renewals.map((row, i) => {
    const pieces = new Set(row.revocation.map((hash) => toHex(hash)));
    const token = sha256(row.token);
    return toRenewalStep({
      ...row,
      ordinal: i + 1,
      policy: distinctPolicies([row])[0]!,
      issued: issued.find(({ tokenSha256 }) => equalBytes(tokenSha256, token))?.content,
      revocation: revocation.filter((each) => pieces.has(toHex(each.sha256))),
    });
  });
}

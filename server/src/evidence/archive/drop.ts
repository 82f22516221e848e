import { type ArchivedRenewals, bundleFromArchive } from '@acuse/evidence/archive';
import type { ArchiveIndex, ArchivePart } from '@acuse/evidence/archive-index';
import { readArchivedRenewals, readArchiveIndex, readPartMessages } from '@acuse/evidence/archive-verify';
import { EvidenceError } from '@acuse/evidence/errors';
import { verifyEntries } from '@acuse/evidence/verify';
import { appendAccountEvent, fromCommandLine } from '../../accounts/audit/append.ts';
import { type ContentHashes, countStoredContents, dropContents } from '../../messages/archived-store.ts';
import type { Db, DbAndClock } from '../../platform/database/db.ts';
import { ed25519 } from '../../platform/ed25519.ts';
import { sha256 } from '../../platform/sha256.ts';
import { reader } from './archive-bundle.ts';
import { ArchiveChanged } from './archive-index-file.ts';
import type { ArchivePlace } from './archive-place.ts';
import { type IdRange, readMonthStanding, readSealedStates } from './archive-store.ts';
import { openArchived } from './archived-content.ts';
import {
  claimArchivedMonth,
  findArchivedPlace,
  moveArchivedMonth,
  readCommitments,
} from './archived-store.ts';
import { type ArchiveOrder, closesAt, MonthOpen, rangeOf, stateOf } from './create.ts';

/**
 * Removes contents from the database that an archive has. Each part is read back and each of its bundles
 * verified, and a row goes only if its bytes have the hashes that were read (docs/decisions/0070). After a
 * crash each content is either here or recorded as archived, and the next run continues.
 */
export interface ArchiveDropped {
  /** Messages in the archive. */
  readonly messages: number;
  /** Contents taken from the database by this run, and their bytes; with `dryRun`, that would be. */
  readonly dropped: number;
  readonly bytes: number;
  /** The place that had them before this one; null: none, or this one. */
  readonly movedFrom: string | null;
}

export interface DropOptions {
  readonly dryRun: boolean;
  /** The recorded place of all archives. */
  readonly root: string;
  onProgress?(done: number, all: number): void;
}

/** The archive lacks something, or is out of date. */
export class ArchiveBehind extends Error {
  override readonly name = 'ArchiveBehind';
  constructor(month: string, why: string) {
    super(`${why}: run acuse archive create --month ${month} first`);
  }
}

/** Bounces and reports still arrive by mail meanwhile, and our own quote the message (ms). */
const DROPPED_AFTER_MS = 30 * 24 * 3_600_000;
/** Contents deleted in one transaction. */
const PAGE = 200;

/**
 * Throws MonthOpen, ArchiveBehind, ArchiveChanged, ArchiveUnreachable; EvidenceError for what does not
 * verify.
 */
export async function dropArchived(
  deps: DbAndClock,
  place: ArchivePlace,
  order: ArchiveOrder,
  options: DropOptions,
): Promise<ArchiveDropped> {
  const { db, clock } = deps;
  const { dryRun, root } = options;
  requireAged(order, clock.now());
  const index = await requireWhole(db, place, order);
  const messages = index.parts.reduce((sum, part) => sum + part.messages, 0);
  const known = await findArchivedPlace(db, order);
  const movedFrom = known === undefined || known === root ? null : known;
  const all = { ...order, place: root };
  const ranges = await storedParts(db, index, rangeOf(order));
  const storedOf = (what: 'messages' | 'bytes') => ranges.reduce((sum, { stored }) => sum + stored[what], 0);
  if (dryRun) return { messages, dropped: storedOf('messages'), bytes: storedOf('bytes'), movedFrom };
  const renewals = await readArchivedRenewals(reader(place), index, sha256);
  const look = (part: ArchivePart, range: IdRange) => verifyPart(deps, place, { part, range, renewals });
  if (movedFrom !== null) {
    for (const { part, range } of ranges) await look(part, range);
    if (!(await db.transact((tx) => moveArchivedMonth(tx, all, movedFrom))))
      throw new ArchiveChanged(place.place);
  }
  let [dropped, bytes] = [0, 0];
  for (const [i, { part, range, stored }] of ranges.entries()) {
    // None: an earlier run did it.
    if (stored.messages > 0) {
      const contents = await look(part, range);
      for (let at = 0; at < contents.length; at += PAGE) {
        const told = dropped > 0 ? null : storedOf('messages');
        const gone = await dropPage(deps, place, all, { contents: contents.slice(at, at + PAGE), told });
        dropped += gone.length;
        bytes += gone.reduce((sum, each) => sum + each.bytes, 0);
      }
    }
    options.onProgress?.(i + 1, ranges.length);
  }
  return { messages, dropped, bytes, movedFrom };
}

function requireAged(order: ArchiveOrder, now: Date): void {
  const from = new Date(closesAt(order).getTime() + DROPPED_AFTER_MS);
  if (now < from)
    throw new MonthOpen(
      `the contents of ${order.month} can be dropped from ${from.toISOString()}: bounces still come for a while`,
    );
}

/** The index of an archive that has everything that the database has of the month. */
async function requireWhole(db: Db, place: ArchivePlace, order: ArchiveOrder): Promise<ArchiveIndex> {
  const { month, tenantId } = order;
  const range = rangeOf(order);
  const index = await readArchiveIndex(reader(place));
  if (index === undefined) {
    const [first] = await readSealedStates(db, range, 1);
    if (first !== undefined) throw new ArchiveBehind(month, `${place.place} has no archive`);
    return { tenantId, month, completeAt: null, parts: [], renewals: [], pending: [] };
  }
  if (index.tenantId !== tenantId || index.month !== month)
    throw new EvidenceError('archive', `${place.place} is of ${index.tenantId} and ${index.month}`);
  const { waiting, unsealed } = await readMonthStanding(db, range);
  if (index.completeAt === null || index.pending.length > 0 || waiting > 0 || unsealed > 0)
    throw new ArchiveBehind(month, `${place.place} is not complete`);
  let { after } = range;
  for (const { part, range: own } of rangesOf(index, range)) {
    if (part.state !== (await stateOf(db, own)))
      throw new ArchiveBehind(month, `${place.place} is behind the database`);
    after = own.to;
  }
  const [later] = await readSealedStates(db, { ...range, after }, 1);
  if (later !== undefined) throw new ArchiveBehind(month, `${place.place} lacks ${later.messageId}`);
  return index;
}

function rangesOf({ parts }: ArchiveIndex, { tenantId, after }: IdRange) {
  return parts.map((part, i) => ({
    part,
    range: { tenantId, after: i === 0 ? after : parts[i - 1]!.last, to: part.last },
  }));
}

/** Each part, and the database's rows that are in it. */
async function storedParts(db: Db, index: ArchiveIndex, month: IdRange) {
  const found = rangesOf(index, month).map((each) => ({ ...each, stored: { messages: 0, bytes: 0 } }));
  for (const each of found) each.stored = await countStoredContents(db, each.range);
  return found;
}

interface PartToVerify {
  readonly part: ArchivePart;
  readonly range: IdRange;
  readonly renewals: ArchivedRenewals;
}

/** Hashes of the part's contents, without erased messages. Throws EvidenceError. */
async function verifyPart(
  { db, clock }: DbAndClock,
  place: ArchivePlace,
  { part, range, renewals }: PartToVerify,
): Promise<ContentHashes[]> {
  const { messages, sha256: hash } = await readPartMessages(reader(place), part, sha256);
  const archived = new Map(messages.map((each) => [each.id, each.archived]));
  const commitments = new Map((await readCommitments(db, range)).map((of) => [of.messageId, of]));
  const contents: ContentHashes[] = [];
  for (const { messageId } of await readSealedStates(db, range, part.messages + 1)) {
    const [entries, of] = [archived.get(messageId), commitments.get(messageId)];
    if (entries === undefined) throw new EvidenceError('archive', `it lacks the message ${messageId}`);
    if (of === undefined) continue;
    const bundle = bundleFromArchive(entries, renewals, hash);
    const { valid, checks } = await verifyEntries(bundle, { sha256: hash, now: clock.now(), ed25519 });
    if (!valid) {
      const failed = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
      throw new EvidenceError('bundle', `message ${messageId} does not verify: ${failed.join('; ')}`);
    }
    const { raw, submission } = openArchived(entries, of, hash);
    contents.push({ messageId, raw: hash(raw), submission: hash(submission) });
  }
  return contents;
}

interface DropPage {
  readonly contents: readonly ContentHashes[];
  /** Contents of the whole run, for the account's audit log; null: already recorded. */
  readonly told: number | null;
}

function dropPage(
  { db, clock }: DbAndClock,
  place: ArchivePlace,
  { tenantId, month, place: root }: ArchiveOrder & { readonly place: string },
  { contents, told }: DropPage,
) {
  return db.transact(async (tx) => {
    const now = clock.now();
    if (!(await claimArchivedMonth(tx, { tenantId, month, place: root }, now)))
      throw new ArchiveChanged(place.place);
    const gone = await dropContents(tx, tenantId, contents);
    if (told !== null && gone.length > 0) {
      const entry = { action: 'archive_contents', target: month, after: { messages: told } };
      await appendAccountEvent(tx, tenantId, fromCommandLine('archive'), entry, now);
    }
    return gone;
  });
}

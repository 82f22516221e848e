import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { LogSigner } from '../log-key.ts';
import type { Mirroring } from '../mirror/mirroring.ts';
import { emptyCheckpoint } from '../published.ts';
import { announceLog, enqueueStamps, setPublished } from '../sequence-store.ts';
import type { Anchor } from './anchor.ts';
import { holdToAnchor, type Standing } from './hold.ts';

/**
 * The order of a batch: signed in memory, committed to the database unpublished, copied to the mirror, put
 * into the anchor in place of the checkpoint before, published. A crash between any two of these leaves
 * something that the next call goes on with, and that nobody outside has seen unless the anchor says so.
 */
export interface PublishDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Absent or null: none. */
  readonly mirror?: Mirroring | null;
}

/** This database is not what outsiders have seen: nothing may be signed, sent or accepted on it. */
export class AnchorContradicts extends Error {
  readonly standing: Standing;
  constructor(origin: string, anchor: Anchor, standing: Standing) {
    super(describeStanding(origin, anchor.place, standing));
    this.name = 'AnchorContradicts';
    this.standing = standing;
  }
}

/** Swaps that other processes were faster with, in a row: each is followed by a look at what they did. */
const SWAP_TRIES = 10;

/**
 * Publishes what the database has of a log, if it continues what the anchor says. Throws AnchorContradicts
 * and AnchorUnreachable; then nothing was published.
 */
export async function publishToAnchor(deps: PublishDeps, anchor: Anchor, log: LogSigner): Promise<void> {
  const held = { logId: log.logId, origin: log.origin, publicKey: log.key.publicKey };
  for (let attempt = 1; attempt <= SWAP_TRIES; attempt++) {
    const { standing, head, anchored } = await holdToAnchor(deps.db, anchor, held);
    if (!continuesAnchor(standing)) throw new AnchorContradicts(log.origin, anchor, standing);
    // Crash here: the next call finds the database ahead of the anchor, and does the same. A log is there
    // from before its first batch on, or nobody could tell a first batch from an anchor that was lost.
    const note = head.note ?? emptyCheckpoint(log).note;
    // First, so that whatever the anchor names can be had from the mirror. Crash here: it has leaves that
    // nobody has seen, and the next batch replaces those that are others.
    await deps.mirror?.copy(held, standing.databaseSize);
    if (standing.kind !== 'same' && !(await anchor.swap(log.origin, anchored, note))) continue;
    if (standing.databaseSize === 0) return;
    // Crash here: the next call finds both the same.
    await publish(deps, log.logId, standing.databaseSize);
    await deps.mirror?.published(held, standing.databaseSize, note);
    return;
  }
  throw new Error(
    `log ${log.origin}: the anchor at ${anchor.place} was changed by others ${SWAP_TRIES} times`,
  );
}

/** Shows what is stored, and has it stamped. */
export function publish({ db, clock }: PublishDeps, logId: string, size: number): Promise<void> {
  return db.transact(async (tx) => {
    const before = await setPublished(tx, logId, size);
    // Another process was first.
    if (before === null) return;
    await enqueueStamps(tx, logId, { after: before, upTo: size }, clock.now());
    announceLog(tx, logId);
  });
}

/** It may be signed. */
export function continuesAnchor({ kind }: Standing): boolean {
  return kind === 'same' || kind === 'continues' || kind === 'new';
}

/** One sentence with the fix. */
export function describeStanding(origin: string, place: string, standing: Standing): string {
  switch (standing.kind) {
    case 'same':
      return `log ${origin}: ${standing.size} leaves, in the database and at ${place}`;
    case 'continues':
      return `log ${origin}: the database has ${standing.databaseSize} leaves and continues the ${standing.size} at ${place}`;
    case 'new':
      return `log ${origin}: no leaves yet, and nothing at ${place}`;
    case 'unanchored':
      return `log ${origin}: ${standing.databaseSize} leaves in the database, and nothing at ${place}: if this is the newest database, acuse log anchor --adopt puts its checkpoint there`;
    case 'behind':
      return `log ${origin}: the database has ${standing.databaseSize} leaves, and ${standing.size} were published (${place}): it lacks ${standing.size - standing.databaseSize}; restore it to a later point, or, if there is none, run acuse restore catch-up`;
    case 'fork':
      return `log ${origin}: the database contradicts what was published (${place}): ${standing.reason}; restore the database that this checkpoint is of`;
  }
}

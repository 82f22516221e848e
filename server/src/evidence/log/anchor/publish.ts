import type { DbAndClock } from '../../../platform/database/db.ts';
import type { LogSigner } from '../log-key.ts';
import type { Mirroring } from '../mirror/mirroring.ts';
import { emptyCheckpoint } from '../published.ts';
import { announceLog, enqueueStamps, setPublished } from '../sequence-store.ts';
import type { Anchor } from './anchor.ts';
import { compareWithAnchor, type Standing } from './compare.ts';

/**
 * The order of a batch: sign in memory, commit unpublished, copy to the mirror, swap the anchor, publish.
 * After a crash the next call continues; nobody outside has seen more than the anchor.
 */
interface PublishDeps extends DbAndClock {
  readonly mirror?: Mirroring | null;
}

/** The database differs from what outsiders have seen: nothing may be signed, sent or accepted. */
export class AnchorContradicts extends Error {
  readonly standing: Standing;
  constructor(origin: string, anchor: Anchor, standing: Standing) {
    super(describeStanding(origin, anchor.place, standing));
    this.name = 'AnchorContradicts';
    this.standing = standing;
  }
}

/** Swaps lost to other processes; each is followed by another look. */
const SWAP_TRIES = 10;

/** Publishes the log if it continues the anchor's note. Throws AnchorContradicts, AnchorUnreachable. */
export async function publishToAnchor(deps: PublishDeps, anchor: Anchor, log: LogSigner): Promise<void> {
  const held = { logId: log.logId, origin: log.origin, publicKey: log.key.publicKey };
  for (let attempt = 1; attempt <= SWAP_TRIES; attempt++) {
    const { standing, head, anchored } = await compareWithAnchor(deps.db, anchor, held);
    if (!continuesAnchor(standing)) throw new AnchorContradicts(log.origin, anchor, standing);
    // After a crash here the next call repeats this. A log is anchored before its first batch: otherwise a
    // lost anchor would look new.
    const note = head.note ?? emptyCheckpoint(log).note;
    // First, so that the mirror has all that the anchor names. After a crash here its unseen leaves are
    // replaced if they differ.
    await deps.mirror?.copy(held, standing.databaseSize);
    if (standing.kind !== 'same' && !(await anchor.swap(log.origin, anchored, note))) continue;
    if (standing.databaseSize === 0) return;
    // After a crash here the next call finds both equal.
    await publish(deps, log.logId, standing.databaseSize);
    await deps.mirror?.published(held, standing.databaseSize, note);
    return;
  }
  throw new Error(
    `log ${log.origin}: the anchor at ${anchor.place} was changed by others ${SWAP_TRIES} times`,
  );
}

/** Publishes and queues the stamp. */
export function publish({ db, clock }: PublishDeps, logId: string, size: number): Promise<void> {
  return db.transact(async (tx) => {
    const before = await setPublished(tx, logId, size);
    // Another process was first.
    if (before === null) return;
    await enqueueStamps(tx, logId, { after: before, upTo: size }, clock.now());
    announceLog(tx, logId);
  });
}

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

import { equalBytes } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { formatNote } from '@acuse/evidence/note';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { apiError } from '../../errors.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import { every, type Repeating } from '../../platform/every.ts';
import { holdTo } from './anchor/hold.ts';
import type { LogSigner } from './log-key.ts';
import { readHead } from './sequence-store.ts';
import { isStopped, type LogStop, type StoppedLog } from './stop-store.ts';

/**
 * A log that was set back stops: a witness has a checkpoint that the log's own key signed and this database
 * does not lead to. A witness cannot make one up, so none stops a log by lying.
 */

/** Two notes of this log's key that contradict each other; null: the witness's proves nothing against us. */
export async function findContradiction(
  db: Db,
  log: LogSigner,
  given: string,
  witness: VerifierKey,
): Promise<LogStop | null> {
  const note = signedBy(given, [log.key, witness]);
  if (note === null) return null;
  // Read after the note came: whatever a witness was shown had been committed here before.
  const head = await db.transact((tx) => readHead(tx, log.logId));
  if (head === undefined) return null;
  const { treeSize, note: ownNote } = head;
  // A database that lacks its own checkpoint is damaged, which proves no second history.
  if (treeSize > 0 && (ownNote === null || signedBy(ownNote, [log.key]) === null)) return null;
  const { logId, origin, key } = log;
  const { kind } = await holdTo(db, { logId, origin, publicKey: key.publicKey }, head, note);
  return kind === 'behind' || kind === 'fork' ? { witness: witness.name, note, ownNote } : null;
}

/** The note with the signatures of these keys alone; null: it is not signed by the first, the log's. */
function signedBy(given: string, keys: readonly [VerifierKey, ...VerifierKey[]]): string | null {
  try {
    const { checkpoint, note } = openCheckpoint(given, [keys[0]]);
    if (checkpoint.origin !== keys[0].name) return null;
    const signatures = note.signatures.filter(({ name, keyId }) =>
      keys.some((key) => key.name === name && equalBytes(key.keyId, keyId)),
    );
    return formatNote({ text: note.text, signatures });
  } catch {
    return null;
  }
}

/** One sentence. */
export function describeStop({
  origin,
  witness,
  note,
  ownNote,
  stoppedAt,
}: Omit<StoppedLog, 'logId'>): string {
  const has = sizeIn(note);
  const own = ownNote === null ? '0' : sizeIn(ownNote);
  return `log ${origin} was stopped at ${stoppedAt.toISOString()}: the witness ${witness} has its checkpoint of ${has} leaves, signed by its key, and this database, with ${own}, does not lead to it`;
}

/** The second line of a checkpoint. */
const sizeIn = (note: string) => note.split('\n', 2)[1];

/** What a process knows of its log. */
export interface LogState {
  isStopped(): boolean;
  /** Reads it now. */
  look(): Promise<void>;
}

export async function createLogState(
  { db, changes }: { readonly db: Db; readonly changes: Changes },
  logId: string,
): Promise<LogState> {
  let stopped = false;
  const state: LogState = {
    isStopped: () => stopped,
    async look() {
      stopped = await isStopped(db, logId);
    },
  };
  // Only ever from going on to stopped while a process runs: a log ends, and a database is restored, when
  // none does.
  changes.on('log', (id) => {
    if (id === logId) stopped = true;
  });
  await state.look();
  return state;
}

/** A notice may be lost (ms). */
const LOOK_EVERY_MS = 5_000;

export function watchLogState(state: LogState, onError: (error: unknown) => void): Repeating {
  return every(LOOK_EVERY_MS, state.look, { onError });
}

/** An operator has to act first. */
const RETRY_SECONDS = 60;

/** Nothing certified is accepted; plain mail is. */
export function logStopped(): Error {
  return refusal(
    'Certified messages are not accepted: a witness has shown that the log was rolled back, and it signs nothing more. Plain messages are sent. Try again later with the same Idempotency-Key.',
  );
}

/** What is stored may lack outcomes that the log has signed for before: it is not counted. */
export function countStopped(): Error {
  return refusal(
    'Evidence cannot be given out: a witness has shown that the log was rolled back, and it signs nothing more, the count of outcomes included. Earlier bundles stay valid. Try again later.',
  );
}

const refusal = (message: string) => apiError('unavailable', message, { retryAfterSeconds: RETRY_SECONDS });

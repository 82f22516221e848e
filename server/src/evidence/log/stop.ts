import { equalBytes } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { formatNote } from '@acuse/evidence/note';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { apiError } from '../../errors.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import { ed25519 } from '../../platform/ed25519.ts';
import { every, type Repeating } from '../../platform/every.ts';
import { compareWithNote } from './anchor/compare.ts';
import type { LogSigner } from './log-key.ts';
import { readHead } from './sequence-store.ts';
import { isStopped, type LogStop, type StoppedLog } from './stop-store.ts';

/**
 * Stops a log that was rolled back: a witness has a checkpoint signed by its key that this database does not
 * lead to. A witness cannot forge one.
 */

/** Null: the witness's note proves nothing. */
export async function findContradiction(
  db: Db,
  log: LogSigner,
  given: string,
  witness: VerifierKey,
): Promise<LogStop | null> {
  const note = signedBy(given, [log.key, witness]);
  if (note === null) return null;
  // Read after the note arrived: all that a witness saw was committed before.
  const head = await db.transact((tx) => readHead(tx, log.logId));
  if (head === undefined) return null;
  const { treeSize, note: ownNote } = head;
  // A database without its own checkpoint is damaged, which proves no fork.
  if (treeSize > 0 && (ownNote === null || signedBy(ownNote, [log.key]) === null)) return null;
  const { logId, origin, key } = log;
  const { kind } = await compareWithNote(db, { logId, origin, publicKey: key.publicKey }, head, note);
  return kind === 'behind' || kind === 'fork' ? { witness: witness.name, note, ownNote } : null;
}

/** Keeps only these keys' signatures; null: not signed by the log. */
function signedBy(given: string, keys: readonly [VerifierKey, ...VerifierKey[]]): string | null {
  try {
    const { checkpoint, note } = openCheckpoint(given, [keys[0]], ed25519);
    if (checkpoint.origin !== keys[0].name) return null;
    const signatures = note.signatures.filter(({ name, keyId }) =>
      keys.some((key) => key.name === name && equalBytes(key.keyId, keyId)),
    );
    return formatNote({ text: note.text, signatures });
  } catch {
    return null;
  }
}

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

export interface LogState {
  isStopped(): boolean;
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
  // While a process runs, a log can only stop: ends and restores need all processes stopped.
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

const RETRY_SECONDS = 60;

/** Certified mail is refused; plain mail is accepted. */
export function logStopped(): Error {
  return refusal(
    'Certified messages are not accepted: a witness has shown that the log was rolled back, and it signs nothing more. Plain messages are sent. Try again later with the same Idempotency-Key.',
  );
}

/** The database may lack outcomes that were signed before: no count. */
export function countStopped(): Error {
  return refusal(
    'Evidence cannot be given out: a witness has shown that the log was rolled back, and it signs nothing more, the count of outcomes included. Earlier bundles stay valid. Try again later.',
  );
}

const refusal = (message: string) => apiError('unavailable', message, { retryAfterSeconds: RETRY_SECONDS });
